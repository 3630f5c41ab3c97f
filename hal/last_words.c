/* last_words.c - the report of a fault where nothing but the console may be used. */
#include <string.h>

#include <hal/console.h>
#include <hal/host.h>
#include <hal/trap.h>

void hal_console_write_hex(const char *name, uintptr_t v)
{
	char text[2 * sizeof(v)];

	for (unsigned i = 0; i < sizeof(text); i++)
		text[sizeof(text) - 1 - i] = "0123456789abcdef"[v >> (4 * i) & 15];
	hal_console_write(name, strlen(name));
	hal_console_write(text, sizeof(text));
}

void hal_fault_again(uintptr_t pc, uintptr_t address, uintptr_t sp)
{
	hal_console_write_hex("\nfault in the fault handler: no report can be had\n  pc 0x", pc);
	hal_console_write_hex("  address 0x", address);
	hal_console_write_hex("  sp 0x", sp);
	hal_console_write("\n", 1);
	hal_host_exit(1);
}
