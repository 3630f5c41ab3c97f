/*
 * mark.h - what a program tells of where it is: to reports, and to the locality plug-in
 * (docs/locality.md), for which it marks where a measured part begins and ends.
 *
 * Example
 *	co_mark_begin("stream");
 *	for (i = 0; i < n && r == 0; i++)
 *		r = co_link_send(tx, &item[i]);
 *	co_mark_end("stream", n);            // the report divides by n
 *
 * A section is a hart's: its accesses and its time count from its own begin to its own end. Harts
 * that work together each mark the same name. On one hart sections may nest, and coroutines may
 * enter the same one: it ends with the last.
 * Context of every function here: any. Cost: 5 to 30 instructions, a way-point some 140.
 */
#ifndef COHART_MARK_H
#define COHART_MARK_H

#include <stdint.h>

/* @param name  a string literal: the report reads it from the image */
void co_mark_begin(const char *name);

/*
 * @param name      equal to that of the begin
 * @param messages  that this hart sent in the section; 0 if that makes no sense
 */
void co_mark_end(const char *name, uint32_t messages);

/*
 * A way-point of this coroutine: what reports say of where it was last, and when (cohart/watch.h),
 * and an event of its hart (cohart/trace.h). Both ends of a section are way-points too.
 * @param text  a string literal; what others cannot read is asserted not to be. Outside of a
 *              coroutine nothing happens.
 */
void co_waypoint(const char *text);

/*
 * A transfer by an engine begins, or has been waited for: modelled time is what the profile says.
 * @param dma    knows the transfer, or several that are waited for together; may be read
 * @param bytes  of a row
 */
void co_mark_dma_start(const void *dma, uint32_t bytes, uint32_t rows);
void co_mark_dma_wait(const void *dma);

/*
 * Between the two the caller moves what has just been started: where there is no engine, it stands
 * in for the one that the profile has, and what it executes is not counted.
 */
void co_mark_dma_move(const void *dma);
void co_mark_dma_moved(const void *dma);

#endif
