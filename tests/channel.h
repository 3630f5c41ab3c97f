/* channel.h - for tests of channels: every mode with every claim that the build has. */
#ifndef TESTS_CHANNEL_H
#define TESTS_CHANNEL_H

#include "harness/test.h"

static const struct shape {
	enum co_chan_mode mode;
	enum co_claim claim;
} shapes[] = {
#ifndef CO_NO_CAS
	{ CO_MPMC, CO_CLAIM_CAS },    { CO_MPSC, CO_CLAIM_CAS },
	{ CO_SPMC, CO_CLAIM_CAS },    { CO_SPSC, CO_CLAIM_CAS },
#endif
	{ CO_MPMC, CO_CLAIM_TICKET }, { CO_MPSC, CO_CLAIM_TICKET },
	{ CO_SPMC, CO_CLAIM_TICKET }, { CO_SPSC, CO_CLAIM_TICKET },
};

#define SHAPES (sizeof(shapes) / sizeof(*shapes))

/* An empty channel of that shape; its buffer is all the tests' of a file. */
static inline void open_shape(struct co_chan *c, void *buffer, const struct shape *s, size_t size,
			      unsigned capacity)
{
	REQUIRE_EQ(
		co_chan_init_as(c, buffer, CO_CHAN_BYTES(size, capacity), size, s->mode, s->claim),
		0);
}

#endif
