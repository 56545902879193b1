#!/bin/sh
# What fingers know from gdb: each habit does what it does there, or says what there is instead.
# sanitized by --full: session.sh and session_pads.sh run the commands, fuzz_session what is typed
. "$(dirname "$0")/lib"
. "$top/tests/cli/session_lib"

# Ways in: --args, -p; set args.
timeout 120 "$fathom" -q -batch -ex 'show args' -ex run --args "$parley" work 3 >output 2>errors || fail --args
order 'work 3' 'worked 3 times'
timeout 60 "$fathom" "$parley" work 3 >output 2>errors && fail 'arguments without --args'
complains '--args PROG ARG...'
run 2 -batch -p 4194304999
complains 4194304999
session 0 "$parley" 'set args work 4' 'show args' run
order 'work 4' 'worked 4 times'

# row COMMAND WORDS...: at a halt in work(4), the command is answered in these words, in this order.
# All rows are one session; `!echo` parts the answers.
: >rows
: >wanted
row() {
	printf '!echo "[row]"\n%s\n' "$1" >>rows
	shift
	printf '%s\n' "$*" >>wanted
}
row 'bt 1' '#0 work parley.c n = 4 and more'
row 'where -1' '_start'
row 'bt full' 'work_up_to i = 4 box = {size = 8, colour = BLUE}'
row 'info functions ork_up' 'work_up_to parley.c'
row 'info break' 'work break if n > 3'
row 'i b' 'work break'
row 'print n' 'n = 4'
row 'print n * 2 - 1' '= 7'
row 'p/x box->size * 2 + 1' '= 0x11'
row 'p/t n' '= 100'
row 'p *box' '{size = 8, colour = BLUE}'
row 'p box' '(const struct box *) 0x'
row 'p &sink' '<sink>'
row 'p sink > 0' '= true'
row 'p $rip' '<work'
row 'p $pc == $rip' '= true'
row 'inspect n' 'n = 4'
row 'whatis box' 'type = const struct box *'
row 'whatis n' 'type = int'
row 'whatis sink' 'long'
row 'ptype box' 'type = struct box { int size; enum colour colour; } *'
row 'ptype struct box' 'int size;'
row 'ptype enum colour' 'enum colour {RED, BLUE}'
row 'x/2dw box' '8 1'
row 'x/gx $rsp' ': 0x'
row 'info args' 'n = 4 box = '
row 'info registers' 'rsp 0x rip 0x'
row 'i source' 'parley.c:'
row 'info symbol $rip' '<work'
row 'info line work' 'work begins in line parley.c'
row 'info sharedlibrary' 'parley libc.so'
row 'info signals' 'goes to the program'
row 'info frame' '#0 work rip is 0x'
row 'up' '#1 work_up_to'
row 'info locals' 'i = 4 box = {size = 8, colour = BLUE}'
row 'print i + 1' 'i + 1 = 5'
row 'frame' '#1 work_up_to'
row 'down' '#0 work'
row 'frame 2' '#2 main'
row 'p argc' 'argc = 3'
row 'f 0' '#0 work'
row 'thread' 'is looked at'
row 'thread 1' '#0 work'
row 'info threads' '* 1 work'
row 'thread apply all bt 1' 'Thread #0 work'
row 'thread apply 1 p n' 'Thread n = 4'
row 'list 20,21' '20 21 struct box'
row 'list -' '10 19'
row 'list work' 'work(int n'
row 'display n' '1: n = 4'
row 'display/x n' '2: n = 0x4'
row 'info display' '1: n'
row 'c 2' 'n = 6 1: n = 6'
row 'undisplay 1' ''
row 'set listsize 3' ''
row 'list 30' '29 30 31'
row 'show confirm' 'asked'
row 'set confirm off' ''
row 'set pagination off' ''
row 'show' 'work 6 not asked 3 lines'
row 'tb hold' 'Probe 2'
row 'condition 1 n > 100' ''
row 'apropos registers' 'print'
row 'help all' 'undisplay'
row 'help x' 'memory'
{
	printf 'break work if n > 3\nrun work 6\n'
	cat rows
} >commands
timeout 120 "$fathom" --probes=stops --max-overhead=none -batch -x commands "$parley" >output 2>errors </dev/null ||
	fail "the rows: $(tail -3 errors)"
