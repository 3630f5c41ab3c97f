/* sys/types.h - the C library's, with the types of threads. */
#pragma GCC system_header
#include_next <sys/types.h>
#include <sys/_pthreadtypes.h>
