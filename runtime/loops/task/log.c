/* log.c - the format of a task log: see log.h. */
#include <errno.h>
#include <string.h>

#include "log.h"

static const unsigned char magic[8] = { 'C', 'o', 't', 'a', 's', 'k', 's', 1 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are as in the file");

/* CRC-32 (IEEE 802.3), continued from `sum`. */
static uint32_t add_sum(uint32_t sum, const unsigned char *p, size_t bytes)
{
	sum = ~sum;
	for (; bytes; bytes--) {
		sum ^= *p++;
		for (unsigned i = 0; i < 8; i++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
	}
	return ~sum;
}

void co_task_log_begin(struct co_task_log *log, unsigned char head[CO_TASK_LOG_HEAD])
{
	const uint32_t words[] = { log->total, log->tag, CO_TASK_LOG_RECORD };

	memcpy(head, magic, sizeof(magic));
	memcpy(head + 8, words, sizeof(words));
	log->sum = add_sum(0, head, 20);
	memcpy(head + 20, &log->sum, 4);
}

int co_task_log_open(struct co_task_log *log, const unsigned char head[CO_TASK_LOG_HEAD])
{
	uint32_t words[4]; /* tasks, tag, bytes of a record, sum */

	memcpy(words, head + 8, sizeof(words));
	if (memcmp(head, magic, sizeof(magic)) != 0 || words[2] != CO_TASK_LOG_RECORD ||
	    words[3] != add_sum(0, head, 20))
		return -EBADMSG;
	*log = (struct co_task_log){ .total = words[0], .tag = words[1], .sum = words[3] };
	return 0;
}

bool co_task_log_begins(const unsigned char *bytes, size_t n)
{
	return memcmp(bytes, magic, n < sizeof(magic) ? n : sizeof(magic)) == 0;
}

void co_task_log_put(const struct co_task_log *log, uint32_t place, uint32_t first, uint32_t count,
		     unsigned char record[CO_TASK_LOG_RECORD])
{
	const uint32_t words[] = { place, first, count };
	uint32_t sum;

	memcpy(record, words, sizeof(words));
	sum = add_sum(log->sum, record, sizeof(words));
	memcpy(record + sizeof(words), &sum, sizeof(sum));
}

int co_task_log_get(const struct co_task_log *log, uint32_t place,
		    const unsigned char record[CO_TASK_LOG_RECORD], uint32_t *first,
		    uint32_t *count)
{
	uint32_t words[4]; /* place, first, count, sum */

	memcpy(words, record, sizeof(words));
	if (words[0] != place || words[3] != add_sum(log->sum, record, 12) || !words[2] ||
	    words[1] >= log->total || words[2] > log->total - words[1])
		return -EBADMSG;
	*first = words[1];
	*count = words[2];
	return 0;
}
