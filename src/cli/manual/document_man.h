/*
 * Sections of the manual page in files of their own; document_man.c has the others.
 */
#pragma once

#include <stdio.h>

void document_keys(FILE *out);    /* on the explorer */
void document_session(FILE *out); /* on the session */
