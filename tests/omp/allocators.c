/*
 * allocators.c - allocators: alignment, pools that are full, variables of regions. The output
 * equals libgomp's.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static omp_allocator_handle_t make(size_t align, size_t pool, omp_uintptr_t fallback,
				   omp_allocator_handle_t other)
{
	omp_alloctrait_t traits[] = { { omp_atk_alignment, align },
				      { omp_atk_pool_size, pool },
				      { omp_atk_fallback, fallback },
				      { omp_atk_fb_data, other },
				      { omp_atk_access, omp_atv_default } };

	return omp_init_allocator(omp_default_mem_space, 5, traits);
}

static int is_aligned(const void *p, uintptr_t align)
{
	return p && (uintptr_t)p % align == 0;
}

static void traits(void)
{
	omp_alloctrait_t odd = { omp_atk_alignment, 24 }, no = { omp_atk_fallback, omp_atv_false };

	printf("traits that make no sense: %d %d\n",
	       omp_init_allocator(omp_default_mem_space, 1, &odd) == omp_null_allocator,
	       omp_init_allocator(omp_default_mem_space, 1, &no) == omp_null_allocator);
}

static void pools(void)
{
	omp_allocator_handle_t a = make(256, 4096, omp_atv_null_fb, omp_null_allocator);
	omp_allocator_handle_t b = make(64, 1000, omp_atv_allocator_fb, a);
	char *p = omp_alloc(2000, a), *q, *r, *s;

	q = omp_alloc(3000, a);
	r = omp_alloc(900, b);
	s = omp_alloc(1000, b); /* is of a's pool */
	printf("full: %d %d, next: %d %d\n", is_aligned(p, 256), q == NULL, is_aligned(r, 64),
	       is_aligned(s, 256));
	memset(p, 'p', 2000);
	p = omp_realloc(p, 3000, a, a);
	printf("grown: %d %c %c\n", p != NULL, p ? p[0] : '-', p ? p[1999] : '-');
	omp_free(p, a);
	omp_free(s, omp_null_allocator);
	q = omp_alloc(3000, a);
	printf("free again: %d\n", is_aligned(q, 256));
	omp_free(q, a);
	omp_free(r, b);
	omp_destroy_allocator(b);
	omp_destroy_allocator(a);
}

static void calls(void)
{
	omp_allocator_handle_t a = make(32, omp_atv_default, omp_atv_default, omp_null_allocator);
	volatile size_t many = SIZE_MAX / 2;
	int *p = omp_calloc(100, sizeof(int), a), sum = 0;
	char *q = omp_aligned_alloc(512, 100, omp_default_mem_alloc),
	     *r = omp_aligned_calloc(128, 3, 100, omp_null_allocator);

	for (int i = 0; i < 100; i++)
		sum += p[i];
	for (int i = 0; i < 300; i++)
		sum += r[i];
	printf("calls: %d %d %d %d\n", sum, is_aligned(p, 32), is_aligned(q, 512),
	       is_aligned(r, 128));
	omp_free(p, a);
	omp_free(q, omp_null_allocator);
	omp_free(r, omp_default_mem_alloc);
	printf("none: %d, too many: %d\n", omp_alloc(0, a) == NULL,
	       omp_calloc(many, 16, a) == NULL);
	omp_set_default_allocator(a);
	printf("default: %d %d\n", omp_get_default_allocator() == a,
	       is_aligned(p = omp_alloc(10, omp_null_allocator), 32));
	omp_free(p, omp_null_allocator);
	omp_set_default_allocator(omp_default_mem_alloc);
	omp_destroy_allocator(a);
}

static void regions(void)
{
	omp_allocator_handle_t a = make(128, 1 << 20, omp_atv_abort_fb, omp_null_allocator);
	int x = 7, wrong = 0, sum = 0, y[50] = { 1, 2, 3 };

#pragma omp parallel allocate(a : x, y) firstprivate(x, y) reduction(+ : wrong, sum)
	{
		wrong += !is_aligned(&x, 128) || !is_aligned(y, 128) || y[2] != 3;
		x += omp_get_thread_num();
		sum += x;
	}
	printf("regions: %d wrong, sum %d\n", wrong, sum);
	omp_destroy_allocator(a);
}

int main(void)
{
	omp_set_num_threads(4);
	traits();
	pools();
	calls();
	regions();
	return 0;
}
