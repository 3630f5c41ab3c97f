/*
 * fdt.c - a bounded walk over a flattened device tree. fdt.h has the interface.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "fdt.h"

#define MAGIC 0xd00dfeed
#define VERSION 17
#define HEADER_BYTES 40

enum header {
	TOTAL = 4,
	STRUCT_AT = 8,
	STRINGS_AT = 12,
	VER = 20,
	COMPATIBLE = 24,
	STRINGS = 32,
	STRUCT = 36
};
enum token { BEGIN_NODE = 1, END_NODE, PROP, NOP, END = 9, BROKEN };

struct walk {
	const uint8_t *at, *end; /* of the structure block */
	const uint8_t *strings;  /* property names, strings_bytes of them */
	size_t strings_bytes;
	unsigned depth;       /* of the node the token belongs to; the root's is 1 */
	const uint8_t *name;  /* BEGIN_NODE, PROP: the name ... */
	size_t name_room;     /* ... and how far it may be read */
	const uint8_t *value; /* PROP */
	size_t value_bytes;
};

/* Of one node: what both questions want to know. */
struct node {
	const uint8_t *reg;
	size_t reg_bytes;
	bool off; /* status is neither absent nor okay */
};

/* The blob is big-endian, and nobody promised its alignment. */
static inline __attribute__((always_inline)) uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool within(size_t offset, size_t bytes, size_t total)
{
	return offset <= total && bytes <= total - offset;
}

static int walk_open(struct walk *w, const void *dtb, size_t limit)
{
	const uint8_t *p = dtb;

	if (!p || limit < HEADER_BYTES || be32(p) != MAGIC)
		return -EINVAL;

	size_t total = be32(p + TOTAL), at = be32(p + STRUCT_AT), bytes = be32(p + STRUCT);
	size_t strings = be32(p + STRINGS_AT), strings_bytes = be32(p + STRINGS);

	if (total > limit || be32(p + VER) < VERSION || be32(p + COMPATIBLE) > VERSION)
		return -EINVAL;
	if (!within(at, bytes, total) || !within(strings, strings_bytes, total))
		return -EINVAL;
	*w = (struct walk){
		.at = p + at,
		.end = p + at + bytes,
		.strings = p + strings,
		.strings_bytes = strings_bytes,
	};
	return 0;
}

/* Step over `bytes` and their padding to whole cells; NULL: fewer bytes are left. */
static inline __attribute__((always_inline)) const uint8_t *take(struct walk *w, size_t bytes)
{
	const uint8_t *p = w->at;
	size_t left = (size_t)(w->end - p);

	if (bytes > left || (-bytes & 3) > left - bytes)
		return NULL;
	w->at += bytes + (-bytes & 3);
	return p;
}

static enum token take_node(struct walk *w)
{
	size_t left = (size_t)(w->end - w->at);
	const uint8_t *nul = memchr(w->at, 0, left);

	if (!nul)
		return BROKEN;
	w->name_room = (size_t)(nul - w->at) + 1;
	w->name = take(w, w->name_room);
	w->depth++;
	return w->name ? BEGIN_NODE : BROKEN;
}

static enum token take_prop(struct walk *w)
{
	const uint8_t *p = take(w, 8);

	if (!p || !w->depth)
		return BROKEN;

	size_t name = be32(p + 4);

	w->value_bytes = be32(p);
	w->value = take(w, w->value_bytes);
	if (!w->value || name >= w->strings_bytes)
		return BROKEN;
	w->name = w->strings + name;
	w->name_room = w->strings_bytes - name;
	return PROP;
}

/* The next token. After END_NODE, depth is that of the node left until the following call. */
static enum token walk_next(struct walk *w, enum token before)
{
	if (before == END_NODE)
		w->depth--;
	for (;;) {
		const uint8_t *p = take(w, 4);

		switch (p ? be32(p) : BROKEN) {
		case NOP:
			continue;
		case BEGIN_NODE:
			return take_node(w);
		case PROP:
			return take_prop(w);
		case END_NODE:
			return w->depth ? END_NODE : BROKEN;
		case END:
			return w->depth ? BROKEN : END;
		default:
			return BROKEN;
		}
	}
}

