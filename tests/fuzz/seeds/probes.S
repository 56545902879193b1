/*
 * USDT probes of a function that neither debug information nor symbols describe, written by hand: with an unlikely
 * part that jumps back, an area of landing pads, a jump through a linkage table and a tail call.
 */
	.macro	probe name, arguments
.Lat\@:	nop
	.pushsection .note.stapsdt, "", @note
	.balign	4
	.4byte	8, .Lend\@ - .Lbegin\@, 3
	.asciz	"stapsdt"
.Lbegin\@:
	.8byte	.Lat\@, base, 0
	.asciz	"base"
	.asciz	"\name"
	.asciz	"\arguments"
.Lend\@:
	.balign	4
	.popsection
	.endm

	.section .stapsdt.base, "a", @progbits
base:	.space	1

	.text
query:	.cfi_startproc
	.cfi_personality 0x1b, query
	.cfi_lsda 0x1b, area
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%edi, %ebx
	probe	begin, "-4@%ebx 8@-16(%rbp,%rcx,8) 1@$7 -2@base+4(%rip)"
	call	*%rsi
	test	%eax, %eax
	jne	unlikely
back:	probe	end, "8@%rax"
	pop	%rbx
	.cfi_def_cfa_offset 8
	cmp	$3, %edi
	je	other
	jmp	stub
	.cfi_endproc

	.globl	_start
_start:
other:	.cfi_startproc
	probe	many, "-4@$1"
	dec	%edi
	jne	other
	probe	many, "-4@$2"
	ret
	.cfi_endproc

stub:	.cfi_startproc
	endbr64
	jmp	*slot(%rip)
	.cfi_endproc

unlikely:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	xor	%eax, %eax
	probe	repaired, ""
	jmp	back
pad:	jmp	unlikely
	.cfi_endproc

	.section .gcc_except_table, "a"
area:	.byte	0xff, 0xff, 1, 8, 0, 2, pad - query, 0, 2, 2, 0, 0
	.data
slot:	.8byte	other
	.section .note.GNU-stack, "", @progbits
