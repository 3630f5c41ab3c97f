/*
 * task.c - fuzzes the file of finished tasks: any bytes, and the same with sums that are right, so
 * that it is not the sums alone that refuse. What is taken down is within the sets, and written
 * again it is the same to the byte.
 */
#include "../../runtime/loops/task/log.c"

#include "../../runtime/loops/task/task.h"
#include "fuzz.h"

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

static void put_u32(uint8_t *at, uint32_t n)
{
	memcpy(at, &n, sizeof(n));
}

#define MOST 3000 /* tasks */

#define fprintf fuzz_complain
#include "../../runtime/loops/task/file.c"
#undef fprintf

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What the checkpoint writer would need: it has nothing to do here. */
#define NEVER(type, name, ...) \
	type name(__VA_ARGS__) \
	{                      \
		abort();       \
	}
NEVER(int, co_spawn, struct co **c, const struct co_attr *a, co_fn *fn, void *arg)
NEVER(int, co_join, struct co *c, intptr_t *result)
NEVER(void, co_cancel, struct co *c)
NEVER(void, co_pause, void)
NEVER(bool, co_cleanup_remove, struct co_cleanup *c)
NEVER(void, co_local_add, struct co_local *l, const void *k,
      void (*end)(struct co_local *l, struct co *of, enum co_cleanup_why why))
NEVER(int, co_sleep_until, uint64_t deadline)
NEVER(uint64_t, co_now, void)
NEVER(uint64_t, co_after_us, uint64_t us)
NEVER(unsigned, co_hart, void)
NEVER(int, co_mutex_lock, struct co_mutex *m)
NEVER(void, co_mutex_unlock, struct co_mutex *m)
NEVER(long, co_tasks_done, const struct co_tasks *t)

void co_assert_failed(const char *what, const char *file, int line)
{
	fuzz_broken(what, file, line);
	abort();
}

/* Whether by the file or by its own words, the head and the records are these. */
static void look(const struct co_tasks *t, long at, const uint8_t *bytes, size_t size)
{
	struct co_task_log log = { .total = (uint32_t)t->total, .tag = t->tag };
	unsigned char again[CO_TASK_LOG_HEAD];

	MUST(at >= CO_TASK_LOG_HEAD && (size_t)at <= size);
	co_task_log_begin(&log, again);
	MUST(log.sum == t->sum && memcmp(again, bytes, CO_TASK_LOG_HEAD) == 0);
	for (uint32_t i = 0; i < t->records; i++) {
		const uint8_t *record = bytes + CO_TASK_LOG_HEAD + i * CO_TASK_LOG_RECORD;

		co_task_log_put(&log, i, get_u32(record + 4), get_u32(record + 8), again);
		MUST(memcmp(again, record, CO_TASK_LOG_RECORD) == 0);
	}
	for (long task = 0; task < (long)(t->words * CO_TASKS_A_WORD); task++) {
		unsigned state = co_task_state(t, task);

		MUST(!state || (task < t->total && state == (CO_TASK_DONE | CO_TASK_WRITTEN)));
	}
}

static void read_it(uint8_t *bytes, size_t size)
{
	struct co_tasks t = { .total = 1, .file = "a file" };
	FILE *f = fmemopen(bytes, size, "rb");
	int r;

	if (size >= 16) {
		t.total = (get_u32(bytes + 8) - 1) % MOST + 1;
		t.tag = get_u32(bytes + 12);
	}
	t.words = (uint32_t)(t.total / CO_TASKS_A_WORD + 1);
	t.state = calloc(t.words, sizeof(*t.state));
	fuzz_complaints = 0;
	r = f ? read_file(&t, f) : 1;
	MUST(fuzz_complaints == (r < 0));
	if (r == 0)
		look(&t, end_of(&t), bytes, size);
	for (long task = 0; task < t.total && r; task++)
		MUST(!co_task_state(&t, task));
	free(t.state);
	if (f)
		fclose(f);
}

/* Make sums right, and a total that there can be. */
static void mend(uint8_t *bytes, size_t size)
{
	uint32_t sum;

	if (size < CO_TASK_LOG_HEAD)
		return;
	memcpy(bytes, magic, sizeof(magic));
	put_u32(bytes + 8, (get_u32(bytes + 8) - 1) % MOST + 1); /* as read_it() has it */
	put_u32(bytes + 16, CO_TASK_LOG_RECORD);
	sum = add_sum(0, bytes, 20);
	put_u32(bytes + 20, sum);
	for (size_t at = CO_TASK_LOG_HEAD; size - at >= CO_TASK_LOG_RECORD;
	     at += CO_TASK_LOG_RECORD)
		put_u32(bytes + at + 12, add_sum(sum, bytes + at, 12));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + !size);

	memcpy(bytes, data, size);
	read_it(bytes, size);
	mend(bytes, size);
	read_it(bytes, size);
	free(bytes);
	return 0;
}
