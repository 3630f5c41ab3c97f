/*
 * topology.c - fuzzes topology strings. What is accepted has to be a machine: its groups follow one
 * another, and written out and read again it is the same; and one that has lost harts is one too.
 */
#include "../../runtime/core/text.c"
size_t co_readable(const void *p, size_t most)
{
	(void)p;
	return most;
}
#include "../../runtime/core/boot/topology_text.c"
#include "fuzz.h"

struct co_machine co_machine;
struct co_options co_options;

unsigned co_hart(void)
{
	return 0;
}

void co_assert_failed(const char *what, const char *file, int line)
{
	fuzz_broken(what, file, line);
	abort();
}

static void look(const struct co_machine *m)
{
	unsigned next = 0;
	bool computes = false;

	MUST(m->harts >= 1 && m->harts <= BOARD_MAX_HARTS);
	MUST(m->groups >= 1 && m->groups <= m->harts);
	for (unsigned g = 0; g < m->groups; g++) {
		const struct co_group *group = &m->group[g];

		MUST(group->manager == next);
		computes |= group->computes != 0;
		if (m->harts == 1)
			break;
		MUST(group->compute == next + 1);
		for (unsigned n = 1 + group->computes + group->movers; n; n--)
			MUST(next < m->harts && m->group_of[next++] == g);
	}
	MUST(m->harts == 1 || next == m->harts);
	MUST(computes);
}

/* As text, in words of its own. */
static char *written(const struct co_machine *m)
{
	static char text[BOARD_MAX_HARTS * 24 + 5];
	char *to = text;

	if (m->harts == 1)
		return strcpy(text, m->adds_only ? "1-cas" : "1");
	for (unsigned g = 0; g < m->groups; g++)
		to += sprintf(to, "%s(1+%u+%u)", g ? "+" : "", m->group[g].computes,
			      m->group[g].movers);
	strcpy(to, m->adds_only ? "-cas" : "");
	return text;
}

static struct co_machine *machine(void)
{
	struct co_machine *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	m->room = BOARD_MAX_HARTS;
	m->group_of = calloc(BOARD_MAX_HARTS, sizeof(*m->group_of));
	m->group = calloc(BOARD_MAX_HARTS, sizeof(*m->group));
	if (!m->group_of || !m->group)
		abort();
	return m;
}

static void give_back(struct co_machine *m)
{
	free(m->group_of);
	free(m->group);
	free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct co_machine *m = machine();
	struct co_machine *again = machine();
	unsigned harts = size ? data[size - 1] : 1; /* that turn out to be there */

	if (!co_topology_parse(text, m)) {
		look(m);
		MUST(!co_topology_parse(written(m), again));
		look(again);
		MUST(again->harts == m->harts && again->groups == m->groups &&
		     again->adds_only == m->adds_only);
		MUST(memcmp(again->group, m->group, m->groups * sizeof(*m->group)) == 0);
		if (harts >= 1 && harts <= m->harts && !co_topology_shrink(harts, m)) {
			look(m);
			MUST(m->harts == harts);
		}
		co_topology_default(again->harts, m);
		look(m);
		MUST(m->harts == again->harts && m->groups == 1);
	}
	give_back(again);
	give_back(m);
	free(text);
	return 0;
}
