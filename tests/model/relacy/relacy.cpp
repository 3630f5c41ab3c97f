/*
 * relacy.cpp - runs the models of one file under Relacy: random schedules, and all with few
 * preemptions.
 *
 * Relacy brings the memory model: which older values a load may still return, and which plain
 * accesses no order keeps apart. Its own atomic<T> and var<T> are objects; here every word of
 * memory is watched by its address instead, so that C sources run unchanged. What Relacy does not
 * do: it never lets a load return a value that is stored later (load buffering), and a failed
 * compare-and-swap sees the newest value. What it does not do by itself, but here: a store that
 * nothing orders after another thread's store to the same word may turn out to be the earlier of
 * the two; and a seq_cst load may come early, before all but the seq_cst accesses that happened
 * before it, as on machines that let it pass accesses of weaker orders. (For Relacy the order of
 * seq_cst accesses is that of the schedule.)
 *
 *	model [--schedules=N] [--bound=N] [--limit=N] [--mutant=SITE:ORDER] [--case=NAME] [--history] [--sites]
 */
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef free
#undef calloc
#undef realloc
#undef errno
#undef assert

#include "cohart/detail/atomic_backend.h"
#include "model.h"

namespace
{

constexpr unsigned CELLS = 1u << 14; /* a power of two, many more than a model has words */
constexpr unsigned SITES = 4096;
constexpr size_t LOCAL_BYTES = 4096;
constexpr unsigned DEPTH = 5000; /* steps of a schedule; more are an endless run */

/* What is known of the memory at an address; of the schedule `round`, else unused. */
struct cell {
	uintptr_t address;
	uint64_t round;
	rl::atomic_data *word; /* NULL until an atomic access */
	rl::var_data *life;    /* every access counts as a read here, but plain writes and reuse */
	uint64_t seen[rl::atomic_history_size];
	uint64_t order[rl::atomic_history_size]; /* among seq_cst accesses; 0: it is none */
	uint64_t newest;
	bool newest_is_rmw; /* nothing comes between it and what it read */
};

cell cells[CELLS];
cell *live[CELLS];
unsigned live_count;
uint64_t round_now; /* schedules begun in this process */
uint64_t rounds;    /* ... in this search */
uint64_t rounds_max;

/* The seq_cst accesses of each thread: by its own clock, and their place in their common order. */
struct seq_cst_access {
	rl::timestamp_t at;
	uint64_t order;
};
seq_cst_access accesses[MODEL_THREADS][DEPTH];
size_t access_count[MODEL_THREADS];
uint64_t order_now;

char local_copy[MODEL_THREADS][LOCAL_BYTES];
unsigned local_owner;

unsigned mutant_site;
model_order mutant_order;
bool mutant_on;
bool reached[SITES];

const struct model *model_now;
/* Nobody has read a new word's first value yet; Relacy leaves that to chance. */
void (*forget_readers)(rl::atomic_data *, unsigned index);
/* Put the store just made, at index, behind the one before it. */
void (*swap_newest)(rl::atomic_data *, unsigned index, unsigned before);
/* A seq_cst load that comes behind the seq_cst accesses up to `bound`, maybe before later ones. */
unsigned (*load_seq_cst)(rl::atomic_data *, const uint64_t order[], uint64_t bound);
/* May a store that the running thread makes next be earlier than the newest one there is? */
bool (*may_be_earlier)(rl::atomic_data *, bool seq_cst);

rl::debug_info info_of(const model_place &at)
{
	return rl::debug_info(at.function, at.file, (unsigned)at.line);
}

void note(const model_place &at, const char *format, ...)
{
	rl::context &c = rl::ctx();
	char text[160];
	va_list args;

	if (!c.collecting_history())
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	c.exec_log(info_of(at), rl::user_msg_event{ text });
}

/* The runtime's _Thread_local variables follow the thread that runs; models.mk puts them here. */
extern "C" char __start_hart_local[] __attribute__((weak));
extern "C" char __stop_hart_local[] __attribute__((weak));

size_t local_bytes()
{
	return (size_t)(__stop_hart_local - __start_hart_local);
}

void local_switch()
{
	unsigned me = (unsigned)rl::ctx().threadx_->index_;

	if (me == local_owner)
		return;
	memcpy(local_copy[local_owner], __start_hart_local, local_bytes());
	memcpy(__start_hart_local, local_copy[me], local_bytes());
	local_owner = me;
}

/* As at boot, on every hart: they all begin with zeros. */
void local_reset()
{
	local_owner = (unsigned)rl::ctx().threadx_->index_;
	memset(local_copy, 0, sizeof(local_copy));
	memset(__start_hart_local, 0, local_bytes());
}

void step()
{
	rl::ctx().sched();
	local_switch();
}

cell &find(const void *p)
{
	uintptr_t address = (uintptr_t)p;

	for (size_t i = address / 4 * 0x9e3779b97f4a7c15u >> 40;; i++) {
		cell &c = cells[i % CELLS];

		if (c.round == round_now && c.address == address)
			return c;
		if (c.round != round_now) {
			c.address = address;
			c.round = round_now;
			c.word = nullptr;
			c.life = rl::ctx().var_ctor();
			live[live_count++] = &c;
			return c;
		}
	}
}

uint64_t memory(const void *p, unsigned bytes)
{
	return bytes == 4 ? *(const uint32_t *)p : *(const uint64_t *)p;
}

/* The running thread has made a seq_cst access: its place in their order. */
uint64_t log_seq_cst()
{
	rl::thread_info_base &t = *rl::ctx().threadx_;

	accesses[t.index_][access_count[t.index_]++] = { t.own_acq_rel_order_, ++order_now };
	return order_now;
}

/* The last seq_cst access that has happened before what the running thread does now. */
uint64_t last_seq_cst()
{
	rl::thread_info_base &t = *rl::ctx().threadx_;
	uint64_t last = 0;

	for (unsigned i = 0; i < model_now->threads; i++) {
		size_t n = access_count[i];

		while (n && accesses[i][n - 1].at > t.acq_rel_order_[i])
			n--;
		if (n && accesses[i][n - 1].order > last)
			last = accesses[i][n - 1].order;
	}
	return last;
}

void set(cell &c, void *p, unsigned bytes, unsigned index, uint64_t v, bool rmw)
{
	c.newest_is_rmw = rmw;
	if (bytes == 4)
		v = *(uint32_t *)p = (uint32_t)v;
	else
		*(uint64_t *)p = v;
	c.seen[index] = c.newest = v;
}

void race(const model_place &at)
{
	note(at, "race");
	rl::ctx().fail_test("no order keeps this access and another one apart",
			    rl::test_result_data_race, info_of(at));
}

/* The cell of an atomic word, for an access that is about to happen. */
cell &word(const void *p, unsigned bytes, const model_place &at)
{
	rl::context &x = rl::ctx();
	cell &c = find(p);

	if (!c.word) {
		unsigned index;

		c.word = x.atomic_ctor(&c);
		index = x.threadx_->atomic_init(c.word);
		forget_readers(c.word, index);
		c.seen[index] = c.newest = memory(p, bytes);
		c.order[index] = 0;
		c.newest_is_rmw = false;
	}
	if (!c.life->load(*x.threadx_))
		race(at);
	return c;
}

const char *name_of(model_order o)
{
	static const char *const name[] = { "relaxed", "acquire", "release", "acq_rel", "seq_cst" };

	return name[o];
}

[[noreturn]] void misuse(const char *what, const model_place &at)
{
	fprintf(stderr, "%s:%d: %s\n", at.file, at.line, what);
	exit(2);
}

uint64_t apply(model_op op, uint64_t a, uint64_t b)
{
	switch (op) {
	case MODEL_SWAP:
		return b;
	case MODEL_ADD:
		return a + b;
	case MODEL_AND:
		return a & b;
	default:
		return a | b;
	}
}

void release_cells(bool properly)
{
	for (unsigned i = 0; i < live_count && properly; i++) {
		if (live[i]->word)
			rl::ctx().atomic_dtor(live[i]->word);
		rl::ctx().var_dtor(live[i]->life);
	}
	live_count = 0;
}

template <int N> struct suite : rl::test_suite<suite<N>, N> {
	static void forget(rl::atomic_data *data, unsigned index)
	{
		auto &record = static_cast<rl::atomic_data_impl<N> *>(data)->history_[index];

		for (int i = 0; i < N; i++)
			record.first_seen_order_[i] = (rl::timestamp_t)-1;
	}

	static void swap(rl::atomic_data *data, unsigned index, unsigned before)
	{
		auto *history = static_cast<rl::atomic_data_impl<N> *>(data)->history_;

		std::swap(history[index], history[before]);
	}

	/* Neither has it happened before, nor has anybody read it whose read has. */
	static bool earlier(rl::atomic_data *data, bool seq_cst)
	{
		auto &d = *static_cast<rl::atomic_data_impl<N> *>(data);
		auto &newest = d.history_[d.current_index_ % rl::atomic_history_size];
		rl::thread_info_base &t = *rl::ctx().threadx_;

		if (newest.thread_id_ == t.index_ || (seq_cst && newest.seq_cst_) ||
		    t.acq_rel_order_[newest.thread_id_] >= newest.acq_rel_timestamp_)
			return false;
		for (int i = 0; i < N; i++) {
			if (t.acq_rel_order_[i] >= newest.first_seen_order_[i])
				return false;
		}
		return true;
	}

	static unsigned load(rl::atomic_data *data, const uint64_t order[], uint64_t bound)
	{
		auto *history = static_cast<rl::atomic_data_impl<N> *>(data)->history_;
		bool was[rl::atomic_history_size];
		unsigned index;

		for (size_t i = 0; i < rl::atomic_history_size; i++) {
			was[i] = history[i].seq_cst_;
			history[i].seq_cst_ = was[i] && order[i] <= bound;
		}
		index = rl::ctx().threadx_->atomic_load_seq_cst(data);
		for (size_t i = 0; i < rl::atomic_history_size; i++)
			history[i].seq_cst_ = was[i];
		return index;
	}

	suite()
	{
		release_cells(false);
		round_now++;
		forget_readers = forget;
		swap_newest = swap;
		may_be_earlier = earlier;
		load_seq_cst = load;
		order_now = 0;
		memset(access_count, 0, sizeof(access_count));
		local_reset();
		if (rounds == rounds_max)
			rl::ctx().rl_until("enough", rl::debug_info());
		rounds++;
	}

	~suite()
	{
		release_cells(true);
	}

	void before()
	{
		model_now->before(model_now->threads);
	}

	void thread(unsigned i)
	{
		local_switch();
		if (machine_enter)
			machine_enter();
		model_now->thread(i);
		if (machine_leave)
			machine_leave();
	}

	void after()
	{
		local_switch();
		if (model_now->after)
			model_now->after();
	}
};

template <int N> rl::test_result_e search(rl::test_params &params)
{
	rl::ostringstream state;
	rl::test_result_e result;

	if (params.search_type == rl::sched_random)
		result = rl::run_test<suite<N>, rl::random_scheduler<N>>(params, state, false);
	else
		result = rl::run_test<suite<N>, rl::context_bound_scheduler<N>>(params, state,
										false);
	params.initial_state = state.str();
	return result;
}

rl::test_result_e search(rl::test_params &params)
{
	switch (model_now->threads) {
	case 1:
		return search<1>(params);
	case 2:
		return search<2>(params);
	case 3:
		return search<3>(params);
	case 4:
		return search<4>(params);
	default:
		return search<5>(params);
	}
}

struct options {
	unsigned long schedules = 100000;
	unsigned long limit = 1000000;
	int bound = -1;
	const char *only = nullptr;
	bool history = false;
	bool sites = false;
};

/* One search of the model; false, with the reason on the console, if a schedule failed. */
bool run(const options &o, rl::scheduler_type_e type)
{
	rl::test_params params;
	rl::ostringstream said;
	rl::test_result_e result;
	bool bounded = type == rl::sched_bound;

	params.search_type = type;
	params.iteration_count = o.schedules;
	params.context_bound = o.bound >= 0 ? (unsigned)o.bound : model_now->bound;
	params.execution_depth_limit = DEPTH;
	params.output_stream = params.progress_stream = &said;
	rounds = 0;
	rounds_max = bounded ? o.limit : o.schedules;
	result = search(params);
	if (result == rl::test_result_success || result == rl::test_result_until_condition_hit) {
		if (bounded)
			printf("ok    %s: %s%lu schedules with up to %u preemptions\n",
			       model_now->name,
			       result == rl::test_result_success ? "all " : "the first ",
			       (unsigned long)rounds, params.context_bound);
		else
			printf("ok    %s: %lu random schedules\n", model_now->name,
			       (unsigned long)rounds);
		return true;
	}
	printf("FAIL  %s: %s, %s schedule %lu\n", model_now->name, rl::test_result_str(result),
	       bounded ? "exhaustive" : "random", (unsigned long)params.stop_iteration);
	if (o.history) {
		params.collect_history = true;
		rounds = 0;
		rounds_max = ~0ul;
		(void)search(params);
		fputs(said.str().c_str(), stdout);
	}
	return false;
}

/* SITE:ORDER, the order as its number. */
bool parse_mutant(const char *text)
{
	unsigned order;

	mutant_on = sscanf(text, "%u:%u", &mutant_site, &order) == 2 && order <= CO_SEQ_CST;
	mutant_order = (model_order)order;
	return mutant_on;
}

bool parse(options &o, const char *arg)
{
	const char *value = strchr(arg, '=');
	std::string name(arg, value ? (size_t)(value - arg) : strlen(arg));

	value = value ? value + 1 : "";
	if (name == "--schedules")
		o.schedules = strtoul(value, nullptr, 10);
	else if (name == "--limit")
		o.limit = strtoul(value, nullptr, 10);
	else if (name == "--bound")
		o.bound = atoi(value);
	else if (name == "--case")
		o.only = value;
	else if (name == "--history")
		o.history = true;
	else if (name == "--sites")
		o.sites = true;
	else if (name == "--mutant")
		return parse_mutant(value);
	else
		return false;
	return true;
}

} // namespace

