/* host.c - host.h for boards with and without a host, but for files. */
#include <errno.h>
#include <string.h>

#include <cohart/atomic.h>
#include <hal/board.h>
#include <hal/console.h>
#include <hal/cpu.h>
#include <hal/host.h>
#include <hal/semihost.h>

static bool answers;
static bool seeking;

void hal_host_find(void)
{
	answers = hal_semihost_exit; /* a board may be without the driver */
	if (!answers)
		return;
	seeking = true;
	hal_semihost(HAL_SYS_ERRNO, NULL);
	seeking = false;
}

bool hal_host_trapped(struct hal_trap *t)
{
	if (!seeking || !hal_semihost_trapped(t))
		return false;
	answers = false;
	return true;
}

bool hal_host_answers(void)
{
	return answers;
}

int hal_host_command_line(char *buf, size_t bytes)
{
	static const char name[] = "image ";
	const char *words = hal_board.words ?: hal_built_in_words ?: "";
	size_t n = strlen(words);

	if (answers)
		return hal_semihost_command_line(buf, bytes);
	if (bytes < sizeof(name) || n > bytes - sizeof(name)) {
		*buf = '\0';
		return -E2BIG;
	}
	memcpy(buf, name, sizeof(name));
	memcpy(buf + sizeof(name) - 1, words, n + 1);
	return (int)(n + sizeof(name) - 1);
}

int64_t hal_host_time(void)
{
	return answers ? hal_semihost_time() : -ENOSYS;
}

void hal_host_exit(int code)
{
	char line[sizeof(HAL_HOST_EXIT_LINE) + 4] = HAL_HOST_EXIT_LINE;
	char *to = line + sizeof(HAL_HOST_EXIT_LINE) - 1;
	static struct co_a32 ended;

	if (answers)
		hal_semihost_exit(code);
	/* relaxed: one hart, the first, has the console. */
	if (co_atomic_swap(&ended, 1, CO_RELAXED))
		hal_cpu_halt();
	code &= 0xff;
	if (code > 99)
		*to++ = (char)('0' + code / 100);
	if (code > 9)
		*to++ = (char)('0' + code / 10 % 10);
	*to++ = (char)('0' + code % 10);
	*to++ = '\n';
	hal_console_write(line, (size_t)(to - line));
	if (hal_board.end)
		hal_board.end(hal_board.end_by, code);
	hal_cpu_halt();
}
