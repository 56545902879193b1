#!/bin/sh
# Wrong usage and wrong input: one line that says what and what to do, and the promised exit status.
. "$(dirname "$0")/lib"

sort=$build/fixtures/sort
name='std::list<int>::sort'

run 0 # the session, whose input is over
run 2 bogus
complains "there is no command 'bogus'"
run 0 help
says 'fathom annotate'
for command in run list annotate; do
	run 0 help $command
	says "Usage: fathom $command"
	run 0 $command --help
	says '--json'
	run 2 $command --bogus
	complains "'--bogus'"
	run 2 $command
	complains missing
done
run 2 diff old new --bogus # not of the arguments before it
complains "'--bogus'"
run 0 --version
says 'fathom 0'

run 2 run -m bogus -f x -- "$sort"
complains "no metric 'bogus'"
run 2 run --max-depth=-1 -f x -- "$sort"
complains 'not a number'
run 2 run --min-r2=nan -f x -- "$sort"
complains 'not a number'

run 2 run -f x -- /nonexistent/program
complains 'No such file'
run 2 run -f x -- nonexistent-program
complains 'PATH'
run 2 run -f x -- "$scratch"
complains 'directory'
echo '#!/bin/sh' >script && chmod +x script
run 2 run -q -f x -- ./script
complains 'no program that ran has such a function'
: >empty && chmod +x empty
run 2 run -f x -- ./empty
complains 'not an ELF file'
cp "$sort" plain && chmod -x plain
run 2 run -f x -- ./plain
complains 'chmod +x'
cp "$sort" foreign && printf '\267\0' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
run 2 run -f x -- ./foreign
complains 'x86-64'
strip -s -o stripped "$sort"
run 2 run -f "$name" -- ./stripped
complains '-g'
run 2 list ./stripped
complains '-g'
# Symbols alone are enough to measure, and it is said that there is no more.
strip -g -o symbols "$sort"
run 0 list ./symbols "$name"
grep -q 'no usable debug information' errors || fail 'it is not said that there is no debug information'

run 2 run -f 'std::list<int>::sorted' -- "$sort"
complains 'std::list<int>::sort()'
run 2 list "$sort" no_such_function
run 2 run -f "$name" -o never.fathom -- "$sort" 0
grep -q 'was never called' errors || fail 'a function without calls was not mentioned'
grep -q 'exited with status 0' errors || fail 'the end of the program was not reported'

run 2 annotate /nonexistent.fathom
complains 'No such file'
run 2 annotate empty
complains 'empty'
run 2 annotate "$sort"
complains 'not a fathom profile'
sqlite3 other.db 'CREATE TABLE t (x)'
run 2 annotate other.db
complains 'not a fathom profile'
run 2 run -f "$name" -o other.db -- "$sort" 2 10 10
complains 'not a fathom profile'

run 0 run -q -f "$name" -o one.fathom -r report -- "$sort" 20 1000 2000
run 2 annotate -f other one.fathom
complains 'no samples'
run 2 annotate -r /nonexistent/report one.fathom
complains 'cannot write'
run 2 run -f "$name" -r /nonexistent/report -- "$sort" 2 10 10
complains 'cannot write'
[ ! -s output ] || fail 'the program ran although its report cannot be written'

# Standard output has a name, too; a profile cannot go there.
run 0 annotate one.fathom
cp output annotated
run 0 annotate -r - one.fathom
same annotated output
run 2 run -f "$name" -o - -- "$sort" 2 10 10
complains 'a profile does not go to standard output'
[ ! -e - ] || fail 'there is a file of that name'

# A report harms no other file.
cp "$sort" program
cp one.fathom kept.fathom
run 2 run -f "$name" -r program -- ./program 20 1000 2000
complains 'would overwrite'
run 2 run -f "$name" -o kept.fathom -r kept.fathom -- ./program 20 1000 2000
complains 'would overwrite'
run 2 annotate -r program kept.fathom
complains 'is a program or a profile'
cmp program "$sort" && cmp kept.fathom one.fathom || fail 'a file was harmed'

# A file that becomes shorter while it is read: whenever that happens, it is said in one line.
for after in 0.02 0.04 0.08; do
	cp "$fathom" shrinking
	{ sleep $after; truncate -s 4096 shrinking; } &
	"$fathom" list --features shrinking >output 2>errors </dev/null
	status=$?
	wait $!
	case $status in
	0) ;;
	2) complains 'fathom: ' ;;
	*) fail "a file that becomes shorter: status $status" ;;
	esac
done

# Patterns from a file.
printf '# functions\n\nstd::list<int>::sort\n' >names
run 0 run -q -f @names -r report -- "$sort" 20 1000 2000
run 2 run -f @nonexistent -- "$sort"
complains 'nonexistent'
{ head -c 8190 /dev/zero | tr '\0' ' '; echo "$name"; } >names
run 0 run -q -f @names -r report -- "$sort" 20 1000 2000
printf 'main\0\n' >names
run 2 run -f @names -- "$sort"
complains 'not a text file'
run 2 run -f @. -- "$sort"
complains 'Is a directory'
run 2 run -f @/dev/null -- "$sort"
complains 'names none'
run 2 run -f '' -- "$sort"
complains '-f is without a name'
run 2 list "$sort" '::'
complains 'no function "::": `fathom list'
# Several patterns, behind the program or by -f as elsewhere, each of which must be there.
run 0 list "$sort" main "$name"
says 'main  ' "$name()"
run 0 list -f main -f "$name" "$sort"
says 'main  ' "$name()"
run 2 list "$sort" main no_such_function
complains 'no_such_function'
# A parameter that is nowhere in the debug information may be in a register.
cat >lost.c <<'END'
__attribute__((noinline)) static int lost(int n, int unused)
{
	volatile int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}
int main(int argc, char **argv)
{
	(void)argv;
	return lost(argc, argc + 1) + lost(argc + 2, 7);
}
END
gcc -g -O2 lost.c -o lost || fail 'gcc'
run 0 list --features lost lost
says '[optimized-out]' "--feature '\$rdi' reads one"
run 0 list --color=never "$sort" sort
run 2 list --color=pink "$sort" sort
complains '--color'
run 2 run -q -f integers -o one.fathom -- "$build/fixtures/args-gcc-O0"
complains 'another build'