enum model_order model_site(unsigned site, enum model_order o)
{
	reached[site % SITES] = true;
	return mutant_on && site == mutant_site ? mutant_order : o;
}

uint64_t model_load(const void *p, unsigned bytes, enum model_order o, struct model_place at)
{
	step();
	rl::thread_info_base *t = rl::ctx().threadx_;
	cell &c = word(p, bytes, at);
	unsigned index;

	switch (o) {
	case CO_RELAXED:
		index = t->atomic_load_relaxed(c.word);
		break;
	case CO_ACQUIRE:
		index = t->atomic_load_acquire(c.word);
		break;
	case CO_SEQ_CST:
		index = load_seq_cst(c.word, c.order, last_seq_cst());
		log_seq_cst();
		break;
	default:
		misuse("no such load", at);
	}
	note(at, "load %p %s: %#llx%s", p, name_of(o), (unsigned long long)c.seen[index],
	     c.seen[index] == c.newest ? "" : ", not the newest");
	return c.seen[index];
}

void model_store(void *p, unsigned bytes, uint64_t v, enum model_order o, struct model_place at)
{
	step();
	rl::thread_info_base *t = rl::ctx().threadx_;
	cell &c = word(p, bytes, at);
	uint64_t newest = c.newest;
	bool late = !c.newest_is_rmw && may_be_earlier(c.word, o == CO_SEQ_CST) && model_choose(2);
	unsigned index;

	switch (o) {
	case CO_RELAXED:
		index = t->atomic_store_relaxed(c.word);
		break;
	case CO_RELEASE:
		index = t->atomic_store_release(c.word);
		break;
	case CO_SEQ_CST:
		index = t->atomic_store_seq_cst(c.word);
		break;
	default:
		misuse("no such store", at);
	}
	c.order[index] = o == CO_SEQ_CST ? log_seq_cst() : 0;
	set(c, p, bytes, index, v, false);
	note(at, "store %p %s: %#llx%s", p, name_of(o), (unsigned long long)v,
	     late ? ", overtaken" : "");
	if (late) {
		unsigned before = (index + rl::atomic_history_size - 1) % rl::atomic_history_size;

		swap_newest(c.word, index, before);
		std::swap(c.order[index], c.order[before]);
		c.seen[before] = v;
		set(c, p, bytes, index, newest, false);
	}
}

