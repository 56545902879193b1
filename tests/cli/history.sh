#!/bin/sh
# Costs by commit: a regression on a branch is marked there and at the merge, and found by bisection; a changed tree is not stored.
# not sanitized: diff and annotate are
. "$(dirname "$0")/lib"
command -v git >/dev/null && command -v cc >/dev/null || {
	echo 'there is no git or no compiler'
	exit 77
}
TMPDIR=$scratch
export TMPDIR HOME="$scratch"
unset GIT_DIR GIT_WORK_TREE

mkdir repository
cd repository || exit 1
git init -q -b main . && git config user.name a && git config user.email a@b
# version PIECE: the program allocates so much for each element.
version() {
	cat >program.c <<-END
		#include <stdlib.h>
		static void *kept[1000];
		__attribute__((noinline)) void work(int n)
		{
			for (int i = 0; i < n; i++)
				kept[i] = malloc($1);
			for (int i = 0; i < n; i++)
				free(kept[i]);
		}
		int main(int argc, char **argv)
		{
			for (int i = 0; i < atoi(argv[argc - 1]); i++)
				work(10 + i * 7 % 600);
		}
	END
}
commit() {
	git add program.c && git commit -q --allow-empty -m "$1" && git rev-parse HEAD >"../id-$1"
}
# history STATUS ARGUMENT...
history() {
	cd "$scratch/repository" || exit 1
	expected=$1
	shift
	timeout 120 "$fathom" history "$@" >../output 2>../errors </dev/null
	status=$?
	cd ..
	[ $status -eq "$expected" ] || fail "history $*: status $status, not $expected"
	cd repository || exit 1
}
mkdir .fathom
cat >.fathom/config <<'END'
# of the tests
build = cc -O1 -g -o program program.c
program = ./program
argument = 100
function = work
metrics = mem
runs = 1
END

version 100
commit 1
history 0 run -q
grep -qF 'is the first that was measured so' ../errors || fail 'it is not said that there is nothing to compare with'
git status --porcelain | grep -q commits && fail 'git sees what is stored'
commit 2
history 0 run -q
grep -qF 'work.mem: unchanged' ../output || fail 'the comparison is not shown'

# A branch that gets worse, and a commit on main that is not measured.
git checkout -q -b branch
version 300
commit 3-worse
history 1 run -q
grep -qF 'work.mem: WORSE' ../output || fail 'it is not worse'
git checkout -q main
echo text >notes && git add notes && git commit -q -m 4
git merge -q -m 5-merge branch
history 1 run -q
[ "$(grep -c '^work.mem' ../output)" -eq 2 ] || fail 'the merge is not compared with both parents'

# A changed tree is measured, and told; nothing is stored.
find .fathom/commits -type f | sort >../before
version 301
history 0 run -q --tolerance 0.1
grep -qF 'program.c is changed: this is not stored' ../errors || fail 'the change is not told'
find .fathom/commits -type f | sort >../after
cmp -s ../before ../after || fail 'a changed tree is stored'
cp .fathom/commits/"$(git rev-parse HEAD)"/*.fathom ../kept.fathom
history 2 add ../kept.fathom
grep -qF 'program.c is changed' ../errors || fail 'a changed tree is added to'
git checkout -q program.c
history 1 add ../kept.fathom

history 0 log
cut -d' ' -f3- ../output >../lines
main=$(git rev-parse --short HEAD~2)
branch=$(git rev-parse --short branch)
head -n 1 ../lines | grep -q "against $main: worse: work.mem [0-9.]* times" || fail 'the merge is not told'
head -n 1 ../lines | grep -q "against $branch: 1 unchanged" || fail 'the merge is not compared with the branch'
grep -q '^worse: work.mem [0-9.]* times | 3-worse$' ../lines || fail 'the branch is not told'
grep -q '^not measured | 4$' ../lines || fail 'what was not measured is not told'
grep -q '^1 unchanged | 2$' ../lines || fail 'what is unchanged is not told'
grep -q '^first of program-[0-9a-f]* | 1$' ../lines || fail 'the first is not told'

# Other arguments are another configuration.
sed -i 's/= 100/= 120/' .fathom/config
history 0 run -q
grep -qF 'is the first that was measured so' ../errors || fail 'other arguments are compared'
sed -i 's/= 120/= 100/' .fathom/config

history 0 show work --plots ../pictures --html ../page.html
grep -qE '^  [0-9a-f]+ .*2000 \+ 300\*n|^  [0-9a-f]+ .*300\*n' ../output || fail 'the formula is not shown'
# Of the arguments that most commits were measured with.
grep -qF '3 commits are too few to tell when it changed: 10 or more are enough' ../output || fail 'it is not said that commits are few'
[ -s ../pictures/history.svg ] && grep -qF '<svg' ../page.html || fail 'there is no picture'
history 2 show nothing
grep -qF 'no commit has samples of nothing' ../errors || fail 'a wrong name is not told'

history 0 bisect work "$(cat ../id-1)" -q
grep -qF "$(cat ../id-3-worse)" ../output || fail 'bisection finds another commit'
git worktree list | grep -qF fathom-bisect && fail 'the worktree is left behind'
ls -d ../fathom-* 2>/dev/null && fail 'files are left behind'

# Two runs each are too few for 15 %, so that both are measured again.
sleeps() {
	cat >program.c <<-END
		#include <unistd.h>
		__attribute__((noinline)) void work(int n)
		{
			for (int i = 0; i < n * $1; i++)
				usleep(1);
		}
		int main()
		{
			for (int i = 0; i < 20; i++)
				work(1 + i % 3);
		}
	END
}
cp .fathom/config ../config
sed -i 's/= mem/= switches/; s/^runs = 1/runs = 2/' .fathom/config
git checkout -q -b sleeps
sleeps 20
commit sleeps
sleeps 23
commit sleeps-longer
history 0 bisect work "$(cat ../id-sleeps)"
grep -qF 'work.switches: inconclusive, 1.15 times the cost' ../errors || fail 'two runs are said to be enough'
grep -qF "$(cat ../id-sleeps-longer)" ../output || fail 'what was inconclusive is not measured again'
git checkout -q main
cp ../config .fathom/config

history 2 bisect work HEAD "$(cat ../id-1)" -q
history 2 bisect work none
grep -qF 'there is no commit none here' ../errors || fail 'a wrong commit is not told'

history 2 log --bogus
history 2 log -- --output=x
[ ! -e x ] || fail 'a revision is taken for an option of git'
history 2 log --json
grep -qF 'go with add and run' ../errors || fail 'an option is taken for nothing'
history 2 what
grep -qF 'has no action what' ../errors || fail 'a wrong action is not told'
history 2 add
echo 'argument = 1' >.fathom/config
history 2 run
grep -qF 'config, line 1: program = ./NAME comes first' ../errors || fail 'a wrong line is not told'
rm .fathom/config
history 2 run
grep -qF '.fathom/config does not say what to measure' ../errors || fail 'it is not said what to write'
cd .. && mkdir outside && cd outside && GIT_CEILING_DIRECTORIES=$scratch run 2 history log
grep -q 'not a git repository' errors || grep -q 'git' errors || fail 'it is not said that there is no repository'
exit 0
