#!/bin/bash
# USDT probes of programs without debug information or symbols: which function has them is known from .eh_frame,
# and which unlikely parts belong to it from its jumps.
. "$(dirname "$0")/lib"

cat >probes.c <<'E2'
#define NOTE(name, arguments)                                                                                        \
	"990: nop\n.pushsection .note.stapsdt,\"\",@note\n.balign 4\n.4byte 992f-991f,994f-993f,3\n"                   \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n"                 \
	".asciz \"base\"\n.asciz \"" name "\"\n.asciz \"" arguments "\"\n994: .balign 4\n.popsection\n"                \
	".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"              \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.popsection\n.endif\n"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) static void spend(int n) { for (int i = 0; i < n * 1000; i++) sink = sink + i; }
__attribute__((noinline, cold)) static void repair(int n) { spend(n); }
/* Its unlikely part comes back: no call is lost there. */
__attribute__((noinline)) int query(int rows, int broken, int early)
{
	int found = rows;
	__asm__ volatile(NOTE("begin", "-4@%0 8@$7") : : "nor"(rows));
	spend(rows);
	if (__builtin_expect(broken, 0)) {
		repair(rows);
		__asm__ volatile(NOTE("repaired", "-4@%0") : : "nor"(rows));
		found += broken * 2;
		repair(found);
	}
	if (early)
		return found;
	spend(1);
	__asm__ volatile(NOTE("end", ""));
	spend(1);
	return found + rows;
}
/* Leaves by a tail call, to another function and through the linkage table. */
__attribute__((noinline)) void last(void *block, int n)
{
	__asm__ volatile(NOTE("last", "-4@%0") : : "nor"(n));
	spend(n);
	free(block);
}
__attribute__((noinline)) int other(int n)
{
	spend(n);
	__asm__ volatile(NOTE("elsewhere", ""));
	return n;
}
/* A probe that the code has three times, twice in one function. */
__attribute__((noinline)) void first(int n)
{
	if (n % 3 == 0) {
		__asm__ volatile(NOTE("many", "-4@$1"));
		spend(1);
	} else {
		__asm__ volatile(NOTE("many", "-4@$2"));
		spend(2);
	}
	__asm__ volatile(NOTE("done", ""));
	spend(1);
}
__attribute__((noinline)) void second(void)
{
	__asm__ volatile(NOTE("many", "-4@$3"));
	spend(3);
	__asm__ volatile(NOTE("done", ""));
	spend(1);
}
int main(void)
{
	for (volatile int i = 0; i < 60; i++) {
		query(i % 20 + 1, i % 10 == 3, i % 4 == 1);
		last(malloc(100), i % 5);
		other(1);
		first(i);
		second();
	}
}
E2

