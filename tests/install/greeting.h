/* greeting.h - a header of the program's own. */
#define GREETING "hello from hart %u, %d"