uint64_t model_rmw(enum model_op op, void *p, unsigned bytes, uint64_t v, enum model_order o,
		   struct model_place at)
{
	step();
	rl::thread_info_base *t = rl::ctx().threadx_;
	cell &c = word(p, bytes, at);
	uint64_t before = c.newest;
	unsigned index;
	bool aba;

	switch (o) {
	case CO_RELAXED:
		index = t->atomic_rmw_relaxed(c.word, aba);
		break;
	case CO_ACQUIRE:
		index = t->atomic_rmw_acquire(c.word, aba);
		break;
	case CO_RELEASE:
		index = t->atomic_rmw_release(c.word, aba);
		break;
	case CO_ACQ_REL:
		index = t->atomic_rmw_acq_rel(c.word, aba);
		break;
	default:
		index = t->atomic_rmw_seq_cst(c.word, aba);
		break;
	}
	c.order[index] = o == CO_SEQ_CST ? log_seq_cst() : 0;
	set(c, p, bytes, index, apply(op, before, v), true);
	note(at, "%s %p %s: %#llx to %#llx",
	     op == MODEL_SWAP  ? "swap"
	     : op == MODEL_ADD ? "add"
	     : op == MODEL_AND ? "and"
			       : "or",
	     p, name_of(o), (unsigned long long)before, (unsigned long long)c.newest);
	return before;
}

