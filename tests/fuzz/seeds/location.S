/*
 * A function whose locations are to be filled in: its frame base, a parameter, a member behind a pointer, and a
 * global are each 64 bytes of a marker, which fuzz_location.c finds and replaces. Behind each is an attribute
 * that takes up what an expression leaves over.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	endbr64
	nop
.Lbody:
	ret
	.cfi_endproc
.Lend:
	.size	_start, . - _start

	.macro	slot marker
	.byte	64
	.fill	64, 1, \marker
	.byte	0
	.endm

	.section .debug_abbrev, "", @progbits
.Labbrev:
	/* unit */
	.uleb128 1, 0x11
	.byte	1
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0
	/* subprogram: name, low, high, frame base, the rest */
	.uleb128 2, 0x2e
	.byte	1
	.uleb128 0x03, 0x08, 0x3f, 0x19, 0x11, 0x01, 0x12, 0x07, 0x40, 0x18, 0x2001, 0x0a, 0, 0
	/* parameter: name, type, location, the rest */
	.uleb128 3, 0x05
	.byte	0
	.uleb128 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0x2001, 0x0a, 0, 0
	/* base type: name, size, encoding */
	.uleb128 4, 0x24
	.byte	0
	.uleb128 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0
	/* structure: name, size */
	.uleb128 5, 0x13
	.byte	1
	.uleb128 0x03, 0x08, 0x0b, 0x0b, 0, 0
	/* member: name, type, location, the rest */
	.uleb128 6, 0x0d
	.byte	0
	.uleb128 0x03, 0x08, 0x49, 0x13, 0x38, 0x18, 0x2001, 0x0a, 0, 0
	/* pointer */
	.uleb128 7, 0x0f
	.byte	0
	.uleb128 0x0b, 0x0b, 0x49, 0x13, 0, 0
	/* variable: name, type, external, location, the rest */
	.uleb128 8, 0x34
	.byte	0
	.uleb128 0x03, 0x08, 0x49, 0x13, 0x3f, 0x19, 0x02, 0x18, 0x2001, 0x0a, 0, 0
	/* parameter at the frame base */
	.uleb128 9, 0x05
	.byte	0
	.uleb128 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0, 0
	.byte	0

	.section .debug_info, "", @progbits
.Lunit:
	.4byte	.Lunit_end - .Lunit_start
.Lunit_start:
	.2byte	5
	.byte	1, 8
	.4byte	.Labbrev
	.uleb128 1
	.string	"location.c"
	.8byte	_start
	.8byte	.Lend - _start

.Lint:
	.uleb128 4
	.string	"int"
	.byte	4, 5
.Ldouble:
	.uleb128 4
	.string	"double"
	.byte	8, 4
.Lrecord:
	.uleb128 5
	.string	"record"
	.byte	24
	.uleb128 6
	.string	"member"
	.4byte	.Lint - .Lunit
	slot	0xe2
	.byte	0
.Lpointer:
	.uleb128 7
	.byte	8
	.4byte	.Lrecord - .Lunit

	.uleb128 8
	.string	"global"
	.4byte	.Lrecord - .Lunit
	slot	0xe3

	.uleb128 2
	.string	"start"
	.8byte	_start
	.8byte	.Lend - _start
	slot	0xe0
	.uleb128 3
	.string	"number"
	.4byte	.Lint - .Lunit
	slot	0xe1
	.uleb128 3
	.string	"real"
	.4byte	.Ldouble - .Lunit
	slot	0xe1
	.uleb128 3
	.string	"pointer"
	.4byte	.Lpointer - .Lunit
	slot	0xe1
	.uleb128 3
	.string	"record"
	.4byte	.Lrecord - .Lunit
	slot	0xe1
	.uleb128 9
	.string	"local"
	.4byte	.Lint - .Lunit
	.uleb128 2
	.byte	0x91
	.sleb128 -20
	.byte	0
	.byte	0
.Lunit_end:
	.section .note.GNU-stack, "", @progbits
