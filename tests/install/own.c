/* own.c - a program with functions of its own that POSIX has, too, and files by the C library. */
#include <stdio.h>

/* As pthread.h has them, which brings the names below along. */
int pthread_create(void **thread, const void *attributes, void *(*fn)(void *), void *arg);
int pthread_join(void *thread, void **result);

#define OWN(name)                     \
	int name(void);               \
	int name(void)                \
	{                             \
		return sizeof(#name); \
	}

/* clang-format off */
OWN(close) OWN(fstat) OWN(getpid) OWN(gettimeofday) OWN(isatty) OWN(kill) OWN(lseek)
OWN(nanosleep) OWN(open) OWN(posix_memalign) OWN(read) OWN(sleep) OWN(times)
OWN(unlink) OWN(usleep) OWN(write) OWN(stat) OWN(sysconf) OWN(uname) OWN(getdelim) OWN(sem_post)
	/* clang-format on */

	static int (*const own[])(void) = { close,         fstat,   getpid, gettimeofday, isatty,
					    kill,          lseek,   open,   read,         nanosleep,
					    sleep,         times,   unlink, usleep,       write,
					    stat,          sysconf, uname,  getdelim,     sem_post,
					    posix_memalign };
static const char names[] = "close fstat getpid gettimeofday isatty kill lseek open read nanosleep "
			    "sleep times unlink usleep write stat sysconf uname getdelim "
			    "sem_post posix_memalign ";

static void *run(void *arg)
{
	int sum = 0;

	for (unsigned i = 0; i < sizeof(own) / sizeof(*own); i++)
		sum += own[i]();
	printf("hello from a thread\n");
	*(int *)arg = sum;
	return NULL;
}

int main(void)
{
	static int sum;
	void *t;

	if (pthread_create(&t, NULL, run, &sum) || pthread_join(t, NULL))
		return 1;
	return sum == sizeof(names) - 1 ? 42 : 1;
}