bool model_cas(void *p, unsigned bytes, uint64_t old, uint64_t v, struct model_place at)
{
	step();
	rl::thread_info_base *t = rl::ctx().threadx_;
	cell &c = word(p, bytes, at);
	uint64_t before = c.newest;
	bool aba;

	if (before == old) {
		unsigned index = t->atomic_rmw_acq_rel(c.word, aba);

		c.order[index] = 0;
		set(c, p, bytes, index, v, true);
	} else {
		t->atomic_load_acquire_rmw(c.word);
	}
	note(at, "cas %p %#llx to %#llx: %#llx was there", p, (unsigned long long)old,
	     (unsigned long long)v, (unsigned long long)before);
	return before == old;
}

void model_plain(const void *p, bool write, struct model_place at)
{
	cell &c = find(p);
	rl::thread_info_base &t = *rl::ctx().threadx_;

	note(at, "plain %s %p", write ? "store" : "load", p);
	if (!(write ? c.life->store(t) : c.life->load(t)))
		race(at);
	/* Its value is memory's again. */
	if (write && c.word) {
		rl::ctx().atomic_dtor(c.word);
		c.word = nullptr;
	}
}

void model_retire(void *p, size_t bytes)
{
	model_place at = MODEL_HERE;
	uintptr_t from = (uintptr_t)p;

	for (unsigned i = 0; i < live_count; i++) {
		if (live[i]->address >= from && live[i]->address < from + bytes)
			model_plain((void *)live[i]->address, true, at);
	}
}

