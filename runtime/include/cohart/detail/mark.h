/*
 * mark.h - marks that transfers leave for the locality plug-in (docs/locality.md). For builders of
 * objects that move memory; users mark sections (debug.h).
 * Context of every function here: any. Cost: 5 to 30 instructions.
 */
#ifndef COHART_DETAIL_MARK_H
#define COHART_DETAIL_MARK_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/*
 * A transfer by an engine begins, or has been waited for: the profile says how much modelled time
 * it takes.
 * @param dma    knows the transfer, or several that are waited for together; may be read
 * @param bytes  of a row
 */
void co_mark_dma_start(const void *dma, uint32_t bytes, uint32_t rows);
void co_mark_dma_wait(const void *dma);

/*
 * A transfer by a port of a network begins; each port is an engine. @param port a number of its own
 */
void co_mark_port_start(const void *dma, uint32_t port, uint32_t bytes);

/*
 * Between the two calls the caller moves the words of the transfer that has just been started:
 * where there is no engine, it stands in for the profile's engine, and its instructions are not
 * counted.
 */
void co_mark_dma_move(const void *dma);
void co_mark_dma_moved(const void *dma);
CO_END_C
#endif
