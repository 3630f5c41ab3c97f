/*
 * topology_text.c - from "4x(1+64)" to groups of harts.
 *
 *	topology = term { "+" term } [ "-cas" ]                                  compute harts have
 *	                                                                        no compare-and-swap
 *	term     = [ count "x" ] "(" managers "+" computes [ "+" movers ] ")"   groups
 *	         | count                                                        managers only
 */
#include "boot.h"

#define CO_PRESET(name, text) { name, text },
static const struct {
	const char *name;
	const char *text;
} presets[] = {
#include "presets.h"
};
#undef CO_PRESET

struct parser {
	const char *at;
	struct co_machine *m;
	const char *wrong; /* the error message, or NULL */
};

/* Keep the first error message. */
static void need(struct parser *p, bool fine, const char *complaint)
{
	if (!fine && !p->wrong)
		p->wrong = complaint;
}

/*
 * Parse a number; a larger one than 9999 becomes 9999. Returns 0, with an error message, if no
 * digit follows.
 */
static unsigned number(struct parser *p)
{
	unsigned n = 0;

	need(p, *p->at >= '0' && *p->at <= '9', "a number is missing");
	for (; *p->at >= '0' && *p->at <= '9'; p->at++)
		n = (unsigned)co_least(n * 10 + (unsigned)(*p->at - '0'), 9999);
	return n;
}

static bool accept(struct parser *p, char c)
{
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

/* Harts beyond the tables are only counted, up to this, for the error message. */
#define COUNTED 1000000u

static void add_group(struct parser *p, unsigned computes, unsigned movers)
{
	struct co_machine *m = p->m;
	unsigned harts = 1 + computes + movers;

	if (m->harts < m->room)
		m->group[m->groups] = (struct co_group){ m->harts, m->harts + 1, computes, movers };
	for (unsigned i = m->harts; i < m->harts + harts && i < m->room; i++)
		m->group_of[i] = (uint16_t)m->groups;
	if (m->harts <= COUNTED) {
		m->harts += harts;
		m->groups++;
	}
}

static void term(struct parser *p)
{
	static const char form[] =
		"a group is written (managers+computes), or (managers+computes+movers)";
	bool bare = *p->at == '(';
	unsigned count = bare ? 1 : number(p);
	unsigned managers = 1, computes = 0, movers = 0;

	if (!bare && !accept(p, 'x')) {
		need(p, count, "a count of harts is 0");
	} else {
		need(p, accept(p, '('), form);
		managers = number(p);
		need(p, accept(p, '+'), form);
		computes = number(p);
		if (accept(p, '+'))
			movers = number(p);
		need(p, accept(p, ')'), "a ) is missing");
		need(p, managers == 1, "a group has exactly one management hart");
		need(p, count, "a count of groups is 0");
	}
	for (unsigned i = 0; i < count && !p->wrong; i++)
		add_group(p, computes, movers);
}

/* There must be a compute hart; a single hart has both roles. Returns an error message or NULL. */
static const char *settle_groups(struct co_machine *m)
{
	if (m->harts > m->room) /* it is to shrink */
		return NULL;
	if (m->harts == 1)
		m->group[0] = (struct co_group){ 0, 0, 1, 0 };
	for (unsigned g = 0; g < m->groups; g++) {
		if (m->group[g].computes)
			return NULL;
	}
	return "it has no compute hart";
}

const char *co_topology_parse(const char *text, struct co_machine *m)
{
	static char buf[64];
	struct co_text too_many = { buf, sizeof(buf), 0 };
	struct parser p = { .at = text, .m = m };

	for (unsigned i = 0; i < sizeof(presets) / sizeof(*presets); i++) {
		if (strcmp(text, presets[i].name) == 0)
			p.at = presets[i].text;
	}
	m->harts = m->groups = 0;
	m->topology = text;
	do {
		term(&p);
	} while (!p.wrong && accept(&p, '+'));
	m->adds_only = strncmp(p.at, "-cas", 4) == 0;
	p.at += m->adds_only ? 4 : 0;
	need(&p, !*p.at, "something follows that does not belong there");
	if (!p.wrong && m->harts > BOARD_MAX_HARTS) {
		co_text_add(&too_many, "it has %u harts, this board can have %d", m->harts,
			    BOARD_MAX_HARTS);
		p.wrong = buf;
	}
	return p.wrong ? p.wrong : settle_groups(m);
}

/* All harts in one group; a single one manages and computes. */
void co_topology_default(unsigned harts, struct co_machine *m)
{
	static char buf[sizeof("1x(1+4294967295)")];
	struct co_text text = { buf, sizeof(buf), 0 };

	co_text_add(&text, "1x(1+%u)", harts - 1);
	(void)co_topology_parse(buf, m);
}

/* Only the first harts stay, and of a group's the manager, then the computes. */
const char *co_topology_shrink(unsigned harts, struct co_machine *m)
{
	static char buf[80];
	struct co_text text = { buf, sizeof(buf), 0 };
	char before[41]; /* a second call finds its first text */
	struct co_text asked = { before, sizeof(before), 0 };

	co_text_add(&asked, "%s", m->topology);
	co_text_add(&text, "%s, shrunk to %u harts", before, harts);
	m->topology = buf;
	m->groups = 0;
	for (unsigned left = harts; left;) {
		struct co_group *g = &m->group[m->groups++];

		left--;
		g->computes = (unsigned)co_least(g->computes, left);
		left -= g->computes;
		g->movers = (unsigned)co_least(g->movers, left);
		left -= g->movers;
	}
	m->harts = harts;
	return settle_groups(m);
}