/* Is the name of the token `text`, or, for nodes, `text` and a unit address? */
static bool named(const struct walk *w, enum token token, const char *text)
{
	size_t n = 0;

	while (n < w->name_room && text[n] && w->name[n] == text[n])
		n++;
	if (n == w->name_room || text[n])
		return false;
	return w->name[n] == 0 || (token == BEGIN_NODE && w->name[n] == '@');
}

static bool value_is(const struct walk *w, const char *text)
{
	return w->value_bytes == strlen(text) + 1 && memcmp(w->value, text, w->value_bytes) == 0;
}

static void note_node(struct node *node, const struct walk *w)
{
	if (named(w, PROP, "reg")) {
		node->reg = w->value;
		node->reg_bytes = w->value_bytes;
	} else if (named(w, PROP, "status")) {
		node->off = !value_is(w, "okay") && !value_is(w, "ok");
	}
}

static void note_cells(unsigned *cells, const struct walk *w, const char *name)
{
	if (named(w, PROP, name))
		*cells = w->value_bytes == 4 ? be32(w->value) : 0;
}

/* One number of one or two cells off the front of the node's `reg`; false if it is not there. */
static bool take_reg(struct node *node, unsigned cells, uint64_t *number)
{
	if (cells < 1 || cells > 2 || !node->reg || node->reg_bytes < cells * 4)
		return false;

	uint64_t v = be32(node->reg);

	if (cells == 2)
		v = v << 32 | be32(node->reg + 4);
	node->reg += cells * 4;
	node->reg_bytes -= cells * 4;
	*number = v;
	return true;
}

int hal_fdt_memory(const void *dtb, size_t limit, uintptr_t *base, size_t *bytes)
{
	struct walk w;
	struct node node = { 0 };
	enum token token = NOP;
	unsigned address_cells = 2, size_cells = 1; /* the specification's defaults */
	bool inside = false;

	if (walk_open(&w, dtb, limit) < 0)
		return -EINVAL;
	while ((token = walk_next(&w, token)) < END) {
		uint64_t b, n;

		if (token == PROP && w.depth == 1) {
			note_cells(&address_cells, &w, "#address-cells");
			note_cells(&size_cells, &w, "#size-cells");
		} else if (token == BEGIN_NODE && w.depth == 2) {
			inside = named(&w, token, "memory");
			node = (struct node){ 0 };
		} else if (token == PROP && w.depth == 2 && inside) {
			note_node(&node, &w);
		} else if (token == END_NODE && w.depth == 2 && inside && !node.off) {
			if (!take_reg(&node, address_cells, &b) || !take_reg(&node, size_cells, &n))
				return -EINVAL;
			if (n && (b + (n - 1) < b || (uintptr_t)b != b))
				return -EINVAL;
			if (n) {
				*base = (uintptr_t)b;
				*bytes = n > UINTPTR_MAX - b ? UINTPTR_MAX - (uintptr_t)b
							     : (uintptr_t)n;
				return 0;
			}
		}
	}
	return token == END ? -ENOENT : -EINVAL;
}

const char *hal_fdt_words(const void *dtb, size_t limit)
{
	struct walk w;
	enum token token = NOP;
	bool chosen = false;

	if (walk_open(&w, dtb, limit) < 0)
		return NULL;
	while ((token = walk_next(&w, token)) < END) {
		if (token == BEGIN_NODE && w.depth == 2)
			chosen = named(&w, token, "chosen");
		else if (token == PROP && w.depth == 2 && chosen && named(&w, token, "bootargs") &&
			 w.value_bytes > 1 && memchr(w.value, 0, w.value_bytes))
			return (const char *)w.value;
	}
	return NULL;
}

/* Into the `have` sorted words; the largest falls out when there is no room. False: it is there. */
static bool insert(uintptr_t hwid[], unsigned have, unsigned max, uintptr_t id)
{
	unsigned i = have;

	while (i && hwid[i - 1] > id)
		i--;
	if (i && hwid[i - 1] == id)
		return false;
	if (i == max)
		return true;
	memmove(hwid + i + 1, hwid + i, ((have < max ? have : max - 1) - i) * sizeof(*hwid));
	hwid[i] = id;
	return true;
}

