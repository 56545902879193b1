#!/bin/sh
# Programs that give up files, rights or system calls are measured all the same; so are those of other languages, or they
# are refused with the reason.
. "$(dirname "$0")/lib"
. "$top/tests/cli/tally_lib"

program=$build/fixtures/austere-gcc-O2
functions=work
for what in files undumpable user memory processes 'undumpable user memory processes files'; do
	# shellcheck disable=SC2086
	measured "$program" $what
done
# It asks for its priority at the end, for which it would be killed: the same as alone.
"$program" seccomp >alone 2>errors
its_end=$?
rm -f tally.fathom
run 0 run -f work -o tally.fathom -r report -- "$program" seccomp
same alone output
grep -q "killed by signal $((its_end - 128)) " errors || fail "its end is not the same: $its_end"
[ "$(sqlite3 tally.fathom 'SELECT calls FROM account')" = 200 ] || fail 'calls are missing'
rm -f tally.fathom
nice -n 3 "$program" idle >alone
nice -n 3 "$fathom" run -q -f work -o tally.fathom -r report -- "$program" idle >output || fail "status $?, at nice 3"
same alone output

# As somebody without rights, whose own program cannot be looked into any more.
if nobody_can_run "$program"; then
	"$program" undumpable >alone
	theirs=$nobodys/$(basename "$program")
	timeout 20 $as_nobody "$nobodys/fathom" run -q -f work -o "$nobodys/its.fathom" -r "$nobodys/report" -- \
		"$theirs" undumpable >output 2>errors || fail "status $?, as nobody"
	same alone output
	[ "$(sqlite3 "$nobodys/its.fathom" "SELECT count(*), sum(n) FROM work")" = '200|9900' ] ||
		fail 'calls of a program that cannot be dumped are missing'
	# The kernel gives it fewer rights than alone, which is said.
	for owner in 65534 0; do
		chown $owner "$theirs"
		chmod 4755 "$theirs"
		rm -f "$nobodys/its.fathom"
		timeout 20 $as_nobody "$nobodys/fathom" run -f work -o "$nobodys/its.fathom" -r "$nobodys/report" -- \
			"$theirs" idle >output 2>errors || fail "status $?, as nobody"
		[ "$(grep -c 'it runs with yours' errors)" = $((owner == 0)) ] || fail "its rights, of owner $owner"
		rm -f "$nobodys/its.fathom"
		timeout 20 $as_nobody "$nobodys/fathom" run --follow-fork -f work -o "$nobodys/its.fathom" -r "$nobodys/report" -- \
			sh -c "'$theirs' idle; '$theirs' idle; true" >output 2>errors || fail "status $?, as nobody"
		[ "$(grep -c 'executes .*it runs with yours' errors)" = $((owner == 0)) ] || fail "its rights as a child, of owner $owner"
	done
fi

# Position-independent and static.
if gcc -g -O2 -static-pie "$top/fixtures/trace/austere.c" -o austere-static-pie 2>errors; then
	measured ./austere-static-pie idle
fi

# Rust: threads, and panics that are caught.
cat >panics.rs <<'RUST'
use std::sync::atomic::{AtomicI64, Ordering};

static CALLS: AtomicI64 = AtomicI64::new(0);
static SUM: AtomicI64 = AtomicI64::new(0);

#[inline(never)]
fn work(n: i64) -> i64 {
    if n % 5 == 0 {
        panic!("left");
    }
    std::hint::black_box(n) + 1
}

fn member(first: i64) {
    for n in first..first + 100 {
        if std::panic::catch_unwind(|| work(n)).is_ok() {
            CALLS.fetch_add(1, Ordering::SeqCst);
            SUM.fetch_add(n, Ordering::SeqCst);
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let threads: Vec<_> = (0..8).map(|i| std::thread::spawn(move || member(i * 100))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    println!("calls panics::work {} {}", CALLS.load(Ordering::SeqCst), SUM.load(Ordering::SeqCst));
}
RUST
if command -v rustc >/dev/null && rustc -g -O panics.rs -o panics 2>errors; then
	functions='panics::work'
	measured ./panics
	[ "$(ended tally.fathom)" = 'panics::work 640 160 0' ] || fail 'panics were not measured'
fi

# Go: refused by function.
cat >moves.go <<'GO'
package main

//go:noinline
func work(n int) int {
	return n + 1
}

func main() {
	println(work(1))
}
GO
if command -v go >/dev/null && HOME=$scratch go build -o moves moves.go 2>errors; then
	run 2 run -f main.work -- ./moves
	complains 'it is written in Go, which moves stacks'
	HOME=$scratch go build -ldflags=-w -o moves moves.go
	run 2 run -q -f main.work -- ./moves
	grep -q 'it is written in Go, which moves stacks' errors || fail 'without debug information Go is not told'
fi
exit 0
