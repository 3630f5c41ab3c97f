/* test_bytes.c - memcpy() and its kin: every alignment, every length to 130, and across a page. */
#include "harness/test.h"

enum { WORD = sizeof(uintptr_t), MOST = 130, ROOM = 256, PAGE = 4096 };

/* The ranges lie around a page's end. */
static alignas(PAGE) unsigned char to_pages[2 * PAGE], from_pages[2 * PAGE];
static unsigned char *const to_room = to_pages + PAGE - ROOM / 2;
static unsigned char *const from_room = from_pages + PAGE - ROOM / 2;

/* Byte by byte, whatever the compiler thinks of it. */
static void put(volatile unsigned char *at, unsigned i, unsigned value)
{
	at[i] = (unsigned char)value;
}

static unsigned get(const volatile unsigned char *at, unsigned i)
{
	return at[i];
}

static void fill(unsigned char *room, unsigned seed)
{
	for (unsigned i = 0; i < ROOM; i++)
		put(room, i, i * 7 + seed);
}

/* Bytes [at, at + n) of the room are those of `want`, which begins with byte `first`; no other has
 * changed. */
static bool is_copied(unsigned at, unsigned n, unsigned first, unsigned want_seed,
		      unsigned old_seed)
{
	for (unsigned i = 0; i < ROOM; i++) {
		unsigned want = i - at < n ? (first + i - at) * 7 + want_seed : i * 7 + old_seed;

		if (get(to_room, i) != (want & 0xff))
			return false;
	}
	return true;
}

TEST(a_copy_is_exact_at_every_alignment_and_length)
{
	fill(from_room, 3);
	for (unsigned t = 32; t < 32 + WORD; t++) {
		for (unsigned f = 32; f < 32 + WORD; f++) {
			for (unsigned n = 0; n <= MOST; n++) {
				fill(to_room, 101);
				CHECK(memcpy(to_room + t, from_room + f, n) == to_room + t);
				CHECK(is_copied(t, n, f, 3, 101));
			}
		}
	}
}

TEST(a_move_is_exact_whichever_way_the_ranges_overlap)
{
	for (unsigned f = 32; f < 32 + WORD; f++) {
		for (unsigned t = 8; t < 64; t++) {
			for (unsigned n = 0; n <= MOST; n += t % 3 + 1) {
				fill(to_room, 5);
				CHECK(memmove(to_room + t, to_room + f, n) == to_room + t);
				CHECK(is_copied(t, n, f, 5, 5));
			}
		}
	}
}

TEST(a_long_copy_is_exact)
{
	for (unsigned f = 0; f < WORD; f++) {
		for (unsigned n = PAGE - 3; n < PAGE + 3; n++) {
			for (unsigned i = 0; i < 2 * PAGE; i++)
				put(from_pages, i, i * 13 + i / 251);
			memset(to_pages, 0, sizeof(to_pages));
			memcpy(to_pages + 8, from_pages + f, n);
			CHECK_EQ(memcmp(to_pages + 8, from_pages + f, n), 0);
			for (unsigned i = 0; i < n; i++)
				CHECK(get(to_pages, 8 + i) == get(from_pages, f + i));
			CHECK_EQ(get(to_pages, 8 + n), 0);
		}
	}
}

TEST(a_range_is_set_at_every_alignment_and_length)
{
	for (unsigned t = 32; t < 32 + WORD; t++) {
		for (unsigned n = 0; n <= MOST; n++) {
			bool right = true;

			fill(to_room, 9);
			CHECK(memset(to_room + t, 0xa5, n) == to_room + t);
			for (unsigned i = 0; i < ROOM; i++)
				right &= get(to_room, i) ==
					 (i - t < n ? 0xa5 : ((i * 7 + 9) & 0xff));
			CHECK(right);
		}
	}
}

TEST(a_comparison_finds_the_first_byte_that_differs)
{
	for (unsigned a = 32; a < 32 + WORD; a++) {
		for (unsigned b = 32; b < 32 + WORD; b++) {
			for (unsigned n = 1; n <= MOST; n += 1 + n / 20) {
				fill(from_room, 0);
				fill(to_room,
				     7 * (b - a)); /* byte a of it is byte b of the other */
				CHECK_EQ(memcmp(to_room + a, from_room + b, n), 0);
				put(to_room, a + n - 1, get(to_room, a + n - 1) ^ 0x80);
				CHECK_EQ(memcmp(to_room + a, from_room + b, n) < 0,
					 get(to_room, a + n - 1) < get(from_room, b + n - 1));
				CHECK(memcmp(to_room + a, from_room + b, n) != 0);
				CHECK_EQ(memcmp(to_room + a, from_room + b, n - 1), 0);
			}
		}
	}
}

TEST(a_string_ends_at_its_first_zero)
{
	for (unsigned at = 0; at < 2 * WORD; at++) {
		for (unsigned n = 0; n <= MOST; n++) {
			for (unsigned i = 0; i < ROOM; i++) /* 1, 0x80, 0x81 and 0xff take turns */
				put(to_room, i, "\x01\x80\x81\xff"[i % 4]);
			put(to_room, at + n, 0);
			put(to_room, at + n + 1, 0);
			CHECK_EQ(strlen((char *)to_room + at), n);
		}
	}
}
