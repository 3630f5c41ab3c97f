/* fdt.c - fuzzes device trees: any bytes, at any alignment, of the size they say or less. */
#include "../../hal/drivers/fdt.c"
#include "fuzz.h"

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
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *odd = malloc(size + 1);

	ask(data, size, 0);
	ask(data, size, 1);
	ask(data, size, 3);
	memcpy(odd + 1, data, size);
	ask(odd + 1, size, 512);
	free(odd);
	ask(data, size / 2, 2);
	return 0;
}
