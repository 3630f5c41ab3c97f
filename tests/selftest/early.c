/* early.c - main() returns while others use what is in its frame: a batch, results, words. */
#define CO_TEST_NO_MAIN
#include "../harness/test.h"

#define EACH 6
#define WORDS 200

struct frame {
	struct co_batch batch;
	intptr_t results[EACH];
	uintptr_t words[WORDS];
};

/* Until it is asked to end; then main() has returned. */
static intptr_t look(void *arg)
{
	const volatile uintptr_t *words = ((struct frame *)arg)->words;
	unsigned changed = 0;

	CHECK_EQ(co_sleep_us(10000000), -ECANCELED);
	for (uintptr_t i = 0; i < WORDS; i++)
		changed += words[i] != i;
	CHECK_EQ(changed, 0);
	return 0;
}

int main(void)
{
	struct frame f = { 0 };

	for (uintptr_t i = 0; i < WORDS; i++)
		f.words[i] = i;
	for (int i = 0; i < EACH; i++) {
		if (co_batch_spawn(&f.batch, NULL, look, &f, &f.results[i]))
			return 1;
	}
	return co_batch_join_until(&f.batch, co_after_us(20000)) == -ETIMEDOUT ? 3 : 2;
}