counts() {
	found=$(sqlite3 "$1" "SELECT calls || ' ' || abandoned FROM account JOIN function ON function = function.id WHERE name = '$2'")
	[ "$found" = "$3 $4" ] || fail "$1: $2: ended and lost: $found, not $3 $4"
}
for options in '-O0 -no-pie -fno-pie' '-O2 -fno-pie -no-pie' '-O2 -fomit-frame-pointer'; do
	cc $options -o probes probes.c 2>warnings || fail "the program cannot be built: $(head -n 5 warnings)"
	strip -s probes
	profile=probes${options// /}.fathom
	run 0 run -q -f 'usdt:base:begin..end' -f usdt:base:last -f usdt:base:repaired --max-overhead none -o "$profile" -- ./probes
	counts "$profile" usdt:base:begin..end 45 15
	counts "$profile" usdt:base:last 60 0
	counts "$profile" usdt:base:repaired 6 0
	found=$(sqlite3 "$profile" "SELECT min(\"\$arg1\") || ' ' || max(\"\$arg1\") || ' ' || sum(\"\$arg1\") || ' ' || max(\"\$arg2\") FROM \"usdt:base:begin..end\"")
	[ "$found" = '1 20 480 7' ] || fail "$options: other arguments: $found"
	[ "$(sqlite3 "$profile" "SELECT group_concat(DISTINCT \"\$arg1\") FROM \"usdt:base:last\"")" = 0,1,2,3,4 ] || fail "$options: other arguments of last"
	for many in many many..done; do
		run 0 run -q --no-models -f "usdt:base:$many" --max-overhead none -o "$many$profile" -- ./probes
		found=$(sqlite3 "$many$profile" "SELECT group_concat(calls) FROM (SELECT calls FROM account ORDER BY calls)")
		[ "$found" = 20,40,60 ] || fail "$options: calls of $many: $found"
		for site in 1 2 3; do # each with its own arguments
			found=$(sqlite3 "$many$profile" "SELECT group_concat(DISTINCT (SELECT count(*) FROM \"usdt:base:$many#$site\" AS b WHERE b.\"\$arg1\" = a.\"\$arg1\") || ' of ' || \"\$arg1\") FROM \"usdt:base:$many#$site\" AS a")
			echo "$found" >>"found$many$profile"
		done
		[ "$(sort -u "found$many$profile" | tr '\n' ,)" = '20 of 1,40 of 2,60 of 3,' ] || fail "$options: arguments of $many: $(cat "found$many$profile")"
	done
	run 0 run -q --no-models -f usdt:base:many#2 --max-overhead none -o "one$profile" -- ./probes
	[ "$(sqlite3 "one$profile" "SELECT group_concat(name) FROM function")" = usdt:base:many#2 ] || fail "$options: not the second place alone"
done
run 0 list ./probes usdt:base:begin..end --features
says '$arg1'
grep -q '\$rdi' output && fail 'registers of parameters are read in the middle of a function'
run 0 list ./probes usdt:base:begin..end --features --feature '$arg1'
run 2 list ./probes usdt:base:begin..end --features --feature '$arg3'
complains "has no feature '\$arg3'"
run 2 list ./probes usdt:base:begin..elsewhere
complains 'it begins in the function at 0x'
run 2 list ./probes usdt:base:begin..never
complains 'usdt:base has no probe never'
for wrong in many#4 many#0 many# 'many..done#x' last#2; do
	run 2 list ./probes usdt:base:$wrong
	complains 'the code has it'
done
run 2 list ./probes usdt:nobody:begin
complains 'there are no probes of that provider'
run 2 list ./probes query
complains 'has no debug information'
objcopy --remove-section=.eh_frame --remove-section=.eh_frame_hdr probes without 2>warnings
run 2 list ./without usdt:base:begin..end
complains 'it begins in no known function'
# .eh_frame that has jumps lead to thousands of entries, whose areas of landing pads are one.
cat >hostile.S <<'E3'
	.globl _start
	.text
_start:	.cfi_startproc
begin:	nop
	.rept 2000
	jmp nowhere
	.endr
end:	ret
	.cfi_endproc
	.rept 2000
	.cfi_startproc
	.cfi_personality 0x1b, _start
	.cfi_lsda 0x1b, area
	nop
	.cfi_endproc
	.endr
nowhere: nop
	.section .gcc_except_table, "a"
area:	.byte 0xff, 0xff, 1
	.uleb128 8000
	.fill 2000, 4, 0x01000000
	.macro note name
	.4byte 8, 2f - 1f, 3
	.asciz "stapsdt"
1:	.8byte \name, 0, 0
	.asciz "base"
	.asciz "\name"
	.asciz ""
2:	.balign 4
	.endm
	.section .note.stapsdt, "", @note
	note begin
	note end
E3
cc -nostdlib -static -s -o hostile hostile.S || fail 'the hostile program cannot be built'
(ulimit -t 10; exec "$fathom" list ./hostile usdt:base:begin..end) >output 2>errors || fail 'a program of 75 kB takes more than 10 s'
