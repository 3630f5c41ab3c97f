// wrong.cpp - for ./run: mistakes that only C++ has; the first argument says which.
#include <cerrno>
#include <cstring>
#include <new>
#ifdef LIBRARY
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>
#endif

#include <cohart/cohart.h>

struct abstract {
	abstract()
	{
		calls();
	}
	virtual ~abstract()
	{
	}
	virtual void pure() = 0;
	void calls()
	{
		pure();
	}
};

struct concrete : abstract {
	void pure() override
	{
	}
};

static int itself()
{
	static int value = itself();

	return value + 1;
}

static intptr_t errs(void *arg)
{
	auto *what = static_cast<const char *>(arg);
	volatile size_t all = SIZE_MAX / 4;

	if (!strcmp(what, "pure"))
		delete new concrete;
	if (!strcmp(what, "itself"))
		return itself();
	if (!strcmp(what, "memory")) {
		char *volatile never = new char[all];

		delete[] never;
	}
#ifdef LIBRARY
	if (!strcmp(what, "range"))
		return std::vector<int>(3).at(all % 7 + 3);
	if (!strcmp(what, "empty"))
		return std::function<int()>()();
	if (!strcmp(what, "unjoinable"))
		std::thread().join();
	if (!strcmp(what, "system"))
		std::__throw_system_error(EPERM);
	if (!strcmp(what, "optional"))
		return std::optional<int>().value();
#endif
	return 0;
}

int main(int, char **argv)
{
	struct co *c;
	co_attr a = {};

	a.on = CO_ON_HART(1);
	return co_spawn(&c, &a, errs, argv[1]) || co_join(c, nullptr) != -EFAULT ? 1 : 42;
}
