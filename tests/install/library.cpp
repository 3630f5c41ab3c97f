// library.cpp - for ./run: headers of GCC's C++ library, on many harts. Exit code 42: all as it should be.
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include <cohart/cohart.h>

static std::mutex mutex;
static std::condition_variable changed;
static std::condition_variable_any any_changed;
static std::shared_mutex for_readers;
static bool turned;
static std::once_flag once;
static std::vector<std::string> lines;
static std::shared_ptr<int> shared;
static unsigned came, first;

static intptr_t works(void *arg)
{
	auto me = static_cast<unsigned>(reinterpret_cast<uintptr_t>(arg));

	std::call_once(once, [] { first++; });
	for (int i = 0; i < 1000; i++) {
		std::shared_ptr<int> mine = shared;

		if (*mine != 17)
			return -1;
	}
	std::unique_lock lock(mutex);
	lines.push_back("hart " + std::string(20, 'x') + std::to_string(me));
	came++;
	changed.notify_all();
	changed.wait(lock, [] { return came == co_harts(); });
	return static_cast<intptr_t>(lines.size());
}

int main()
{
	std::array<struct co *, 64> c;
	std::deque<int> numbers;
	std::function<int(int)> twice = [](int x) { return 2 * x; };
	std::variant<int, std::string_view> either = std::string_view("view");
	std::optional<int> none;
	intptr_t r;
	int wrong = 0;

	shared = std::make_shared<int>(17);
	for (unsigned i = 0; i < co_harts(); i++) {
		co_attr a = {};

		a.on = CO_ON_HART(i);
		if (co_spawn(&c.at(i), &a, works, reinterpret_cast<void *>(static_cast<uintptr_t>(i))))
			return 1;
	}
	for (unsigned i = 0; i < co_harts(); i++)
		wrong += co_join(c[i], &r) || r != static_cast<intptr_t>(co_harts());
	std::sort(lines.begin(), lines.end());
	for (int i = 0; i < 100; i++)
		numbers.push_front(twice(i));
	wrong += std::accumulate(numbers.begin(), numbers.end(), 0) != 9900 || none.has_value();
	wrong += std::get<std::string_view>(either) != "view" || first != 1 || shared.use_count() != 1;

	auto begin = std::chrono::steady_clock::now();
	std::vector<std::thread> threads;
	for (int i = 0; i < 5; i++)
		threads.emplace_back([i] {
			std::this_thread::sleep_for(std::chrono::milliseconds(2));
			std::lock_guard lock(mutex);
			lines.at(0) += std::to_string(i);
		});
	threads.emplace_back([] {
		std::shared_lock lock(for_readers);
		any_changed.wait(lock, [] { return turned; });
	});
	{
		std::unique_lock lock(for_readers);
		turned = true;
	}
	any_changed.notify_all();
	for (auto &t : threads)
		t.join();
	wrong += lines[0].size() != 31 || std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2);
	printf("%d wrong, %s\n", wrong, lines.back().c_str());
	return wrong ? 1 : 42;
}
