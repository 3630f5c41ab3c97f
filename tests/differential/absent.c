/*
 * absent.c - functions that a board's library may lack: they are linked behind it, and do nothing.
 * What they say is not compared.
 */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define ABSENT(name)                         \
	__attribute__((weak)) int name(void) \
	{                                    \
		return 0;                    \
	}

ABSENT(basename)
ABSENT(dirname)
ABSENT(fnmatch)
ABSENT(regcomp)
ABSENT(regerror)
ABSENT(regexec)
ABSENT(regfree)
ABSENT(timegm)
/* What the library itself calls, and lacks. */
ABSENT(_jp2uc_l)
ABSENT(_uc2jp_l)
