/*
 * allows.c - hal_map_allows() of hal/guard.h, for page tables and for a host's few ranges.
 */
#include <hal/guard.h>

bool hal_map_allows(uintptr_t root, uintptr_t base, size_t bytes, unsigned rights)
{
	if (bytes > UINTPTR_MAX - base)
		return false;
	while (bytes) {
		size_t here;

		if ((hal_map_rights(root, base, &here) & rights) != rights)
			return false;
		if (here >= bytes)
			return true;
		bytes -= here;
		base += here;
	}
	return true;
}