int hal_fdt_harts(const void *dtb, size_t limit, uintptr_t hwid[], unsigned max)
{
	struct walk w;
	struct node node = { 0 };
	enum token token = NOP;
	unsigned count = 0, cells = 2;
	bool cpus = false, inside = false;

	if (walk_open(&w, dtb, limit) < 0)
		return -EINVAL;
	while ((token = walk_next(&w, token)) < END) {
		uint64_t id;

		if (token == BEGIN_NODE && w.depth == 2) {
			cpus = named(&w, token, "cpus");
		} else if (token == PROP && w.depth == 2 && cpus) {
			note_cells(&cells, &w, "#address-cells");
		} else if (token == BEGIN_NODE && w.depth == 3) {
			inside = cpus && named(&w, token, "cpu");
			node = (struct node){ 0 };
		} else if (token == PROP && w.depth == 3 && inside) {
			note_node(&node, &w);
		} else if (token == END_NODE && w.depth == 3 && inside && !node.off) {
			if (!take_reg(&node, cells, &id) || (uintptr_t)id != id)
				return -EINVAL;
			if (!insert(hwid, count < max ? count : max, max, (uintptr_t)id))
				return -EINVAL;
			count++;
		}
	}
	return token == END ? (int)count : -EINVAL;
}

/* ---- Devices ---- */

size_t hal_fdt_pack(const void *dtb, size_t limit, void *to)
{
	struct walk w;
	uint8_t *p = to;
	size_t bytes, names;

	if (walk_open(&w, dtb, limit) < 0)
		return 0;
	bytes = (size_t)(w.end - w.at);
	names = HEADER_BYTES + bytes;
	if (p) {
		const struct {
			enum header at;
			size_t value;
		} said[] = { { TOTAL, names + w.strings_bytes },
			     { STRUCT_AT, HEADER_BYTES },
			     { STRINGS_AT, names } };

		memcpy(p, dtb, HEADER_BYTES);
		for (unsigned i = 0; i < 3; i++) {
			for (unsigned byte = 0; byte < 4; byte++)
				p[said[i].at + byte] = (uint8_t)(said[i].value >> (24 - 8 * byte));
		}
		memcpy(p + HEADER_BYTES, w.at, bytes);
		memcpy(p + names, w.strings, w.strings_bytes);
	}
	return names + w.strings_bytes;
}

/* The properties of a node that hold for its children. */
struct bus {
	unsigned address_cells, size_cells;
	uint32_t controller; /* phandle of the interrupt parent */
	bool open;           /* addresses of children are the machine's */
};

/* A node while its properties are read. */
struct device {
	struct node node;
	const uint8_t *compatible, *interrupts;
	size_t compatible_bytes, interrupts_bytes;
	const uint8_t *begin; /* its first property */
};

static bool is_compatible(const struct device *now, const char *with)
{
	const uint8_t *p = now->compatible, *end;
	size_t bytes;

	if (!p || !now->compatible_bytes || p[now->compatible_bytes - 1])
		return false;
	end = p + now->compatible_bytes;
	for (; with && p < end; p += bytes) {
		bytes = strlen((const char *)p) + 1;
		if (strcmp((const char *)p, with) == 0)
			return true;
	}
	return !with;
}

static void note_device(struct device *now, struct bus *bus, const struct walk *w)
{
	note_node(&now->node, w);
	note_cells(&bus->address_cells, w, "#address-cells");
	note_cells(&bus->size_cells, w, "#size-cells");
	if (named(w, PROP, "compatible")) {
		now->compatible = w->value;
		now->compatible_bytes = w->value_bytes;
	} else if (named(w, PROP, "interrupts")) {
		now->interrupts = w->value;
		now->interrupts_bytes = w->value_bytes;
	} else if (named(w, PROP, "interrupt-parent") && w->value_bytes == 4) {
		bus->controller = be32(w->value);
	} else if (named(w, PROP, "ranges") && w->depth > 1) {
		bus->open = bus[-1].open && !w->value_bytes;
	}
}

