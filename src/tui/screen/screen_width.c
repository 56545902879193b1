/*
 * The columns of a character, independent of the locale: by Unicode (utf8proc), with the exceptions
 * that terminals agree on. A terminal may disagree about new characters, which misplaces a column,
 * no more.
 */
#include "screen_width.h"

#include <utf8proc.h>

/* Vowels and finals combine with the syllable before. */
enum { HANGUL_VOWELS = 0x1160, HANGUL_FINALS_END = 0x11ff };

enum columns screen_width_of(uint32_t character)
{
	switch (character) {
	case 0xad: /* SOFT HYPHEN: terminals show it */
		return COLUMNS_ONE;
	case 0x34f:  /* COMBINING GRAPHEME JOINER */
	case 0x115f: /* HANGUL FILLERS */
	case 0x3164:
	case 0xffa0:
		return COLUMNS_HIDDEN;
	}
	if (character >= HANGUL_VOWELS && character <= HANGUL_FINALS_END)
		return COLUMNS_MARK;
	switch (utf8proc_category(character)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
		return COLUMNS_HIDDEN;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_ME:
		return COLUMNS_MARK;
	default:
		return utf8proc_charwidth(character) > 1 ? COLUMNS_WIDE : COLUMNS_ONE;
	}
}
