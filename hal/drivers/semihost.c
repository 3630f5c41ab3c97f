/*
 * semihost.c - the host's files, clock, command line and exit, asked for through one trap.
 *
 * Argument blocks are words on the stack of the caller, which must be on a stack that the host can
 * read: the debugger and the emulator see all memory that this hart sees.
 * Source: Arm "Semihosting for AArch32 and AArch64" 2.0, section 6; "RISC-V Semihosting" 0.4.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <hal/host.h>
#include <hal/semihost.h>

#define STOPPED_APPLICATION_EXIT 0x20026
#define MODES 12

/*
 * Hosts answer SYS_ERRNO with their own numbers. All that exist agree up to ERANGE (34); beyond it
 * Linux's are translated to this C library's.
 */
static int errno_of_host(intptr_t host)
{
	static const struct {
		unsigned char host;
		unsigned char here;
	} other[] = {
		{ 36, ENAMETOOLONG }, { 38, ENOSYS },    { 39, ENOTEMPTY },
		{ 40, ELOOP },        { 75, EOVERFLOW }, { 95, EOPNOTSUPP },
	};

	if (host > 0 && host <= ERANGE)
		return (int)host;
	for (unsigned i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (host == other[i].host)
			return other[i].here;
	return EIO;
}

/* Why the last call failed, as a negative errno number; never 0. */
static int last_error(void)
{
	return -errno_of_host(hal_semihost(HAL_SYS_ERRNO, NULL));
}

static int status(intptr_t r)
{
	return r == 0 ? 0 : last_error();
}

int hal_host_open(const char *path, unsigned mode)
{
	uintptr_t block[3] = { (uintptr_t)path, mode, strlen(path) };
	intptr_t handle;

	if (mode >= MODES || !*path)
		return mode >= MODES ? -EINVAL : -ENOENT;
	handle = hal_semihost(HAL_SYS_OPEN, block);
	return handle < 0 || handle > INT_MAX ? last_error() : (int)handle;
}

int hal_host_close(int handle)
{
	uintptr_t block[1] = { (uintptr_t)handle };

	return status(hal_semihost(HAL_SYS_CLOSE, block));
}

/*
 * Both transfers answer with the bytes that were not moved. A host that failed answers -1, or all
 * bytes; the latter is also its answer at the end of a file, which is no error.
 */
static intptr_t transfer(enum hal_semihost_op op, int handle, uintptr_t buf, size_t bytes)
{
	uintptr_t block[3] = { (uintptr_t)handle, buf, bytes };
	intptr_t left;

	if (bytes == 0)
		return 0;
	left = hal_semihost(op, block);
	if (left < 0 || (size_t)left > bytes)
		return last_error();
	return (intptr_t)bytes - left;
}

intptr_t hal_host_read(int handle, void *buf, size_t bytes)
{
	return transfer(HAL_SYS_READ, handle, (uintptr_t)buf, bytes);
}

intptr_t hal_host_write(int handle, const void *buf, size_t bytes)
{
	return transfer(HAL_SYS_WRITE, handle, (uintptr_t)buf, bytes);
}

int hal_host_seek(int handle, size_t offset)
{
	uintptr_t block[2] = { (uintptr_t)handle, offset };

	return status(hal_semihost(HAL_SYS_SEEK, block));
}

intptr_t hal_host_length(int handle)
{
	uintptr_t block[1] = { (uintptr_t)handle };
	intptr_t length = hal_semihost(HAL_SYS_FLEN, block);

	return length < 0 ? last_error() : length;
}

int hal_host_remove(const char *path)
{
	uintptr_t block[2] = { (uintptr_t)path, strlen(path) };

	return status(hal_semihost(HAL_SYS_REMOVE, block));
}

int hal_host_rename(const char *from, const char *to)
{
	uintptr_t block[4] = { (uintptr_t)from, strlen(from), (uintptr_t)to, strlen(to) };

	return status(hal_semihost(HAL_SYS_RENAME, block));
}

int64_t hal_semihost_time(void)
{
	intptr_t now = hal_semihost(HAL_SYS_TIME, NULL);

	return now < 0 ? -EIO : now;
}

/*
 * The host refuses a buffer that is too small and then writes nothing, so a long command line
 * cannot be cut here: it is reported, and the buffer holds an empty one. One that fills it to the
 * last byte without an end may have been cut by the host.
 */
int hal_semihost_command_line(char *buf, size_t bytes)
{
	uintptr_t block[2] = { (uintptr_t)buf, bytes };

	if (bytes == 0)
		return -EINVAL;
	buf[0] = buf[bytes - 1] = '\0';
	if (hal_semihost(HAL_SYS_GET_CMDLINE, block) != 0 || buf[bytes - 1]) {
		buf[0] = '\0';
		return -E2BIG;
	}
	return (int)strlen(buf);
}

void hal_semihost_exit(int code)
{
	uintptr_t block[2] = { STOPPED_APPLICATION_EXIT, (uintptr_t)code };

	hal_semihost(HAL_SYS_EXIT_EXTENDED, block);
}
