/*
 * atomic_backend.h - cohart/atomic.h for the model checker: each access goes to relacy.cpp, which
 * keeps a shadow of every word by its address. So the runtime's files compile as they are, and lay
 * out their memory as on the target.
 *
 * In the copy of the sources that the models are built from, each order that could be weaker
 * carries the number of its place: CO_SITE(17, CO_ACQUIRE). The mutation test weakens one by its
 * number at run time.
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_order { CO_RELAXED, CO_ACQUIRE, CO_RELEASE, CO_ACQ_REL, CO_SEQ_CST };
enum model_op { MODEL_SWAP, MODEL_ADD, MODEL_AND, MODEL_OR };

/* Where an access stands, for the report of a schedule that fails. */
struct model_place {
	const char *file;
	const char *function;
	int line;
};

#ifdef __cplusplus
extern "C" {
#endif
enum model_order model_site(unsigned site, enum model_order o);
uint64_t model_load(const void *p, unsigned bytes, enum model_order o, struct model_place at);
void model_store(void *p, unsigned bytes, uint64_t v, enum model_order o, struct model_place at);
uint64_t model_rmw(enum model_op op, void *p, unsigned bytes, uint64_t v, enum model_order o,
		   struct model_place at);
bool model_cas(void *p, unsigned bytes, uint64_t old, uint64_t v, struct model_place at);
void model_plain(const void *p, bool write, struct model_place at);
#ifdef __cplusplus
}
#endif

#define CO_SITE(n, o) model_site((n), (o))
#define MODEL_HERE ((struct model_place){ __FILE__, __func__, __LINE__ })
#define MODEL_RMW(op, p, x, o)                                                          \
	({                                                                              \
		__typeof__((p)->v) co_x = (x);                                          \
		(__typeof__((p)->v))model_rmw((op), &(p)->v, sizeof((p)->v), co_x, (o), \
					      MODEL_HERE);                              \
	})

#define co_atomic_load(p, o) \
	((__typeof__((p)->v))model_load(&(p)->v, sizeof((p)->v), (o), MODEL_HERE))
#define co_atomic_store(p, x, o) \
	model_store(&(p)->v, sizeof((p)->v), (__typeof__((p)->v))(x), (o), MODEL_HERE)
#define co_atomic_swap(p, x, o) MODEL_RMW(MODEL_SWAP, p, x, o)
#define co_atomic_add(p, x, o) MODEL_RMW(MODEL_ADD, p, x, o)
#define co_atomic_and(p, x, o) MODEL_RMW(MODEL_AND, p, x, o)
#define co_atomic_or(p, x, o) MODEL_RMW(MODEL_OR, p, x, o)
#define co_atomic_cas(p, old, new_)                                                               \
	model_cas(&(p)->v, sizeof((p)->v), (__typeof__((p)->v))(old), (__typeof__((p)->v))(new_), \
		  MODEL_HERE)

#define co_plain_load(p)                              \
	({                                            \
		__typeof__(p) co_p = (p);             \
		model_plain(co_p, false, MODEL_HERE); \
		*co_p;                                \
	})
#define co_plain_store(p, x)                         \
	({                                           \
		__typeof__(p) co_p = (p);            \
		__typeof__(*co_p) co_v = (x);        \
		model_plain(co_p, true, MODEL_HERE); \
		(void)(*co_p = co_v);                \
	})

#endif
