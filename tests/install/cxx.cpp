// cxx.cpp - for ./run: what C++ needs of the runtime. Prints a line for each; exit code 42: all as it should be.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <cohart/cohart.h>

static unsigned wrong;

static void check(bool good, const char *what)
{
	printf("%-5s %s\n", good ? "ok" : "wrong", what);
	wrong += !good;
}

// ---- Statics of functions ----

static co_a32 made, destroyed;

struct slow {
	int value = 0;
	slow()
	{
		co_atomic_add(&made, 1, CO_RELAXED);
		if (co_sleep_us(2000) == 0)
			value = 42;
	}
};

static slow &the_one()
{
	static slow s;

	return s;
}

static intptr_t uses(void *)
{
	return the_one().value;
}

// Two on each hart come to it at once.
static void statics_are_made_once()
{
	enum { N = 8 };
	struct co *c[N];
	intptr_t r;
	int good = 0;

	for (unsigned i = 0; i < N; i++) {
		co_attr a = {};
		a.on = CO_ON_HART(i % co_harts());
		if (co_spawn(&c[i], &a, uses, nullptr))
			return check(false, "spawn");
	}
	for (unsigned i = 0; i < N; i++)
		good += co_join(c[i], &r) == 0 && r == 42;
	check(good == N && co_atomic_load(&made, CO_RELAXED) == 1, "a static of a function");
}

static bool fails;

static int made_by_faulting()
{
	if (fails)
		*(volatile int *)0x23458 = 1;
	return 7;
}

static intptr_t uses_faulty(void *)
{
	static int value = made_by_faulting();

	return value;
}

static void the_next_makes_it_after_a_fault()
{
	struct co *c;
	intptr_t r = 0;

	fails = true;
	bool first = co_spawn(&c, nullptr, uses_faulty, nullptr) == 0 && co_join(c, &r) == -EFAULT;
	fails = false;
	bool second = co_spawn(&c, nullptr, uses_faulty, nullptr) == 0 && co_join(c, &r) == 0;
	check(first && second && r == 7, "its initialization anew, after a fault");
}

// ---- Thread-locals ----

struct counted {
	int x = 5;
	~counted()
	{
		co_atomic_add(&destroyed, 1, CO_RELAXED);
		printf("hart %u destroys %d\n", co_hart(), x);
	}
};

static thread_local counted of_hart;

static intptr_t touches(void *)
{
	return of_hart.x++;
}

static void thread_locals_are_the_harts()
{
	struct co *c;
	intptr_t r;
	int good = 0;

	for (unsigned i = 0; i < 2 * co_harts(); i++) {
		co_attr a = {};
		a.on = CO_ON_HART(i % co_harts());
		good += co_spawn(&c, &a, touches, nullptr) == 0 && co_join(c, &r) == 0 && r == (intptr_t)(5 + i / co_harts());
	}
	check(good == (int)(2 * co_harts()), "thread_local: made once a hart");
}

// ---- new and delete ----

struct alignas(256) wide {
	char bytes[256];
};

struct plain {
	virtual int get() = 0;
	virtual ~plain()
	{
	}
};

struct derived : plain {
	int x;
	explicit derived(int of) : x(of)
	{
	}
	int get() override
	{
		return x;
	}
};

static void handler()
{
	static char *spare = new char[10];

	delete[] spare;
	std::set_new_handler(nullptr);
}

static void memory()
{
	plain *p = new derived(3);
	auto *array = new derived *[100]();
	auto *w = new wide, *ws = new wide[3];
	volatile size_t all = SIZE_MAX / 4;
	auto *none = new (std::nothrow) char[all];
	auto *some = new (std::nothrow) wide;
	alignas(derived) char place[sizeof(derived)];
	auto *placed = new (place) derived(9);

	check(p->get() == 3 && !array[99] && placed->get() == 9 && !none, "new, new[], nothrow, placement");
	check((uintptr_t)w % 256 + (uintptr_t)ws % 256 + (uintptr_t)some % 256 == 0, "new of what is aligned to 256");
	std::set_new_handler(handler);
	none = new (std::nothrow) char[all];
	check(!none && !std::get_new_handler(), "the new handler");
	placed->~derived();
	delete p;
	delete[] array;
	delete w;
	delete[] ws;
	delete some;
}

// ---- Order ----

static char order[64];

struct noted {
	char c;
	explicit noted(char of) : c(of)
	{
		order[strlen(order)] = c;
	}
	~noted()
	{
		printf("~%c%s", c, c == 'a' ? "\n" : " ");
	}
};

// Within a file from top to bottom, and backwards; more than a C library's table has room for.
static noted a('a'), b('b'), c('c');

struct many {
	int n = 0;
	~many()
	{
		static int left = 100;

		if (--left == 0)
			printf("100 destroyed, after %u thread-locals\n",
			       (unsigned)co_atomic_load(&destroyed, CO_RELAXED));
	}
};

template <int n> static void make()
{
	static many one;

	one.n++;
	if constexpr (n > 1)
		make<n - 1>();
}

int main()
{
	check(!strcmp(order, "abc"), "constructors in their order");
	statics_are_made_once();
	the_next_makes_it_after_a_fault();
	thread_locals_are_the_harts();
	memory();
	make<100>();
	static noted last('d');
	check(wrong == 0 && order[3] == 'd', "main() is at its end");
	return wrong ? 1 : 42;
}
