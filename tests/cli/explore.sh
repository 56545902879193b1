#!/bin/sh
# The explorer in a real terminal: what is shown, keys, the mouse, sizes, what is saved, and a shell as before when it is left.
. "$(dirname "$0")/lib"
. "$top/tests/cli/tmux_lib"

"$top/tests/cli/explorer_samples" >samples.csv
run 0 import samples.csv -o samples.fathom

terminal 80 24
command_line "echo before; $fathom explore samples.fathom; echo status=\$?"
# Models come by themselves.
screen 'sort_all +300 time .* 1 .*\*n'
screen 'hash_find +300 mem .*16\*n'
# What a name holds does not reach the terminal.
screen 'evil\?\[31mname'
no_screen 'before'

# Filter, open, look at the views, back.
keys /
keys -l sort
no_screen hash_find
keys Enter
keys Enter
screen 'sort_all\.(time|mem)'
screen '⢀|⣀|⠤'
keys 2
screen '2 Resid'
keys 6
screen 'Samples'
keys 5
screen '100\.0 % .* n$'

# What experiments say there is none of here; back to the same view.
keys w
screen 'This profile has no causal experiments'
keys q
screen '100\.0 % .* n$'

# Other sizes, down to what shows nothing, and back.
in_tmux resize-window -x 200 -y 60
screen 'Features.*'
in_tmux resize-window -x 5 -y 2
in_tmux resize-window -x 80 -y 24
screen 'sort_all\.'

# Saved under names that nothing has.
keys 1
keys s
screen 'saved as sort_all\.time\.svg'
keys s
screen 'saved as sort_all\.time-2\.svg'
keys 7
keys s
screen 'saved as sort_all\.time\.txt'
keys 6
keys s
screen 'saved as sort_all\.time\.csv'
keys Q
screen 'status=0'
# The shell's screen is back.
screen '^before'
no_screen 'Samples'
stty_of() {
	command_line 'stty -g >modes; echo done-$?'
	screen 'done-0'
}
stty_of
grep -q . modes || fail 'the terminal has no modes'
grep -q '</svg>' sort_all.time.svg || fail 'the picture is none'
same sort_all.time.svg sort_all.time-2.svg
grep -q '^sort_all.time {' sort_all.time.txt || fail 'the annotation is none'
[ "$(grep -c '^sort_all,' sort_all.time.csv)" -eq 300 ] || fail 'the samples are not 300'

# A stop gives the shell back.
terminal 80 24 'exec bash --norc -i'
command_line "PS1='ready> '; $fathom explore -f sort_all samples.fathom"
screen 'sort_all +300'
keys C-z
screen 'ready>'
command_line fg
no_screen 'ready>'
screen 'sort_all +300'
keys C-c
screen 'ready>'

# Plain ASCII where the locale has no more; no colours with NO_COLOR, and some otherwise.
terminal 80 24
command_line "LC_ALL=C $fathom explore samples.fathom; echo status=\$?"
screen 'sort_all +300 time .*\*n'
keys Enter
screen '\.(time|mem)'
screen 'Scatter'
no_screen '[^ -~]'
keys Q
screen 'status=0'

colours() {
	in_tmux capture-pane -p -e | grep -c "$(printf '\033')\[[0-9;]*3[0-8]"
}
command_line "clear; $fathom explore samples.fathom"
screen 'sort_all +300 time .*\*n'
[ "$(colours)" -gt 0 ] || fail 'nothing is coloured'
keys Q
for how in 'NO_COLOR=1' ''; do
	option=
	[ -n "$how" ] || option=--color=never
	no_screen 'sort_all'
	command_line "clear; $how $fathom explore $option samples.fathom"
	screen 'sort_all +300 time .*\*n'
	[ "$(colours)" -eq 0 ] || fail "coloured in spite of $how $option"
	keys Q
done

# The editor comes with the file and line, whatever their names are; then the explorer again, and the terminal as before.
mkdir -p "a b"
cp "$top/fixtures/trace/elements.c" "a b/it's.c"
sqlite3 samples.fathom "UPDATE function SET file = '$PWD/a b/it''s.c', line = 7 WHERE name = 'sort_all'"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >edited\n' >editor
chmod +x editor
sqlite3 samples.fathom "CREATE TABLE line_sample (file, line, samples, PRIMARY KEY (file, line)) WITHOUT ROWID;
INSERT INTO line_sample SELECT file, 7, 23 FROM function WHERE name = 'sort_all'; INSERT INTO line_sample VALUES ('', 0, 100)"
command_line "clear; EDITOR='./editor -x' $fathom explore samples.fathom; echo status=\$?"
screen 'sort_all +300 time .*\*n'
keys /
keys -l sort_all
keys Enter
keys e
until_true 'no editor came' test -s edited
printf '%s\n' -x +7 "$PWD/a b/it's.c" | cmp -s - edited || fail "the editor got $(cat edited)"
screen 'sort_all +300 time'
keys Enter
keys 9
screen '23 %.* 7 '
keys 8
screen 'itself|not measured'
keys Q
screen 'status=0'

# Two profiles, side by side.
cp samples.fathom now.fathom
command_line "clear; $fathom explore samples.fathom now.fathom; echo status=\$?"
screen 'before .* now .* times'
screen 'sort_all .* 1\.00'
keys Enter # its curve of before, too
screen '[b-z] before'
keys q
keys Q
screen 'status=0'

# Strings are texts, in the table of calls and of one; what is in them does nothing to the terminal.
run 0 run -q --strings --samples all --max-overhead none -m mem -f work -o texts.fathom -- "$build/fixtures/texts"
command_line "clear; $fathom explore texts.fathom; echo status=\$?"
screen 'work.* 80 '
keys Enter
screen 'Scatter'
keys 6
screen '^80 calls'
keys Enter
screen '^mode = "fast"'
screen '^order.label = "label"'
keys n
keys n
screen '^order.customer = "B\\033\[31m'
screen '^mode = "slow"'
keys Q
screen 'status=0'
