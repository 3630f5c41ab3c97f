/* fdt.c - fuzzes device trees: any bytes, at any alignment, of the size they say or less. */
#include "../../hal/drivers/fdt.c"
#include "fuzz.h"

/* Whatever is said of a device lies in the blob, and is as much as there is room for. */
static void ask_devices(const void *dtb, size_t limit)
{
	const uint8_t *p = dtb;
	struct hal_device d;
	int r = 0;

	for (unsigned n = 0; n < 20 && r == 0; n++) {
		size_t bytes = 0;
		const uint8_t *value;

		r = hal_fdt_device(dtb, limit, n & 1 ? "riscv,plic0" : NULL, n / 2, &d);
		MUST(r == 0 || r == -EINVAL || r == -ENOENT);
		if (r)
			continue;
		MUST((const uint8_t *)d.compatible > p &&
		     (const uint8_t *)d.compatible + strlen(d.compatible) < p + limit);
		MUST(d.ranges <= HAL_DEVICE_RANGES && d.lines <= HAL_DEVICE_LINES);
		for (unsigned i = 0; i < d.ranges; i++)
			MUST(d.range[i].bytes &&
			     d.range[i].base + (d.range[i].bytes - 1) >= d.range[i].base);
		value = hal_fdt_property(dtb, limit, d.node, "compatible", &bytes);
		MUST(value && value > p && value + bytes <= p + limit);
	}
}

/* A copy has the harts and the devices of the blob. */
static void pack(const void *dtb, size_t limit)
{
	size_t bytes = hal_fdt_pack(dtb, limit, NULL);
	void *copy = malloc(bytes + !bytes);

	MUST(bytes <= HEADER_BYTES + 2 * limit); /* blocks may overlap */
	MUST(hal_fdt_pack(dtb, limit, copy) == bytes);
	MUST(!bytes || hal_fdt_harts(copy, bytes, NULL, 0) == hal_fdt_harts(dtb, limit, NULL, 0));
	if (bytes)
		ask_devices(copy, bytes);
	free(copy);
}

static void ask(const void *dtb, size_t limit, unsigned max)
{
	uintptr_t *hwid = malloc(max * sizeof(*hwid) + !max), base = 1;
	size_t bytes = 2;
	int n = hal_fdt_harts(dtb, limit, hwid, max);
	int r = hal_fdt_memory(dtb, limit, &base, &bytes);

	const char *words = hal_fdt_words(dtb, limit);

	MUST(!words || ((const uint8_t *)words > (const uint8_t *)dtb &&
			(const uint8_t *)words + strlen(words) < (const uint8_t *)dtb + limit));
	MUST(n >= 0 || n == -EINVAL);
	for (int i = 1; i < n && i < (int)max; i++)
		MUST(hwid[i - 1] < hwid[i]);
	MUST(r == 0 || r == -EINVAL || r == -ENOENT);
	MUST(r ? base == 1 && bytes == 2 : bytes && base + (bytes - 1) >= base);
	free(hwid);
	ask_devices(dtb, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *odd = malloc(size + 1);

	pack(data, size);
	ask(data, size, 0);
	ask(data, size, 1);
	ask(data, size, 3);
	memcpy(odd + 1, data, size);
	ask(odd + 1, size, 512);
	free(odd);
	ask(data, size / 2, 2);
	return 0;
}