void model_fail(const char *what, const char *file, int line)
{
	rl::ctx().fail_test(what, rl::test_result_user_assert_failed,
			    rl::debug_info("", file, (unsigned)line));
}

unsigned model_thread(void)
{
	return (unsigned)rl::ctx().threadx_->index_;
}

unsigned model_choose(unsigned n)
{
	return rl::ctx().rand(n, rl::sched_type_user);
}

void model_yield(void)
{
	rl::yield(1, rl::debug_info());
	local_switch();
}

void model_step(void)
{
	step();
}

bool model_sleep(bool timed)
{
	rl::unpark_reason why =
		rl::ctx().park_current_thread(timed, false, false, rl::debug_info());

	local_switch();
	return why == rl::unpark_reason_timeout;
}

void model_wake(unsigned thread)
{
	rl::ctx().unpark_thread((rl::thread_id_t)thread, false, rl::debug_info());
}

/*
 * The runtime's files are compiled with -fsanitize=thread, and these stand in for its library: so
 * every plain access of theirs is watched, not only those that are named co_plain_.
 */
extern "C" char __executable_start[];

static void plain(void *p, bool write, void *pc)
{
	model_place at = { "in the runtime: see its line with addr2line -e", "?", 0 };

	/* A hart's own. */
	if (p == __errno_location())
		return;
	if ((char *)p >= __start_hart_local && (char *)p < __stop_hart_local)
		return;
	note(at, "from %#lx", (unsigned long)((char *)pc - __executable_start));
	model_plain(p, write, at);
}

