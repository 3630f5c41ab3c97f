// replaced.cpp - for ./run: a program's own operator new and delete serve all forms that stand on them.
#include <cstdio>
#include <cstdlib>
#include <new>

static int made, freed;

void *operator new(size_t bytes)
{
	made++;
	return malloc(bytes);
}

void operator delete(void *p) noexcept
{
	freed++;
	free(p);
}

struct two {
	int x[2];
	~two()
	{
	}
};

int main()
{
	delete new int(1);
	delete[] new two[3];
	delete new (std::nothrow) two;
	delete[] new (std::nothrow) two[3];
	printf("%d made, %d freed\n", made, freed);
	return made == 4 && freed == 4 ? 42 : 1;
}
