/* empty.c - an image without a single case: nobody must take that for success. */
#include "../harness/test.h"
