/* log.c - heads and records of a file of finished tasks. */
#include <errno.h>
#include <string.h>

#include "log.h"

static const unsigned char magic[8] = { 'C', 'o', 't', 'a', 's', 'k', 's', 1 };

static void put_u32(unsigned char *at, uint32_t n)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (unsigned char)(n >> 8 * i);
}

static uint32_t get_u32(const unsigned char *at)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < 4; i++)
		n |= (uint32_t)at[i] << 8 * i;
	return n;
}

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
	memcpy(head, magic, sizeof(magic));
	put_u32(head + 8, log->total);
	put_u32(head + 12, log->tag);
	put_u32(head + 16, CO_TASK_LOG_RECORD);
	log->sum = add_sum(0, head, 20);
	put_u32(head + 20, log->sum);
}

int co_task_log_open(struct co_task_log *log, const unsigned char head[CO_TASK_LOG_HEAD])
{
	uint32_t sum = add_sum(0, head, 20);

	if (memcmp(head, magic, sizeof(magic)) != 0 || get_u32(head + 16) != CO_TASK_LOG_RECORD ||
	    get_u32(head + 20) != sum)
		return -EBADMSG;
	log->total = get_u32(head + 8);
	log->tag = get_u32(head + 12);
	log->sum = sum;
	return 0;
}

bool co_task_log_begins(const unsigned char *bytes, size_t n)
{
	return memcmp(bytes, magic, n < sizeof(magic) ? n : sizeof(magic)) == 0;
}

void co_task_log_put(const struct co_task_log *log, uint32_t place, uint32_t first, uint32_t count,
		     unsigned char record[CO_TASK_LOG_RECORD])
{
	put_u32(record, place);
	put_u32(record + 4, first);
	put_u32(record + 8, count);
	put_u32(record + 12, add_sum(log->sum, record, 12));
}

int co_task_log_get(const struct co_task_log *log, uint32_t place,
		    const unsigned char record[CO_TASK_LOG_RECORD], uint32_t *first,
		    uint32_t *count)
{
	uint32_t from = get_u32(record + 4);
	uint32_t n = get_u32(record + 8);

	if (get_u32(record) != place || get_u32(record + 12) != add_sum(log->sum, record, 12))
		return -EBADMSG;
	if (!n || from >= log->total || n > log->total - from)
		return -EBADMSG;
	*first = from;
	*count = n;
	return 0;
}
