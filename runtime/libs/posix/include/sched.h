/* sched.h - the C library's, with sets of CPUs, which are harts. */
#pragma GCC system_header
#include_next <sched.h>

#ifndef COHART_SCHED_H
#define COHART_SCHED_H

#define CPU_SETSIZE 512

typedef struct {
	unsigned char co_bits[CPU_SETSIZE / 8];
} cpu_set_t;

#define CPU_ZERO(set) ((void)(*(set) = (cpu_set_t){ { 0 } }))
#define CPU_SET(cpu, set) ((void)((set)->co_bits[(cpu) / 8] |= 1 << (cpu) % 8))
#define CPU_CLR(cpu, set) ((void)((set)->co_bits[(cpu) / 8] &= ~(1 << (cpu) % 8)))
#define CPU_ISSET(cpu, set) ((set)->co_bits[(cpu) / 8] >> (cpu) % 8 & 1)

#ifdef __cplusplus
extern "C" {
#endif
/* Of the calling thread, whatever pid is: it stays where it is, so other sets are EINVAL. */
int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);
int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *set);
int sched_getcpu(void);
int sched_yield(void);
/* There is one priority, 0, in every policy. */
int sched_get_priority_min(int policy);
int sched_get_priority_max(int policy);
#ifdef __cplusplus
}
#endif
#endif
