/* console.c - hal/console.h for a program on the host: standard input and output. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/uio.h>
#include <unistd.h>

#include <hal/console.h>
#include <hal/ipi.h>

#include "host.h"

static sem_t wanted;

void hal_console_write(const char *s, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(STDOUT_FILENO, s, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		s += n;
		bytes -= (size_t)n;
	}
}

/* Sleep until there is input, or its end; 0: no longer than it takes to look. */
static bool is_there(int timeout)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };

	return poll(&in, 1, timeout) > 0;
}

size_t hal_console_read(char *s, size_t bytes)
{
	char data[256];
	/* readv() is read() under a name that the runtime does not take for the program's. */
	struct iovec v = { data, bytes / 2 < sizeof(data) ? bytes / 2 : sizeof(data) };
	size_t used = 0;
	ssize_t n;

	if (!is_there(0))
		return 0;
	n = readv(STDIN_FILENO, &v, 1);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		s[used++] = HAL_CONSOLE_EOT;
	for (ssize_t i = 0; i < n; i++) {
		if (data[i] == HAL_CONSOLE_EOT || data[i] == HAL_CONSOLE_DLE)
			s[used++] = HAL_CONSOLE_DLE;
		s[used++] = data[i];
	}
	return used;
}

/* A thread that is no hart: it rings hart 0, once each time that it is wanted. */
static void *watch(void *unused)
{
	for (;;) {
		if (sem_wait(&wanted) == 0) {
			while (!is_there(-1))
				;
			hal_ipi_ring(hal_ipi_doorbell(0));
		}
	}
	return unused;
}

void hal_console_listen(bool on)
{
	static bool started;
	pthread_t thread;
	int already;

	if (!on)
		return; /* it has rung, or will to no harm */
	if (!started) {
		started = true;
		sem_init(&wanted, 0, 0);
		if (pthread_create(&thread, NULL, watch, NULL))
			_exit(1);
		pthread_detach(thread);
	}
	sem_getvalue(&wanted, &already);
	if (!already)
		sem_post(&wanted);
}
