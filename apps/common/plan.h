/* plan.h - the planner's table for an app, by its option --plan=FILE. */
#ifndef APPS_COMMON_PLAN_H
#define APPS_COMMON_PLAN_H

#include <cohart/spm_plan.h>

/* Read it, and say what is wrong with it. @return 0; 1: it cannot be used. */
int app_plan(const char *app, const char *path, struct co_plan *plan);

#endif
