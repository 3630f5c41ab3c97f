/*
 * scope.c - the machine's own barriers: of all harts, a group, the managers, the compute
 * harts.
 *
 * The members are in the harts' windows and all zero since boot. What a hart needs to find them it
 * works out when it first comes, and keeps in its private scratchpad.
 */
#include <errno.h>

#include <cohart/barrier.h>
#include <cohart/mutex.h>
#include <cohart/spm.h>

#include "../../core/core.h"
#include "../../core/hook.h"
#include "../../core/lost.h"
#include "barrier.h"

struct scope {
	struct co_barrier barrier; /* no members: not known yet */
	uint32_t member;
};
static _Thread_local struct scope scopes[CO_BARRIER_SCOPES];

/* The members of a role do not follow each other in memory. A single hart plays both. */
static struct role {
	unsigned members;
	struct co_barrier_member *table[BOARD_MAX_HARTS];
} managers, computes;
static struct co_a32 roles_ready;
static struct co_mutex roles_lock;

static void list_role(struct role *r, enum co_barrier_scope scope, unsigned role)
{
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		if (co_hart_role(hart) & role)
			r->table[r->members++] = &co_hart_at(hart)->member[scope];
	}
}

/* @return 0; -ECANCELED, while another hart makes the lists */
static int list_roles(void)
{
	int r;

	/* acquire: the lists are there; pairs with the store below. */
	if (co_atomic_load(&roles_ready, CO_ACQUIRE))
		return 0;
	r = co_mutex_lock(&roles_lock);
	if (r)
		return r;
	if (!co_atomic_load(&roles_ready, CO_RELAXED)) {
		list_role(&managers, CO_BARRIER_MANAGERS, CO_ROLE_MANAGE);
		list_role(&computes, CO_BARRIER_COMPUTES, CO_ROLE_COMPUTE);
		/* seq_cst: before a look for lost harts; pairs with break_scopes(). */
		co_atomic_store(&roles_ready, 1, CO_SEQ_CST);
	}
	co_mutex_unlock(&roles_lock);
	return 0;
}

static int describe_role(struct scope *s, const struct role *role,
			 const struct co_barrier_member *own)
{
	int r = list_roles();

	if (r)
		return r;
	for (unsigned i = 0; i < role->members; i++) {
		if (role->table[i] != own)
			continue;
		s->member = i;
		s->barrier.table = role->table;
		s->barrier.members = role->members;
		return 0;
	}
	return -EINVAL;
}

/* Members that follow each other: the harts first..first+n-1. */
static int describe_range(struct scope *s, const struct co_barrier_member *own, unsigned hart,
			  unsigned first, unsigned n)
{
	s->member = hart - first;
	s->barrier.first = (void *)((uintptr_t)own - s->member * BOARD_SPM_BYTES);
	s->barrier.stride = BOARD_SPM_BYTES;
	s->barrier.members = n;
	return 0;
}

/* The view of that hart. @return 0; -EINVAL: it is no member; -ECANCELED */
static int describe(struct scope *s, enum co_barrier_scope scope, unsigned hart)
{
	const struct co_barrier_member *own = &co_hart_at(hart)->member[scope];
	const struct co_group *g = co_group(co_hart_group(hart));
	int r;

	*s = (struct scope){ .barrier.scope = scope + 1u };
	if (scope == CO_BARRIER_ALL)
		r = describe_range(s, own, hart, 0, co_machine.harts);
	else if (scope == CO_BARRIER_GROUP)
		r = describe_range(s, own, hart, g->manager,
				   co_machine.harts == 1 ? 1 : 1 + g->computes);
	else
		r = describe_role(s, scope == CO_BARRIER_MANAGERS ? &managers : &computes, own);
	s->barrier.shift = CO_BARRIER_SHIFT(s->barrier.members);
	return r;
}

bool co_barrier_of_member(uintptr_t member, struct co_barrier *b)
{
	int hart = co_spm_hart((const void *)member);
	uintptr_t offset = hart < 0 ? 0 : member - (uintptr_t)co_hart_at((unsigned)hart)->member;
	struct scope s;

	if (hart < 0 || offset >= sizeof(struct co_barrier_member[CO_BARRIER_SCOPES]))
		return false;
	/* It cannot fail or wait: somebody waits in it, so the lists are there. */
	if (describe(&s, (enum co_barrier_scope)(offset / sizeof(struct co_barrier_member)),
		     (unsigned)hart))
		return false;
	*b = s.barrier;
	return true;
}

bool co_barrier_has_lost(const struct co_barrier *b)
{
	if (!b->scope || !co_harts_lost())
		return false;
	for (uint32_t i = 0; i < b->members; i++) {
		if (co_hart_lost((unsigned)co_spm_hart(co_barrier_member_at(b, i))))
			return true;
	}
	return false;
}

static void break_scope(enum co_barrier_scope scope, unsigned hart)
{
	struct scope s;

	if (describe(&s, scope, hart) == 0)
		co_barrier_break_for(&s.barrier, s.member);
}

/* A lost hart: the barriers of which it is a member are broken. */
static void break_scopes(unsigned hart)
{
	break_scope(CO_BARRIER_ALL, hart);
	break_scope(CO_BARRIER_GROUP, hart);
	/* seq_cst: after the hart was marked as lost; pairs with list_roles(). */
	if (!co_atomic_load(&roles_ready, CO_SEQ_CST))
		return; /* those that come later find the hart lost: describe_own() */
	break_scope(CO_BARRIER_MANAGERS, hart);
	break_scope(CO_BARRIER_COMPUTES, hart);
}

CO_HOOKS = { .hart_stopped = break_scopes };

/* The view of this hart, which may come to it for the first time after a loss. */
static __attribute__((noinline)) int describe_own(struct scope *s, enum co_barrier_scope scope)
{
	int r = describe(s, scope, co_hart());

	if (r == 0 && co_barrier_has_lost(&s->barrier))
		(void)co_barrier_break(co_barrier_member_at(&s->barrier, s->member));
	return r;
}

/* @return 0; -EINVAL: this hart is no member; -ECANCELED */
static inline int find(enum co_barrier_scope scope, struct scope **s)
{
	CO_ASSERT((unsigned)scope <= CO_BARRIER_COMPUTES);
	*s = &scopes[scope];
	return (*s)->barrier.members ? 0 : describe_own(*s, scope);
}

int co_barrier_of(enum co_barrier_scope scope, struct co_barrier **b, unsigned *member)
{
	struct scope *s;
	int r = find(scope, &s);

	if (r)
		return r;
	*b = &s->barrier;
	if (member)
		*member = s->member;
	return 0;
}

int co_barrier_scope_until(enum co_barrier_scope scope, uint64_t deadline)
{
	struct scope *s;
	int r = find(scope, &s);

	CO_ASSERT(r != -EINVAL); /* the calling hart belongs to the scope */
	return r ? r : co_barrier_wait_until(&s->barrier, s->member, deadline);
}

static inline int wait_in(enum co_barrier_scope scope)
{
	struct scope *s;
	int r = find(scope, &s);

	CO_ASSERT(r != -EINVAL); /* as above */
	return r ? r : co_barrier_wait(&s->barrier, s->member);
}

int co_barrier_all(void)
{
	return wait_in(CO_BARRIER_ALL);
}

int co_barrier_group(void)
{
	return wait_in(CO_BARRIER_GROUP);
}

int co_barrier_managers(void)
{
	return wait_in(CO_BARRIER_MANAGERS);
}

int co_barrier_computes(void)
{
	return wait_in(CO_BARRIER_COMPUTES);
}
