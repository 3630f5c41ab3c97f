// throws.cpp - for ./run: exceptions and types at run time, where a C++ library has them. Exit code 42: all as it should be.
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include <cohart/cohart.h>

struct base {
	virtual ~base() = default;
};

struct derived : base {
};

static co_a32 unwound;

struct unwinds {
	~unwinds()
	{
		co_atomic_add(&unwound, std::uncaught_exceptions() == 1, CO_RELAXED);
	}
};

static int deep(int n)
{
	unwinds u;

	if (n == 0)
		throw std::runtime_error("deep " + std::to_string(co_hart()));
	return deep(n - 1) + 1;
}

// While one coroutine is in a handler, others of its hart throw.
static intptr_t throws(void *)
{
	int good = 0;

	for (int i = 0; i < 20; i++) {
		try {
			deep(10);
		} catch (const std::exception &e) {
			if (co_sleep_us(100))
				return -1;
			try {
				deep(3);
			} catch (const std::logic_error &) {
				return -1;
			} catch (...) {
				good++;
			}
			try {
				throw;
			} catch (const std::runtime_error &again) {
				good += &again == &e && e.what() == "deep " + std::to_string(co_hart());
			}
		}
	}
	return good;
}

static int fails_twice()
{
	static int tries;
	struct maker {
		maker()
		{
			if (tries++ < 2)
				throw 1;
		}
	};
	static maker m;

	return tries;
}

int main()
{
	enum { N = 12 };
	struct co *c[N];
	std::map<std::string, int> map = { { "a", 1 }, { "b", 2 } };
	base *b = new derived;
	intptr_t r;
	int wrong = 0, caught = 0;

	for (unsigned i = 0; i < N; i++) {
		co_attr a = {};

		a.on = CO_ON_HART(i % co_harts());
		a.stack = CO_STACK_MAIN;
		if (co_spawn(&c[i], &a, throws, nullptr))
			return 1;
	}
	for (unsigned i = 0; i < N; i++)
		wrong += co_join(c[i], &r) || r != 40;
	wrong += co_atomic_load(&unwound, CO_RELAXED) != N * 20 * (11 + 4);
	wrong += !dynamic_cast<derived *>(b) || typeid(*b) != typeid(derived) || map["b"] != 2;
	try {
		volatile size_t all = SIZE_MAX / 4;

		char *volatile never = new char[all];

		delete[] never;
	} catch (const std::bad_alloc &) {
		caught++;
	}
	for (int i = 0; i < 3; i++) {
		try {
			wrong += fails_twice() != 3;
		} catch (int) {
			caught++;
		}
	}
	printf("%d wrong, %d caught\n", wrong, caught);
	return wrong || caught != 3 ? 1 : 42;
}
