/* sys/resource.h - resources used: time since power-on; all else is 0, or without a limit. */
#ifndef COHART_SYS_RESOURCE_H
#define COHART_SYS_RESOURCE_H

#include <sys/time.h>
#include <sys/types.h>

#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
#define RUSAGE_THREAD 1

struct rusage {
	struct timeval ru_utime;
	struct timeval ru_stime;
	long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss;
	long ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock;
	long ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};

typedef unsigned long rlim_t;
struct rlimit {
	rlim_t rlim_cur, rlim_max;
};

#define RLIM_INFINITY ((rlim_t)-1)
#define RLIMIT_CPU 0
#define RLIMIT_FSIZE 1
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_CORE 4
#define RLIMIT_NOFILE 7
#define RLIMIT_AS 9

#ifdef __cplusplus
extern "C" {
#endif
int getrusage(int who, struct rusage *use);
int getrlimit(int what, struct rlimit *limit);
int setrlimit(int what, const struct rlimit *limit);
#ifdef __cplusplus
}
#endif
#endif
