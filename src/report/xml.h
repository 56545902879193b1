/* Private to report/: text within XML. */
#ifndef FATHOM_REPORT_XML_H
#define FATHOM_REPORT_XML_H

#include <stdio.h>

/* Characters that XML has no place for become question marks. */
void xml_print(const char *text, FILE *out);

#endif
