/*
 * containers.c - the parts of GCC's C++ library that its containers call out of line: the
 * red-black tree of std::map and std::set, the links of std::list, and how many buckets
 * std::unordered_map has. Weak, since a C++ library has all of it.
 * Source: red-black trees as in Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "cxx.h"

/* ---- Trees ---- */

enum color { RED, BLACK };

/*
 * std::_Rb_tree_node_base. The header is no element: its parent is the root, its children are the
 * first and the last element, and it is red; the root is black, and its parent is the header.
 */
struct node {
	enum color color;
	struct node *parent, *child[2];
};

static struct node *outermost(struct node *x, bool side)
{
	while (x->child[side])
		x = x->child[side];
	return x;
}

/* The neighbour of x in the order of the elements. */
static struct node *step(struct node *x, bool side)
{
	struct node *up;

	if (x->child[side])
		return outermost(x->child[side], !side);
	for (up = x->parent; x == up->child[side]; up = up->parent)
		x = up;
	/* From the root x has come to the header, if there is nothing on that side of the root. */
	return x->child[side] != up ? up : x;
}

REPLACEABLE struct node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(struct node *x)
{
	return step(x, true);
}

REPLACEABLE const struct node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(struct node *x)
{
	return step(x, true);
}

static struct node *step_back(struct node *x)
{
	bool is_header = x->color == RED && x->parent->parent == x;

	return is_header ? x->child[1] : step(x, false);
}

REPLACEABLE struct node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(struct node *x)
{
	return step_back(x);
}

REPLACEABLE const struct node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(struct node *x)
{
	return step_back(x);
}

/* Give the place of x to `with`, or to nothing (NULL). */
static void replace(struct node **root, struct node *x, struct node *with)
{
	if (with)
		with->parent = x->parent;
	if (*root == x)
		*root = with;
	else
		x->parent->child[x == x->parent->child[1]] = with;
}

/* x goes down to that side, and its child on the opposite side comes up. */
static void rotate(struct node **root, struct node *x, bool side)
{
	struct node *up = x->child[!side];

	x->child[!side] = up->child[side];
	if (up->child[side])
		up->child[side]->parent = x;
	replace(root, x, up);
	up->child[side] = x;
	x->parent = up;
}

/* Insert x as a child of `parent`, which has none on that side; the header: x is the first. */
REPLACEABLE void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
	bool left, struct node *x, struct node *parent, struct node *header)
{
	struct node **root = &header->parent, *up, *grand, *uncle;
	bool side = !left;

	*x = (struct node){ .color = RED, .parent = parent };
	if (parent == header) {
		header->parent = header->child[0] = header->child[1] = x;
	} else {
		parent->child[side] = x;
		if (header->child[side] == parent)
			header->child[side] = x;
	}
	while (x != *root && x->parent->color == RED) {
		up = x->parent;
		grand = up->parent;
		side = up == grand->child[1];
		uncle = grand->child[!side];
		if (uncle && uncle->color == RED) {
			up->color = uncle->color = BLACK;
			grand->color = RED;
			x = grand;
			continue;
		}
		if (x == up->child[!side]) {
			rotate(root, up, side);
			x = up;
			up = x->parent;
		}
		up->color = BLACK;
		grand->color = RED;
		rotate(root, grand, !side);
	}
	(*root)->color = BLACK;
}

static bool is_black(const struct node *x)
{
	return !x || x->color == BLACK;
}

/* The paths by x (or NULL), a child of `up`, lack a black node. */
static void rebalance(struct node **root, struct node *x, struct node *up)
{
	while (x != *root && is_black(x)) {
		bool side = x == up->child[1];
		struct node *sibling = up->child[!side];

		if (sibling->color == RED) {
			sibling->color = BLACK;
			up->color = RED;
			rotate(root, up, side);
			sibling = up->child[!side];
		}
		if (is_black(sibling->child[0]) && is_black(sibling->child[1])) {
			sibling->color = RED;
			x = up;
			up = x->parent;
			continue;
		}
		if (is_black(sibling->child[!side])) {
			sibling->child[side]->color = BLACK;
			sibling->color = RED;
			rotate(root, sibling, !side);
			sibling = up->child[!side];
		}
		sibling->color = up->color;
		up->color = BLACK;
		sibling->child[!side]->color = BLACK;
		rotate(root, up, side);
		break;
	}
	if (x)
		x->color = BLACK;
}

/* Unlink x. Returns it. */
REPLACEABLE struct node *
_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct node *x, struct node *header)
{
	struct node **root = &header->parent, *child, *up = x->parent, *next;
	enum color gone = x->color;

	for (unsigned side = 0; side < 2; side++)
		if (header->child[side] == x)
			header->child[side] = x->child[!side] ? outermost(x->child[!side], side)
							      : up;
	if (!x->child[0] || !x->child[1]) {
		child = x->child[!x->child[0]];
		replace(root, x, child);
	} else { /* the next element, which has no left child, takes the place of x */
		next = outermost(x->child[1], false);
		child = next->child[1];
		gone = next->color;
		up = next;
		if (next->parent != x) {
			up = next->parent;
			replace(root, next, child);
			next->child[1] = x->child[1];
			next->child[1]->parent = next;
		}
		replace(root, x, next);
		next->child[0] = x->child[0];
		next->child[0]->parent = next;
		next->color = x->color;
	}
	if (gone == BLACK)
		rebalance(root, child, up);
	return x;
}

