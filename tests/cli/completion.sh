#!/bin/sh
# Shells complete what is typed: real ones, in terminals, by the completions that the executable prints.
. "$(dirname "$0")/lib"

mkdir bin completions 'a folder'
ln -s "$fathom" bin/fathom
# A shell waits for 3 s for names, which a slow machine may take.
printf '#!/bin/sh\nshift\nexec %s 60 "$@"\n' "$(command -v timeout)" >bin/timeout
chmod +x bin/timeout
ln -s "$build/fixtures/sort" sort
: >one.fathom
: >'the other.fathom'
: >"it's.txt"
PATH=$PWD/bin:$PATH
"$fathom" document --bash >completions/fathom.bash && "$fathom" document --zsh >completions/_fathom ||
	fail 'the completions are not printed'

sleep 1000 &
sleeping=$!
trap 'kill $sleeping; rm -rf "$scratch"' EXIT

# What is typed, and what must be there then.
cat >cases <<END
fathom expor => fathom export
fathom help pre => fathom help predict
fathom documen => fathom documen
fathom ./so => fathom ./sort
fathom one => fathom one.fathom
fathom run --max- => fathom run --max-depth --max-features --max-overhead
fathom list --max- => fathom list --max-depth --max-features
fathom stack --glo => fathom stack --globals
fathom run --globals n => fathom run --globals none
fathom run --samples a => fathom run --samples all
fathom run -m time,cp => fathom run -m time,cpu
fathom annotate -m self.p => fathom annotate -m self.pfaults
fathom annotate one => fathom annotate one.fathom
fathom annotate the => fathom annotate the\\ other.fathom
fathom diff one.fathom the => fathom diff one.fathom the\\ other.fathom
fathom check it => fathom check it\\'s.txt
fathom export one.fathom --html i => fathom export one.fathom --html it\\'s.txt
fathom stack $sleeping => fathom stack $sleeping
fathom list ./sort ma => fathom list ./sort main
fathom run -f ma| -- ./sort => fathom run -f main -- ./sort
fathom run --function=ma| -- ./sort => fathom run --function=main -- ./sort
fathom run -f std::list\\<int\\>::so| -- ./sort => fathom run -f std::list\\<int\\>::sort\\(\\) -- ./sort
tab: fathom list ./sort 'std::list<int>::so => fathom list ./sort 'std::list<int>::sort()'
tab: fathom list ./sort "std::list<int>::so => fathom list ./sort "std::list<int>::sort()"
fathom run -f main -- ./sort one => fathom run -f main -- ./sort one.fathom
fathom run -f x| -- /nonexistent => fathom run -f x -- /nonexistent
fathom predict $top/fixtures/annotations/basics.ann std::list\\<int\\>::so => fathom predict $top/fixtures/annotations/basics.ann std::list\\<int\\>::sort\\(\\)
END
sed 's/ => .*//' cases >typed
sed 's/.* => //' cases >expected

tried=
for shell in bash:fathom.bash zsh:_fathom; do
	command -v "${shell%:*}" >/dev/null || continue
	tried="$tried ${shell%:*}"
	python3 "$top/tests/cli/completion.py" "${shell%:*}" "completions/${shell#*:}" <typed >raw 2>errors ||
		fail "${shell%:*} does not complete"
	# zsh puts behind them what often follows, until something else does.
	tr -s ' ' <raw | sed 's/[ =,]$//' >output
	same expected output
done
case $tried in
*zsh*) ;;
*) echo "zsh is not installed: only$tried was tested" ;;
esac
