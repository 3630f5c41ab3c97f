/* once.c - a mutex, and a word that says that it has been done. */
#include <errno.h>

#include <cohart/sync.h>

int co_once(struct co_once *o, void (*fn)(void))
{
	int r;

	/* acquire: fn's work; pairs with the store below. */
	if (co_atomic_load(&o->done, CO_ACQUIRE))
		return 0;
	r = co_mutex_lock(&o->mutex);
	if (r && r != -EOWNERDEAD) /* the last owner has not done it */
		return r;
	/* relaxed: the mutex orders it. */
	if (!co_atomic_load(&o->done, CO_RELAXED)) {
		fn();
		/* release: fn's work; pairs with the first look of later callers. */
		co_atomic_store(&o->done, 1, CO_RELEASE);
	}
	co_mutex_unlock(&o->mutex);
	return 0;
}
