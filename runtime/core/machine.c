/* machine.c - the machine as boot found it: its groups, localities and scopes. */
#include <cohart/local.h>

#include "core.h"

struct co_machine co_machine;
/* A silent hart is found within a second, then. */
struct co_options co_options = { .watch_ms = 750, .per_hart = CO_PER_HART_USUAL };
const char *co_image = "image";

extern char __program_tls_bytes[]; /* linker/ */

size_t co_hart_thread_locals(void)
{
	return (size_t)__program_tls_bytes;
}

/* ---- Localities and scopes ---- */

/* How many groups a locality of `kind` has. */
static inline unsigned groups_of(enum co_locality kind)
{
	unsigned long n = co_machine.groups;

	CO_ASSERT_THAT((unsigned)kind <= CO_GROUP, "a locality is one of enum co_locality");
	if (kind == CO_GROUP)
		return 1;
	if (kind == CO_NODE || kind == CO_SUPER_NODE)
		n = co_options.node ? co_options.node : n;
	if (kind == CO_SUPER_NODE)
		n = co_options.super_node ? n * co_options.super_node : co_machine.groups;
	return (unsigned)co_least(n, co_machine.groups);
}

unsigned co_localities(enum co_locality kind)
{
	unsigned each = groups_of(kind);

	return (co_machine.groups + each - 1) / each;
}

unsigned co_hart_locality(unsigned hart, enum co_locality kind)
{
	return co_hart_group(hart) / groups_of(kind);
}

static unsigned *add_harts(unsigned *at, unsigned hart, unsigned n)
{
	for (; n; n--)
		*at++ = hart++;
	return at;
}

/* Add the harts of a group that have one of `roles`. */
static unsigned *add_group_harts(unsigned *at, const struct co_group *g, unsigned roles)
{
	bool alone = g->compute == g->manager; /* and in both roles */

	if (roles & CO_ROLE_MANAGE)
		at = add_harts(at, g->manager, 1);
	if (roles & CO_ROLE_COMPUTE && !(alone && roles & CO_ROLE_MANAGE))
		at = add_harts(at, g->compute, g->computes);
	return roles & CO_ROLE_MOVE ? add_harts(at, g->compute + g->computes, g->movers) : at;
}

void co_scopes_make(void)
{
	unsigned *at = co_machine.scope_harts;

	for (unsigned roles = 1; roles <= CO_ROLES; roles++) {
		co_machine.scope[roles] = at;
		for (unsigned g = 0; g < co_machine.groups; g++)
			at = add_group_harts(at, &co_machine.group[g], roles);
	}
	co_machine.scope[CO_ROLES + 1] = at;
	co_machine.computes = co_scope_of(CO_ALL_HARTS, 0, CO_ROLE_COMPUTE);
}

struct co_scope co_scope_of(enum co_locality kind, unsigned which, unsigned roles)
{
	unsigned each = groups_of(kind);
	unsigned first = which * each;
	unsigned end = co_machine.harts;
	struct co_scope s = { 0 };

	CO_ASSERT_THAT(which < co_machine.groups && first < co_machine.groups,
		       "there is a locality of that number (co_localities() of them)");
	CO_ASSERT_THAT(roles && roles <= CO_ROLES, "roles are a sum of CO_ROLE_...");
	if (first + each < co_machine.groups)
		end = co_machine.group[first + each].manager;
	s.harts = co_machine.scope[roles];
	while (s.harts < co_machine.scope[roles + 1] && *s.harts < co_machine.group[first].manager)
		s.harts++;
	while (&s.harts[s.n] < co_machine.scope[roles + 1] && s.harts[s.n] < end)
		s.n++;
	return s;
}

unsigned co_first_node(unsigned hart)
{
	unsigned first = co_hart_locality(hart, CO_SUPER_NODE) * groups_of(CO_SUPER_NODE);

	return first / groups_of(CO_NODE);
}

struct co_scope co_scope_here(enum co_locality kind, unsigned roles)
{
	return co_scope_of(kind, co_hart_locality(co_hart(), kind), roles);
}

unsigned co_harts(void)
{
	return co_machine.harts;
}

unsigned co_groups(void)
{
	return co_machine.groups;
}

const struct co_group *co_group(unsigned g)
{
	CO_ASSERT_THAT(g < co_machine.groups,
		       "there is a group of that number (co_groups() of them)");
	return &co_machine.group[g];
}

unsigned co_hart_group(unsigned hart)
{
	CO_ASSERT_THAT(hart < co_machine.harts,
		       "there is a hart of that number (co_harts() of them)");
	return co_machine.group_of[hart];
}

unsigned co_hart_role(unsigned hart)
{
	const struct co_group *g;

	if (co_machine.harts == 1)
		return CO_ROLE_MANAGE | CO_ROLE_COMPUTE;
	g = co_group(co_hart_group(hart));
	if (hart == g->manager)
		return CO_ROLE_MANAGE;
	return hart < g->compute + g->computes ? CO_ROLE_COMPUTE : CO_ROLE_MOVE;
}

bool co_hart_has_cas(unsigned hart)
{
	unsigned role = co_hart_role(hart);

#ifdef CO_NO_CAS
	role = 0;
#endif
	return role && (!co_machine.adds_only || role & CO_ROLE_MANAGE);
}

const char *co_role_name(unsigned role)
{
	static const char *const names[] = { "none", "manage", "compute", "manage+compute",
					     "move" };

	CO_ASSERT_THAT(role < sizeof(names) / sizeof(*names), "a role is one of CO_ROLE_...");
	return names[role];
}

const char *co_topology(void)
{
	return co_machine.topology;
}
