/* Escapes of XML. */
#include "report/xml.h"

void xml_print(const char *text, FILE *out)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < 0x20 && *text != '\n' ? '?' : *text, out);
			break;
		}
}