#define HERE __builtin_return_address(0)
#define WATCH_ONE(name, bytes, write)      \
	void __tsan_##name##bytes(void *p) \
	{                                  \
		plain(p, write, HERE);     \
	}
#define WATCH(bytes)                            \
	WATCH_ONE(read, bytes, false)           \
	WATCH_ONE(write, bytes, true)           \
	WATCH_ONE(unaligned_read, bytes, false) \
	WATCH_ONE(unaligned_write, bytes, true)

extern "C" {
WATCH(1)
WATCH(2)
WATCH(4)
WATCH(8)
WATCH(16)

void __tsan_read_range(void *p, size_t)
{
	plain(p, false, HERE);
}

void __tsan_write_range(void *p, size_t)
{
	plain(p, true, HERE);
}

void __tsan_func_entry(void *)
{
}
void __tsan_func_exit()
{
}
void __tsan_init()
{
}
}

/* What the runtime's CO_ASSERT() and an unattended co_spin() call. */
extern "C" {
__attribute__((noreturn, weak)) void co_assert_failed(const char *what, const char *file, int line)
{
	model_fail(what, file, line);
	abort();
}

__attribute__((weak)) void co_spin(unsigned *spins)
{
	++*spins;
	model_yield();
}
}

int main(int argc, char **argv)
{
	options o;
	bool good = true;
	bool found = false;

	setvbuf(stdout, nullptr, _IOLBF, 0);
	if (local_bytes() > LOCAL_BYTES) {
		fprintf(stderr, "%s: too much that is a hart's own\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		if (!parse(o, argv[i])) {
			fprintf(stderr, "%s: what is '%s'?\n", argv[0], argv[i]);
			return 2;
		}
	}
	for (model_now = models; model_now->name; model_now++) {
		if (o.only && strcmp(o.only, model_now->name))
			continue;
		found = true;
		if (o.schedules && !run(o, rl::sched_random))
			good = false;
		else if ((o.bound >= 0 || model_now->bound) && o.limit && !run(o, rl::sched_bound))
			good = false;
		if (!good && mutant_on)
			break;
	}
	if (!found)
		fprintf(stderr, "%s: no such model\n", argv[0]);
	for (unsigned i = 0; i < SITES && o.sites; i++) {
		if (reached[i])
			printf("site  %u\n", i);
	}
	return good && found ? 0 : 1;
}
