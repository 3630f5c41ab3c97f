// containers.cpp - for ./run: map, set, list and hash tables, against a sorted vector. Exit code 42: all as it should be.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

static int wrong;

static void check(bool holds, const char *what)
{
	if (!holds && ++wrong < 20)
		printf("wrong: %s\n", what);
}

static uint32_t random_state = 1;
static unsigned below(unsigned n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

// The black nodes on each way from x down, or -1: two ways differ, or a red node has a red child.
static int blacks(const std::_Rb_tree_node_base *x)
{
	int left, right;

	if (!x)
		return 0;
	left = blacks(x->_M_left);
	right = blacks(x->_M_right);
	for (auto *child : { x->_M_left, x->_M_right })
		if (child && (child->_M_parent != x || (x->_M_color == std::_S_red && child->_M_color == std::_S_red)))
			return -1;
	return left < 0 || left != right ? -1 : left + (x->_M_color == std::_S_black);
}

static bool is_balanced(const std::set<unsigned> &s)
{
	auto *header = s.end()._M_node;

	return s.empty() ? header->_M_parent == nullptr
			 : blacks(header->_M_parent) > 0 && header->_M_parent->_M_parent == header;
}

static void trees(unsigned keys)
{
	std::set<unsigned> s;
	std::vector<unsigned> v;

	for (unsigned i = 0; i < 4000; i++) {
		unsigned key = below(keys);
		auto at = std::lower_bound(v.begin(), v.end(), key);
		bool there = at != v.end() && *at == key;

		if (below(1 + i / 1000) == 0) {
			check(s.insert(key).second == !there, "an insertion");
			if (!there)
				v.insert(at, key);
		} else {
			check(s.erase(key) == there, "an erasure");
			if (there)
				v.erase(at);
		}
		if (i % 16 == 0) {
			check(is_balanced(s), "the balance");
			check(std::equal(s.begin(), s.end(), v.begin(), v.end()), "the order");
			check(std::equal(s.rbegin(), s.rend(), v.rbegin(), v.rend()), "the order backwards");
		}
	}
	while (!s.empty()) {
		s.erase(below(2) ? s.begin() : std::prev(s.end()));
		check(is_balanced(s), "the balance of a few");
	}
	check(s.begin() == s.end(), "an empty set");
}

static void maps()
{
	std::map<std::string, int> ages;
	std::multimap<int, int> many;

	for (int i = 0; i < 1000; i++)
		ages[std::to_string(i * 7919 % 1000)] += i;
	check(ages.size() == 1000 && ages.begin()->first == "0" && ages.rbegin()->first == "999", "a map");
	check(ages.count("500") == 1 && ages.find("1000") == ages.end(), "a look in a map");
	for (int i = 0; i < 100; i++)
		many.emplace(i % 3, i);
	check(many.count(0) == 34 && many.lower_bound(1)->second == 1, "a multimap");
}

static void lists()
{
	std::list<int> a, b, none;

	for (int i = 0; i < 100; i++)
		a.push_back(i * 37 % 100);
	a.sort();
	check(std::is_sorted(a.begin(), a.end()) && a.size() == 100, "a sort");
	a.reverse();
	check(a.front() == 99 && a.back() == 0, "a reversal");
	b.splice(b.end(), a, std::next(a.begin(), 10), std::next(a.begin(), 20));
	check(b.size() == 10 && b.front() == 89 && b.back() == 80 && a.size() == 90, "a splice");
	b.splice(b.begin(), b, std::prev(b.end()));
	check(b.front() == 80 && b.back() == 81 && b.size() == 10, "a splice within a list");
	b.swap(none);
	check(b.empty() && none.size() == 10 && none.back() == 81, "a swap with an empty list");
	none.swap(a);
	check(none.front() == 99 && a.front() == 80, "a swap");
	a.remove_if([](int x) { return x % 2; });
	a.merge(none, std::greater<int>());
	check(none.empty() && a.size() == 95, "a merge");
}

static void hashes()
{
	std::unordered_map<std::string, int> words;
	std::unordered_set<unsigned> numbers;
	std::vector<bool> there(5000);
	unsigned count = 0;

	for (int i = 0; i < 3000; i++)
		words["word " + std::to_string(i % 1000)]++;
	check(words.size() == 1000 && words.at("word 7") == 3 && !words.count("word"), "a table of words");
	check(words.load_factor() <= words.max_load_factor(), "the load");
	for (unsigned i = 0; i < 20000; i++) {
		unsigned key = below(5000);

		if (below(3)) {
			numbers.insert(key);
			count += !there[key];
		} else {
			numbers.erase(key);
			count -= there[key];
		}
		there[key] = numbers.count(key) != 0;
		check(numbers.size() == count, "the size of a table");
	}
	numbers.max_load_factor(0.25F);
	numbers.rehash(0);
	check(numbers.bucket_count() >= 4 * count && numbers.size() == count, "a rehash");
	numbers.reserve(10000);
	for (unsigned key = 0; key < 5000; key++)
		check((numbers.count(key) != 0) == there[key], "a key after a rehash");
	numbers.clear();
	check(numbers.empty() && numbers.insert(1).second, "an empty table");
}

int main()
{
	trees(8);
	trees(100);
	trees(5000);
	maps();
	lists();
	hashes();
	printf("%d wrong\n", wrong);
	return wrong ? 1 : 42;
}
