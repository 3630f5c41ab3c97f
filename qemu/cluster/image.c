/* image.c - what cohart-rank looks for in an image: an ELF file, with symbols. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rank.h"

/* A part of the file; NULL: the file has no such bytes. */
static const void *part(const unsigned char *file, size_t bytes, uint64_t at, uint64_t n)
{
	return at <= bytes && n <= bytes - at ? file + at : NULL;
}

/* FNV-1a, of eight bytes at a time. */
static uint64_t sum_of(const unsigned char *file, size_t bytes)
{
	uint64_t sum = 0xcbf29ce484222325 ^ bytes, word;

	for (size_t i = 0; i < bytes; i += sizeof(word)) {
		word = 0;
		memcpy(&word, file + i, bytes - i < sizeof(word) ? bytes - i : sizeof(word));
		sum = (sum ^ word) * 0x100000001b3;
		sum ^= sum >> 32;
	}
	return sum;
}

static void look_at_symbols(const Elf64_Sym *symbols, size_t n, const char *names,
			    size_t names_bytes, struct image *image)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = symbols[i].st_name;

		if (at >= names_bytes) /* the names' last byte is 0 */
			continue;
		if (!strcmp(names + at, "__ram_base"))
			image->ram_base = symbols[i].st_value;
		else if (!strcmp(names + at, "hal_uplink_ram") &&
			 symbols[i].st_size == sizeof(struct uplink_ram))
			image->uplink = symbols[i].st_value;
		else if (!strcmp(names + at, "co_cluster_boards"))
			image->has_word = true;
	}
}

static const char *look_at(const unsigned char *file, size_t bytes, struct image *image)
{
	const Elf64_Ehdr *head = part(file, bytes, 0, sizeof(*head));
	const Elf64_Shdr *section;

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64)
		return "is no image for a board of 64 bits";
	image->sum = sum_of(file, bytes);
	section = part(file, bytes, head->e_shoff, (uint64_t)head->e_shnum * sizeof(*section));
	for (unsigned i = 0; section && i < head->e_shnum; i++) {
		const Elf64_Shdr *s = &section[i], *names;
		const void *symbols = part(file, bytes, s->sh_offset, s->sh_size);
		const char *text;

		if (s->sh_type != SHT_SYMTAB || !symbols || s->sh_link >= head->e_shnum ||
		    (uintptr_t)symbols % alignof(Elf64_Sym))
			continue;
		names = &section[s->sh_link];
		text = part(file, bytes, names->sh_offset, names->sh_size);
		if (text && names->sh_size && !text[names->sh_size - 1])
			look_at_symbols(symbols, s->sh_size / sizeof(Elf64_Sym), text,
					names->sh_size, image);
	}
	if (!image->uplink || !image->ram_base)
		return "does not use an uplink, or has no symbols (strip), or its board has none";
	return NULL;
}

const char *image_read(const char *file, struct image *image)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat status;
	const char *wrong;
	void *bytes;

	*image = (struct image){ 0 };
	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || !status.st_size) {
		close(fd);
		return "is no image";
	}
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return strerror(errno);
	wrong = look_at(bytes, (size_t)status.st_size, image);
	munmap(bytes, (size_t)status.st_size);
	return wrong;
}
