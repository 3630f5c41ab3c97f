/*
 * scope.c - the machine's own barriers: of a domain's harts, the managers, the compute harts.
 *
 * The members are in the harts' windows, zeroed at boot. Each hart builds its view of a barrier
 * when it first arrives there, and keeps it in its private scratchpad.
 */
#include <cohart/barrier.h>
#include <cohart/spm.h>

#include "../../core/core.h"
#include "../../core/hook.h"
#include "../../core/lost.h"
#include "barrier.h"

struct scope {
	struct co_barrier barrier; /* members is 0 before the first use */
	uint32_t member;
};

CO_HART_VAR(struct co_barrier_member[CO_BARRIER_SCOPES], barrier_members);
static _Thread_local struct scope scopes[CO_BARRIER_SCOPES];

/* Members by role are not at equal distances, so they have tables. A single hart has both roles. */
static struct role {
	unsigned members;
	struct co_barrier_member *table[BOARD_MAX_HARTS];
} managers, computes;

static struct co_barrier_member *member_at(unsigned hart, enum co_barrier_scope scope)
{
	return &(*co_hart_var(barrier_members, hart))[scope];
}

static void list_role(struct role *r, enum co_barrier_scope scope, unsigned role)
{
	struct co_scope all = co_scope_of(CO_ALL_HARTS, 0, role);

	for (unsigned i = 0; i < all.n; i++)
		r->table[i] = member_at(all.harts[i], scope);
	r->members = all.n;
}

static void list_roles(void)
{
	list_role(&managers, CO_BARRIER_MANAGERS, CO_ROLE_MANAGE);
	list_role(&computes, CO_BARRIER_COMPUTES, CO_ROLE_COMPUTE);
}

static int describe_role(struct scope *s, struct role *role, const struct co_barrier_member *own)
{
	s->barrier.table = role->table;
	while (s->member < role->members && role->table[s->member] != own)
		s->member++;
	s->barrier.members = role->members;
	return s->member < role->members ? 0 : -EINVAL;
}

/* Members at equal distances: the harts first..first+n-1. */
static int describe_range(struct scope *s, const struct co_barrier_member *own, unsigned hart,
			  unsigned first, unsigned n)
{
	s->member = hart - first;
	s->barrier.first = (void *)((uintptr_t)own - s->member * BOARD_SPM_BYTES);
	s->barrier.stride = BOARD_SPM_BYTES;
	s->barrier.members = n;
	return 0;
}

/* Build a hart's view of a scope's barrier. Returns 0, or -EINVAL if the hart is no member. */
static int describe_scope(struct scope *s, enum co_barrier_scope scope, unsigned hart)
{
	const struct co_barrier_member *own = member_at(hart, scope);
	enum co_locality kind = (enum co_locality)scope;
	struct co_scope harts;

	int r;

	*s = (struct scope){ .barrier.scope = scope + 1u };
	if (scope > CO_BARRIER_GROUP) {
		r = describe_role(s, scope == CO_BARRIER_MANAGERS ? &managers : &computes, own);
	} else {
		harts = co_scope_of(kind, co_hart_locality(hart, kind),
				    scope == CO_BARRIER_GROUP ? CO_ROLE_MANAGE | CO_ROLE_COMPUTE
							      : CO_ROLES);
		r = describe_range(s, own, hart, harts.harts[0], harts.n);
	}
	s->barrier.shift = CO_BARRIER_CENTRAL_SHIFT;
	return r;
}

bool co_barrier_of_member(uintptr_t member, struct co_barrier *b)
{
	int hart = co_spm_hart((const void *)member);
	uintptr_t offset = hart < 0 ? 0
				    : member - (uintptr_t)member_at((unsigned)hart, CO_BARRIER_ALL);
	struct scope s;

	if (hart < 0 || offset >= sizeof(struct co_barrier_member[CO_BARRIER_SCOPES]) ||
	    describe_scope(&s, (enum co_barrier_scope)(offset / sizeof(struct co_barrier_member)),
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

/* Break the barriers of a lost hart, for members that have not arrived yet, too. */
static void break_scopes(unsigned hart)
{
	struct scope s;

	for (unsigned i = 0; co_hart_past(hart) && i < CO_BARRIER_SCOPES; i++) {
		enum co_barrier_scope scope = (enum co_barrier_scope)i;

		if (!co_rest_stopped(&member_at(hart, scope)->rest) &&
		    describe_scope(&s, scope, hart) == 0)
			co_barrier_break_for(&s.barrier, s.member);
	}
}

CO_HOOKS = { .machine_up = list_roles, .hart_lost = break_scopes };

/* Find this hart's view of a scope's barrier; NULL: the hart is no member. */
static inline struct scope *find_scope(enum co_barrier_scope scope)
{
	struct scope *s = &scopes[scope];

	CO_ASSERT_THAT((unsigned)scope <= CO_BARRIER_COMPUTES,
		       "a scope is one of enum co_barrier_scope");
	if (s->barrier.members || describe_scope(s, scope, co_hart()) == 0)
		return s;
	*s = (struct scope){ 0 };
	return NULL;
}

int co_barrier_of(enum co_barrier_scope scope, struct co_barrier **b, unsigned *member)
{
	struct scope *s = find_scope(scope);

	if (!s)
		return -EINVAL;
	*b = &s->barrier;
	if (member)
		*member = s->member;
	return 0;
}

int co_barrier_scope_until(enum co_barrier_scope scope, uint64_t deadline)
{
	struct scope *s = find_scope(scope);

	CO_ASSERT_THAT(s, "the calling hart belongs to the barrier's scope");
	return co_barrier_wait_until(&s->barrier, s->member, deadline);
}

static NOINLINE int wait_first(enum co_barrier_scope scope)
{
	return co_barrier_scope_until(scope, CO_FOREVER);
}

INLINE int wait_for(enum co_barrier_scope scope)
{
	struct co_barrier_member *m = &(*co_hart_var_of(barrier_members, co_executor.self))[scope];
	struct co *self = co_executor.current;

	if (!co_barrier_came_as(m, self))
		return wait_first(scope);
	return co_barrier_wait_again(m, self);
}

int co_barrier_all(void)
{
	return wait_for(CO_BARRIER_ALL);
}

int co_barrier_group(void)
{
	return wait_for(CO_BARRIER_GROUP);
}

int co_barrier_managers(void)
{
	return wait_for(CO_BARRIER_MANAGERS);
}

int co_barrier_computes(void)
{
	return wait_for(CO_BARRIER_COMPUTES);
}
