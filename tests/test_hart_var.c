/* test_hart_var.c - variables that each hart has one of: the file that uses one declares it. */
#include "../runtime/core/core.h"
#include "../runtime/core/hart_var.h"
#include "harness/test.h"

#define BUFFER 256

CO_HART_VAR(struct co_a32, hits);
CO_HART_VAR(uint64_t[3], triple);
CO_HART_BUFFER(unsigned char[BUFFER], scratch);

static intptr_t hit_next(void *arg)
{
	unsigned next = (co_hart() + 1) % co_harts();

	co_atomic_add(co_hart_var(hits, next), (uint32_t)(uintptr_t)arg, CO_RELAXED);
	return 0;
}

TEST(each_hart_has_its_own_and_others_reach_it)
{
	for (unsigned h = 0; h < co_harts(); h++) {
		CHECK_EQ(co_atomic_load(co_hart_var(hits, h), CO_RELAXED), 0);
		CHECK_EQ(co_spm_hart(co_hart_var(hits, h)), h);
	}
	for (unsigned h = 0; h < co_harts(); h++)
		test_join(test_spawn_on(h, hit_next, (void *)(uintptr_t)(h + 1)));
	for (unsigned h = 0; h < co_harts(); h++) {
		CHECK_EQ(co_atomic_load(co_hart_var(hits, h), CO_RELAXED),
			 (h + co_harts() - 1) % co_harts() + 1);
		co_atomic_store(co_hart_var(hits, h), 0, CO_RELAXED);
	}
}

TEST(it_lies_in_the_public_part_below_the_heap)
{
	unsigned char *heap = co_spm_alloc(64, 64);
	unsigned self = co_hart();

	REQUIRE(heap);
	CHECK((uintptr_t)co_hart_var(triple, self) % alignof(uint64_t) == 0);
	CHECK(co_spm_shared(co_hart_var(triple, self), sizeof(uint64_t[3])));
	CHECK((uintptr_t)co_hart_var(triple, self) < (uintptr_t)heap);
	CHECK((uintptr_t)co_hart_var(triple, self) >=
	      (uintptr_t)co_spm_base(self) + sizeof(struct co_hart));
	co_spm_free(heap);
}

TEST(a_buffer_is_shared_and_overlaps_no_other_hart)
{
	for (unsigned h = 0; h < co_harts(); h++) {
		CHECK(co_spm_shared(co_hart_buffer(scratch, h), BUFFER));
		CHECK_EQ(co_hart_owning(co_hart_buffer(scratch, h)), h);
		memset(*co_hart_buffer(scratch, h), (int)h, BUFFER);
	}
	for (unsigned h = 0; h < co_harts(); h++) {
		for (unsigned i = 0; i < BUFFER; i++)
			REQUIRE((*co_hart_buffer(scratch, h))[i] == (unsigned char)h);
		memset(*co_hart_buffer(scratch, h), 0, BUFFER);
	}
}

TEST(the_division_of_the_window_names_it)
{
	unsigned n = 0;
	const struct co_spm_part *part = co_spm_parts(&n), *end = part + n;

	while (part < end && strcmp(part->name, "triple") != 0)
		part++;
	REQUIRE(part < end);
	CHECK((uintptr_t)co_spm_base(0) + part->offset == (uintptr_t)co_hart_var(triple, 0));
	CHECK(part->bytes >= sizeof(uint64_t[3]) && part->is_public);
}