/* #interrupt-cells of the controller with that phandle, or 0. */
static unsigned interrupt_cells(const void *dtb, size_t limit, uint32_t phandle)
{
	struct walk w;
	enum token token = NOP;
	unsigned cells = 0;
	bool it = false;

	if (!phandle || walk_open(&w, dtb, limit) < 0)
		return 0;
	/* A node's properties come before its children. */
	while ((token = walk_next(&w, token)) < END) {
		if (token != PROP) {
			if (it && cells)
				return cells;
			it = false;
			cells = 0;
		} else if (named(&w, token, "phandle") && w.value_bytes == 4) {
			it = be32(w.value) == phandle;
		} else {
			note_cells(&cells, &w, "#interrupt-cells");
		}
	}
	return 0;
}

static void read_lines(struct hal_device *d, const struct device *now, unsigned cells)
{
	const uint8_t *p = now->interrupts;
	size_t left = now->interrupts_bytes / 4;

	for (; cells && left >= cells && d->lines < HAL_DEVICE_LINES; left -= cells) {
		if (cells == 1)
			d->line[d->lines++] = be32(p);
		else if (cells == 3 && be32(p) <= 1) /* an SPI, or a PPI */
			d->line[d->lines++] = be32(p + 4) + (be32(p) ? 16 : 32);
		p += 4 * (size_t)cells;
	}
}

static void read_device(struct hal_device *d, struct device *now, const struct bus *bus)
{
	uint64_t base, bytes;

	*d = (struct hal_device){ .compatible = (const char *)now->compatible, .node = now->begin };
	while (d->ranges < HAL_DEVICE_RANGES && take_reg(&now->node, bus->address_cells, &base) &&
	       take_reg(&now->node, bus->size_cells, &bytes)) {
		if (!bytes || base > UINTPTR_MAX || bytes - 1 > UINTPTR_MAX - base)
			continue;
		d->range[d->ranges].base = (uintptr_t)base;
		d->range[d->ranges++].bytes = (size_t)bytes;
	}
}

int hal_fdt_device(const void *dtb, size_t limit, const char *compatible, unsigned n,
		   struct hal_device *d)
{
	struct walk w;
	/* bus[0]: that which the root inherits. */
	struct bus bus[HAL_FDT_DEPTH + 1] = { { 2, 1, 0, true } };
	struct device now = { 0 };
	enum token token = NOP;
	unsigned of = 0; /* depth of the node whose properties are read; 0: none's */

	if (walk_open(&w, dtb, limit) < 0)
		return -EINVAL;
	while ((token = walk_next(&w, token)) < END) {
		if (token == PROP) {
			if (of == w.depth)
				note_device(&now, &bus[of], &w);
			continue;
		}
		if (of && bus[of - 1].open && !now.node.off && is_compatible(&now, compatible) &&
		    !n--) {
			read_device(d, &now, &bus[of - 1]);
			if (now.interrupts)
				read_lines(d, &now,
					   interrupt_cells(dtb, limit, bus[of].controller));
			return 0;
		}
		of = token == BEGIN_NODE && w.depth <= HAL_FDT_DEPTH ? w.depth : 0;
		now = (struct device){ .begin = w.at };
		if (of)
			bus[of] = (struct bus){ 2, 1, bus[of - 1].controller, of == 1 };
	}
	return token == END ? -ENOENT : -EINVAL;
}

const void *hal_fdt_property(const void *dtb, size_t limit, const void *node, const char *name,
			     size_t *bytes)
{
	struct walk w;

	if (walk_open(&w, dtb, limit) < 0 || (const uint8_t *)node < w.at ||
	    (const uint8_t *)node > w.end)
		return NULL;
	w.at = node;
	w.depth = 1; /* some node's */
	while (walk_next(&w, NOP) == PROP) {
		if (named(&w, PROP, name)) {
			*bytes = w.value_bytes;
			return w.value;
		}
	}
	return NULL;
}
