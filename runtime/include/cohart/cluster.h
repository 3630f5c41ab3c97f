/*
 * cluster.h - boards that run one image as one job (docs/cluster.md): how many there are, and which
 * one this is.
 *
 * In an image of ranks (cohart/process.h) that calls co_cluster_boards(), co_team_of_ranks() spans
 * the boards of a job: with n ranks on each board, board b has ranks b * n to b * n + n - 1 of the
 * team. Messages (cohart/message.h) reach all of them. Collectives of that team do not
 * exist then: a job of several boards has to make its own of messages. All else is a board's own:
 * memory, other teams, channels, links, barriers, tasks.
 */
#ifndef COHART_CLUSTER_H
#define COHART_CLUSTER_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/* How many boards there are: 1 without a job. Context: any. */
unsigned co_cluster_boards(void);

/* The number of this board, from 0 on. Context: any. */
unsigned co_cluster_board(void);
CO_END_C
#endif