python3 - <<'END' || fail 'rows'
import re
answers = open("output").read().split("[row]\n")[1:]
wanted = open("wanted").read().split("\n")
asked = [line for line in open("rows").read().split("\n") if line and not line.startswith("!echo")]
bad = 0
for command, answer in zip(asked, answers):
    words = wanted.pop(0)
    at, flat = 0, re.sub(r"\s+", " ", answer)
    for word in words.split(" ") if words else []:
        at = flat.find(word, at)
        if at < 0:
            print(f"{command}: '{word}' of '{words}' is not in: {flat[:400]}")
            bad = 1
            break
        at += len(word)
if len(asked) != len(answers):
    raise SystemExit(f"{len(asked)} rows, {len(answers)} answers")
raise SystemExit(bad)
END

# Lines of a probe, new commands, other names.
session 0 "$parley" 'define twice' 'p $arg0 * 2' 'p $argc + 10' end 'alias bw = break work' 'bw if n > 4' \
	commands silent 'print n' continue end 'break work if n == 3' 'commands 2' 'twice n' end 'run work 6' 'help twice'
order '#0  work' 'n * 2 = 6' '= 11'
lacks 'n = 5'
session 0 "$parley" 'alias bw = break work' 'bw if n > 4' commands silent 'print n' continue end 'run work 6'
order 'n = 5' 'n = 6' 'worked 6 times'
lacks 'begins in thread'
session 2 "$parley" 'define run'
complains 'already'
session 2 "$parley" 'commands 3' end
complains 'no such probe'

# Lines: break stops there, also within code that a jump to a pad replaces; probe measures the function that has it.
line=$(grep -n 'sink += box->size' "$top/fixtures/trace/parley.c" | cut -d: -f1)
turn=$(grep -n 'sink += i;' "$top/fixtures/trace/parley.c" | head -1 | cut -d: -f1)
for probes in stops pads; do
	for place in "parley.c:$line" "$line"; do
		session 0 "$parley" "break $place if n > 2" 'run work 3' finish
		order "in work, stops there" "work is at $place in thread" 'n = 3' "parley.c:$line" 'work returned'
	done
	session 0 "$parley" 'break work' 'run work 3' "tbreak $line" continue 'info probes' 'delete 1' continue
	order 'work begins' "work is at $line" 'n = 1' 'enabled  work break' 'worked 3 times'
	[ "$(grep -c 'work begins' output)" -eq 1 ] || fail 'a call began twice'
	session 0 "$parley" "break parley.c:$turn" 'ignore 1 1000000' 'run work 3' 'info probes'
	order "spend at parley.c:$turn break   3 calls looked at, 988000 more ignored" # 2,000 turns for each of 1 + 2 + 3
done
probes=stops
session 0 "$parley" "probe $line" 'run work 3'
grep -q 'is in work, whose calls are measured' errors || fail "probe $line"
session 2 "$parley" 'break parley.c:2'
complains 'line 2'

# What is not here is answered with what is; nothing is written to the program.
while IFS='|' read -r command answer; do
	session 2 "$parley" 'break work' 'run work 3' "$command"
	grep -qF -- "$answer" errors || fail "$command: $(head -1 errors)"
done <<'END'
next|break
set var n=3|does not change
print n = 3|does not change
print nonsense|nonsense
print work(3)|not called
frame 99|bt lists them
thread 99|info threads
END
for command in n s step until advance stepi watch catch python tui call gcore make; do
	session 2 - "$command"
	complains "no $command here: "
done
for command in all mate; do
	session 2 - "$command"
	complains 'help lists them'
done

# The first call that breaks the model: any but one of 1 to 1.001 hours; none of 0 to 4 hours.
cat >narrow.ann <<'END'
work.time {
features:
  int n = n;
annotations:
  Norm(3600000000, 1000000);
}
END
sed 's/, 1000000)/, 3600000000)/' narrow.ann >wide.ann
session 0 "$parley" 'load narrow.ann' 'probe work stop if surprising' 'run work 3' 'print n'
order 'work returned' 'n = 1'
session 0 "$parley" 'load wide.ann' 'probe work stop if surprising' 'run work 3'
order 'worked 3 times'
lacks 'work returned'
