/*
 * Sections of the manual page that have a file of their own.
 */
#pragma once

#include <stdio.h>

void document_keys(FILE *out);    /* on the explorer */
void document_session(FILE *out); /* on the session */
