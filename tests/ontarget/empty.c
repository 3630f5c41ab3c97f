/* empty.c - an image with the header, and no case. */
#include <cohart/test.h>
