# A function with a language-specific data area, and a table of 4-byte offsets, written by hand.
	.text
	.globl _start
	.type _start, @function
_start:
	.cfi_startproc
	.cfi_personality 0x1b, _start
	.cfi_lsda 0x1b, area
	lea table(%rip), %rdx
	movslq (%rdx,%rdi,4), %rax
	add %rdx, %rax
	jmp *%rax
first:	xor %eax, %eax
second:	add %esi, %eax
	ret
	.cfi_endproc
	.size _start, . - _start

	.section .rodata
	.p2align 2
table:	.long first - table, second - table

	.section .gcc_except_table, "a"
area:	.byte 0xff, 0xff, 1, 4, 0, 2, 2, 0
	.section .note.GNU-stack, "", @progbits
