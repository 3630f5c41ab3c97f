/*
 * trap.c - hal/trap.h for threads: signals that the processor's faults become.
 *
 * Source: sigaction(2); Intel SDM 3A, 4.7 (the page fault's error code).
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <hal/console.h>
#include <hal/context.h>
#include <hal/host.h>
#include <hal/trap.h>

#include "host.h"

#define TRAP_STACK_BYTES (256u << 10)

/* Bits of a page fault's error code. */
#define ERR_WRITE 2u
#define ERR_FETCH 16u

struct hal_trap {
	uintptr_t pc, sp, fp, ra;
	uintptr_t address;
	bool has_address;
	const char *cause;
	const greg_t *all;
	uintptr_t leave_to, leave_fn; /* a stack, and a function to run there; or 0 */
};

/* A signal would do, but not where sanitizers look on. */
bool hal_trap_is_alarm(const struct hal_trap *t)
{
	(void)t;
	return false;
}

uintptr_t hal_trap_pc(const struct hal_trap *t)
{
	return t->pc;
}

uintptr_t hal_trap_sp(const struct hal_trap *t)
{
	return t->sp;
}

uintptr_t hal_trap_fp(const struct hal_trap *t)
{
	return t->fp;
}

uintptr_t hal_trap_ra(const struct hal_trap *t)
{
	return t->ra;
}

const char *hal_trap_cause(const struct hal_trap *t)
{
	return t->cause;
}

bool hal_trap_address(const struct hal_trap *t, uintptr_t *addr)
{
	if (t->has_address)
		*addr = t->address;
	return t->has_address;
}

const char *hal_trap_register(const struct hal_trap *t, unsigned i, uintptr_t *value)
{
	static const char *const name[] = { "r8",  "r9",  "r10", "r11", "r12", "r13",
					    "r14", "r15", "rdi", "rsi", "rbp", "rbx",
					    "rdx", "rax", "rcx", "rsp", "rip" };

	if (i >= sizeof(name) / sizeof(*name))
		return NULL;
	*value = (uintptr_t)t->all[REG_R8 + i];
	return name[i];
}

void hal_trap_leave(struct hal_trap *t, uintptr_t stack_top, void (*fn)(void))
{
	t->leave_to = stack_top;
	t->leave_fn = (uintptr_t)fn;
}

static const char *cause_of(int signal, unsigned long err)
{
	switch (signal) {
	case SIGILL:
		return "illegal instruction";
	case SIGFPE:
		return "integer division by zero, or its result does not fit";
	case SIGTRAP:
		return "breakpoint";
	case SIGBUS:
		return "load or store where there is no memory";
	}
	if (err & ERR_FETCH)
		return "instruction fetch from an address that is not executable";
	return err & ERR_WRITE ? "store to an address that is not mapped, or read-only"
			       : "load from an address that is not mapped";
}

/*
 * The word on top of the stack: the return address if the function has no frame. The kernel reads
 * it, since an access to the stack may have been the fault.
 */
static uintptr_t top_of_stack(uintptr_t sp)
{
	uintptr_t word = 0;
	struct iovec to = { &word, sizeof(word) };
	struct iovec from = { (void *)sp, sizeof(word) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof(word) ? word : 0;
}

static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
#define SIGNALS (sizeof(signals) / sizeof(*signals))

/* While one is handled the kernel blocks it, and a sanitizer all of them. */
static void unblock(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaddset(&set, signals[i]);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/*
 * A fault in here comes here, too, and makes its report; for one in that, nothing that was used can
 * be trusted any more.
 */
static void take(int signal, siginfo_t *info, void *context)
{
	static _Thread_local unsigned taking;
	ucontext_t *u = context;
	greg_t *r = u->uc_mcontext.gregs;
	struct hal_trap t = {
		.all = r,
		.pc = (uintptr_t)r[REG_RIP],
		.sp = (uintptr_t)r[REG_RSP],
		.fp = (uintptr_t)r[REG_RBP],
		.ra = top_of_stack((uintptr_t)r[REG_RSP]),
		.address = (uintptr_t)info->si_addr,
		.has_address = signal == SIGSEGV || signal == SIGBUS,
		.cause = cause_of(signal, (unsigned long)r[REG_ERR]),
	};

	if (taking++ > 1) {
		dprintf(STDOUT_FILENO,
			"\nfault in the fault handler: no report can be had\n"
			"  pc 0x%lx  address 0x%lx  sp 0x%lx\n",
			t.pc, t.address, t.sp);
		hal_host_exit(1);
	}
	unblock();
	co_trap(&t);
	taking = 0; /* from an inner fault, too: the outer one's handling is left for good */
	if (!t.leave_to)
		return;
	/* As if called on the new stack, which is where hal_context_begin() may be. */
	r[REG_RIP] = (greg_t)(uintptr_t)hal_context_begin;
	r[REG_RSP] = (greg_t)(t.leave_to - sizeof(uintptr_t));
	r[REG_RBP] = 0;
	r[REG_RDI] = (greg_t)t.leave_to;
	r[REG_RSI] = (greg_t)t.leave_fn;
}

void hal_host_take_faults(void)
{
	struct sigaction action = { .sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_size = TRAP_STACK_BYTES };

	stack.ss_sp = mmap(NULL, TRAP_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp != MAP_FAILED)
		sigaltstack(&stack, NULL);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &action, NULL);
}