/* ---- Lists: rings of links, with one that is no element ---- */

struct link {
	struct link *next, *prev;
};

static void join(struct link *a, struct link *b)
{
	a->next = b;
	b->prev = a;
}

/* std::__detail::_List_node_base: put l before another link. */
REPLACEABLE void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct link *l, struct link *before)
{
	join(before->prev, l);
	join(l, before);
}

REPLACEABLE void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct link *l)
{
	join(l->prev, l->next);
}

/* Move the links from `first` on, without `end`, to the place before l. */
REPLACEABLE void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct link *l,
								      struct link *first,
								      struct link *end)
{
	struct link *last = end->prev;

	if (l == end || first == end)
		return;
	join(first->prev, end);
	join(l->prev, first);
	join(last, l);
}

REPLACEABLE void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct link *l)
{
	struct link *at = l;

	do {
		struct link *next = at->next;

		at->next = at->prev;
		at->prev = next;
		at = next;
	} while (at != l);
}

/* Make `to` the head of the list of `from`, which is no head any more. */
static void move_head(struct link *to, struct link *from)
{
	if (from->next == from) {
		join(to, to);
		return;
	}
	join(from->prev, to);
	join(to, from->next);
}

REPLACEABLE void _ZNSt8__detail15_List_node_base4swapERS0_S1_(struct link *a, struct link *b)
{
	struct link held;

	move_head(&held, a);
	move_head(a, b);
	move_head(b, &held);
}

/* ---- Hash tables ---- */

/* Names with size_t in them, which is unsigned long or unsigned int. */
#if SIZE_MAX > UINT32_MAX
#define NEXT_BUCKETS _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm
#define NEED_REHASH _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm
#define HASH_BYTES _ZSt11_Hash_bytesPKvmm
#else
#define NEXT_BUCKETS _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEj
#define NEED_REHASH _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEjjj
#define HASH_BYTES _ZSt11_Hash_bytesPKvjj
#endif

/* std::__detail::_Prime_rehash_policy: elements a bucket, and how many elements are too many. */
struct policy {
	float most;
	size_t next_resize;
};

/* The largest prime below each power of 2. */
static const uint32_t primes[] = {
	3,        7,         13,        31,        61,         127,        251,        509,
	1021,     2039,      4093,      8191,      16381,      32749,      65521,      131071,
	262139,   524287,    1048573,   2097143,   4194301,    8388593,    16777213,   33554393,
	67108859, 134217689, 268435399, 536870909, 1073741789, 2147483647, 4294967291,
};

#define PRIMES (sizeof(primes) / sizeof(*primes))

/* A number of buckets that is not less than n. */
REPLACEABLE size_t NEXT_BUCKETS(struct policy *p, size_t n)
{
	unsigned i = 0;

	if (!n) /* nothing is promised: the first element makes buckets */
		return 1;
	while (i < PRIMES - 1 && primes[i] < n)
		i++;
	p->next_resize = primes[i] < n ? SIZE_MAX : (size_t)(primes[i] * (double)p->most);
	return primes[i];
}

struct answer {
	bool needed;
	size_t buckets;
};

/* Before `more` elements come: std::pair of whether more buckets are needed, and how many. */
REPLACEABLE struct answer NEED_REHASH(struct policy *p, size_t buckets, size_t now, size_t more) {
	size_t all = now + more;
	double wanted;

	if (all <= p->next_resize)
		return (struct answer){ false, 0 };
	if (!p->next_resize && all < 11) /* an empty table begins with a few */
		all = 11;
	wanted = (double)all / (double)p->most;
	if (wanted < (double)buckets) {
		p->next_resize = (size_t)((double)buckets * (double)p->most);
		return (struct answer){ false, 0 };
	}
	all = (size_t)wanted + 1;
	return (struct answer){ true, NEXT_BUCKETS(p, all > 2 * buckets ? all : 2 * buckets) };
}

/* std::_Hash_bytes(): FNV-1a, by the width of size_t, mixed once more for tables of 2^k - 1. */
REPLACEABLE size_t
HASH_BYTES(const void *bytes, size_t n, size_t seed)
{
	const unsigned char *p = bytes;
	size_t prime = sizeof(size_t) > 4 ? (size_t)0x100000001b3 : 0x01000193;
	size_t h = seed ^ (sizeof(size_t) > 4 ? (size_t)0xcbf29ce484222325 : 0x811c9dc5);

	while (n--)
		h = (h ^ *p++) * prime;
	return h ^ h >> (CHAR_BIT * sizeof(size_t) / 2);
}
