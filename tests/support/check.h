/* cmocka with what it needs before it. */
#ifndef FATHOM_TESTS_CHECK_H
#define FATHOM_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
