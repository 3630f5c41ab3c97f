/* test_device.c - devices of the device tree, or of the board's table. */
#include <hal/board.h>
#include <hal/console.h>

#include <cohart/device.h>

#include "harness/test.h"

static uint32_t cell(const void *p)
{
	const uint8_t *b = p;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static unsigned devices(const char *compatible)
{
	struct co_device_info d;
	unsigned n = 0;

	while (co_device_find(compatible, n, &d) == 0)
		n++;
	return n;
}

TEST(a_device_that_is_not_there_is_not_found)
{
	struct co_device_info d = { .ranges = 77 };

	CHECK_EQ(co_device_find("nobody,nothing", 0, &d), -ENOENT);
	CHECK_EQ(co_device_find(NULL, devices(NULL), &d), -ENOENT);
	CHECK_EQ(d.ranges, 77);
}

TEST(the_console_is_a_device_with_its_registers_and_line)
{
	struct co_device_info d;
	bool found = false;

	if (!hal_console_line)
		SKIP("this board has no UART");

	for (unsigned n = 0; !found && co_device_find(NULL, n, &d) == 0; n++)
		found = d.lines && d.line[0] == hal_console_line;
	REQUIRE(found);
	CHECK_EQ(d.lines, 1);
	CHECK_EQ(d.ranges, 1);
}

TEST(devices_of_one_kind_are_counted)
{
	unsigned n = devices("virtio,mmio");
	uintptr_t last = 0;

	if (!n)
		SKIP("no virtio on this board");
	CHECK(n == 8 || n == 32); /* RISC-V, Arm */
	for (unsigned i = 0; i < n; i++) {
		struct co_device_info d;

		REQUIRE_EQ(co_device_find("virtio,mmio", i, &d), 0);
		CHECK_EQ(*(volatile uint32_t *)d.range[0].registers, 0x74726976); /* "virt" */
		CHECK((uintptr_t)d.range[0].registers != last);
		CHECK(d.lines == 1 && d.line[0]);
		last = (uintptr_t)d.range[0].registers;
	}
}

static intptr_t read_magic(void *registers)
{
	return *(volatile uint32_t *)registers;
}

TEST(registers_are_mapped_on_all_harts)
{
	struct co_device_info d;

	if (co_device_find("virtio,mmio", 0, &d))
		SKIP("no virtio on this board");
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, read_magic,
					 (void *)(uintptr_t)d.range[0].registers)),
		 0x74726976);
}

TEST(properties_are_those_of_the_tree)
{
	struct co_device_info d;
	const void *reg;
	size_t bytes = 0;

	if (co_device_find("virtio,mmio", 0, &d))
		SKIP("no virtio on this board");
	reg = co_device_property(&d, "reg", &bytes);
	REQUIRE(reg && bytes >= 8);
	CHECK_EQ(cell((const char *)reg + bytes / 2 - 4),
		 (uint32_t)(uintptr_t)d.range[0].registers);
	CHECK(!co_device_property(&d, "no-such-property", &bytes));
}
