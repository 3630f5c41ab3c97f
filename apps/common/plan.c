/* plan.c - see plan.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"

int app_plan(const char *app, const char *path, struct co_plan *plan)
{
	unsigned line;
	int r = co_plan_read(plan, path, &line);

	if (r == 0)
		return 0;
	if (r == -EINVAL)
		fprintf(stderr, "%s: %s:%u: no NAME, bytes as a whole, bytes of a buffer\n", app,
			path, line);
	else if (r == -EEXIST || r == -ENOSPC)
		fprintf(stderr, "%s: %s:%u: %s\n", app, path, line,
			r == -EEXIST ? "that array is there already" : "there are too many");
	else
		fprintf(stderr, "%s: %s: %s\n", app, path, strerror(-r));
	return 1;
}
