/* request.c - requests of other boards: who executes them, and answers. */
#include <cohart/cluster.h>
#include <cohart/sync.h>

#include "../../core/memory/main_heap.h"
#include "../../group/message/port.h"
#include "frame.h"

static struct co_mutex guard; /* of the list, and of the request that is being executed */
static struct co_cluster_server *servers;

/* A server changes nothing that a lost owner could have left half done. */
static void lock(void)
{
	CO_ASSERT_OWN(co_mutex_lock(&guard) != -ECANCELED);
}

void co_cluster_serve(struct co_cluster_server *s)
{
	lock();
	s->next = servers;
	servers = s;
	co_mutex_unlock(&guard);
}

void co_cluster_unserve(struct co_cluster_server *s)
{
	struct co_cluster_server **at = &servers;

	lock();
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	co_mutex_unlock(&guard);
}

bool co_request_execute(uint32_t context, const struct co_cluster_request *request)
{
	struct co_cluster_server *s;

	lock();
	for (s = servers; s && s->context != context;)
		s = s->next;
	if (s)
		s->serve(s, request);
	co_mutex_unlock(&guard);
	return s != NULL;
}

void co_cluster_post(uint32_t from, uint32_t to, uint32_t tag, uint32_t context, const void *data,
		     size_t bytes)
{
	const struct co_message_info info = { from, tag, bytes };
	bool is_here = to / co_cluster.here == co_cluster.board;
	struct co_message *m = is_here ? NULL : co_main_alloc(sizeof(*m) + bytes);

	if (is_here ? !co_incoming_post(&info, to, context, data) : !m)
		co_cluster_fail(
			"no memory for an answer of %lu bytes from rank %u to rank %u, which "
			"would wait for ever: more --mem",
			(unsigned long)bytes, (unsigned)from, (unsigned)to);
	if (is_here)
		return;
	*m = (struct co_message){ .kind = CO_MESSAGE_SEND,
				  .rank = to,
				  .tag = tag,
				  .context = context,
				  .data = m + 1,
				  .bytes = bytes,
				  .got = info };
	if (bytes)
		memcpy(m + 1, data, bytes);
	co_outgoing_post(m);
}
