/*
 * render - pictures of a volume, by rays through it, and of a landscape: tiles of a picture are
 * dealt to the threads of an OpenMP team. A PC builds it, too, and has the same bits (README.md).
 *
 * Source: seed E14.
 */
#include <errno.h>
#include <stdio.h>

#include "../common/options.h"
#include "../common/picture.h"
#include "machine.h"
#include "render.h"

static const char usage[] =
	"usage: render [OPTION]...\n"
	"Draw a volume or a landscape by all threads, tile by tile; on the screen, if there is one.\n"
	"\n"
	"      --scene=NAME      volume (default) or terrain\n"
	"  -s, --size=WxH        pixels, 8x8 to 2048x2048 (default 160x120)\n"
	"      --order=NAME      of a volume: image (default), each ray through the whole field; or\n"
	"                        object, bricks of the field into the rays that they cover\n"
	"      --schedule=NAME   how tiles are dealt: dynamic (default), static, tasks\n"
	"  -t, --tile=N          pixels of its sides, 1 to 32 (default 16)\n"
	"  -f, --field=FILE      bytes of the volume (default: the signal of Marschner and Lobb)\n"
	"      --shape=XxY       its points in a row, its rows; the file says how many such planes\n"
	"  -g, --grid=N          points of the signal each way (default 64); of the landscape: 256\n"
	"  -l, --level=N         values from there on are opaque (default 128); 0: from 127 on\n"
	"                        blue downwards, red upwards, as weather's are\n"
	"      --angle=X, --tilt=X, --zoom=X   from where (30; 55 or 20; 1)\n"
	"  -n, --frames=N        once around in so many pictures (default 1)\n"
	"  -o, --out=NAME        write NAME-0.png, ...\n"
	"      --check           fail if it cannot be what is there\n"
	"      --help            print this\n";

#define POINTS_MOST (1 << 28)
#define PLANES_MOST 4096
#define LEAST (1.0f / 256)
#define SEEN_NEAR 0.005   /* of a volume: the share that its picture lacks, or has too much of */
#define FEW 32            /* points along an axis: a sum by samples is less exact then */
#define HIDDEN_MOST 0.001 /* of a landscape's points, before its picture: those at outlines */

static const char *const scenes[] = { "volume", "terrain" }, *const orders[] = { "image",
										 "object" };
static const char *const schedules[] = { "dynamic", "static", "tasks" };
enum { DYNAMIC, STATIC, TASKS };

static struct {
	int scene, order, schedule;
	unsigned tile, grid, level, frames;
	double angle, tilt, zoom;
	const char *size, *field, *shape, *out;
	bool check;
} options = { .size = "160x120",
	      .tile = 16,
	      .level = 128,
	      .frames = 1,
	      .angle = 30,
	      .tilt = 100, /* none is given */
	      .zoom = 1 };

static struct picture_of picture;
static double there;       /* the sum of the field */
static struct near **near; /* of each thread */
static uint64_t bits = 0xcbf29ce484222325;

static int say(const char *what, const char *why)
{
	fprintf(stderr, "render: %s: %s\n", what, why);
	return 1;
}

static void *take(size_t n, size_t bytes)
{
	void *p = calloc(n, bytes);

	if (!p) {
		fprintf(stderr, "render: no memory for %llu KiB (MEM=)\n",
			(unsigned long long)n * bytes / 1024 + 1);
		exit(1);
	}
	return p;
}

/* ---- What is drawn ---- */

/* The signal, or the file's bytes. Returns 0 or an exit code. */
static int read_points(uint8_t *points, size_t n, FILE *file)
{
	const int *shape = picture.field.n;

	if (file)
		return fread(points, 1, n, file) == n ? 0 : say(options.field, "cannot be read");
#pragma omp parallel for schedule(dynamic)
	for (int z = 0; z < shape[2]; z++)
		signal_plane(shape, z, points + (size_t)z * (size_t)(shape[0] * shape[1]));
	return 0;
}

/* How many planes the file has. Returns 0 or an exit code. */
static int measure(FILE *file, int n[3])
{
	long bytes = fseek(file, 0, SEEK_END) ? -1 : ftell(file), plane = (long)n[0] * n[1];
	char why[100];

	rewind(file);
	if (bytes >= 2 * plane && bytes % plane == 0 && bytes <= POINTS_MOST &&
	    bytes / plane <= PLANES_MOST) {
		n[2] = (int)(bytes / plane);
		return 0;
	}
	snprintf(why, sizeof(why), "%ld bytes are not 2 to %d planes of %d x %d, 2^28 in all",
		 bytes, PLANES_MOST, n[0], n[1]);
	return bytes < 0 ? say(options.field, strerror(errno)) : say(options.field, why);
}

static int make_field(struct field *f)
{
	FILE *file = options.field ? fopen(options.field, "rb") : NULL;
	uint8_t *points;
	size_t n;
	int r = 0, bricks = 1;

	if (options.field && !file)
		return say(options.field, strerror(errno));
	if (file)
		r = measure(file, f->n);
	else
		f->n[0] = f->n[1] = f->n[2] = (int)options.grid;
	if (r == 0) {
		n = (size_t)f->n[0] * (size_t)f->n[1] * (size_t)f->n[2];
		points = take(n, 1);
		for (int i = 0; i < 3; i++) {
			f->bricks[i] = (f->n[i] - 2) / BRICK + 1;
			bricks *= f->bricks[i];
		}
		f->brick = take((size_t)bricks, BRICK_BYTES);
		r = read_points(points, n, file);
#pragma omp parallel for
		for (int b = 0; b < bricks; b++)
			brick_fill(f, points, b);
		if (options.check)
			there = points_sum(f->n, points);
		free(points);
	}
	if (file)
		fclose(file);
	return r;
}

static void make_ground(void)
{
	int side = picture.side = (int)options.grid;

	picture.ground = take((size_t)side * (size_t)side, sizeof(float));
#pragma omp parallel for
	for (int z = 0; z < side; z++)
		ground_row(picture.ground + z * side, side, z);
}

/* ---- A picture ---- */

struct work {
	struct near *near;
	int tile;
	bool done;
};

static intptr_t draw_tile(void *arg)
{
	struct work *w = arg;
	int across = (picture.width - 1) / picture.tile + 1;
	int left = w->tile % across * picture.tile, top = w->tile / across * picture.tile;

	w->done = true;
	if (picture.scene == TERRAIN)
		terrain_tile(&w->near->p, left, top);
	else
		w->done = volume_tile(w->near, left, top);
	return 0;
}

static void one_tile(int tile)
{
	struct work w = { near[omp_get_thread_num()], tile, false };

	call_near(draw_tile, &w);
	if (!w.done) {
		fprintf(stderr, "render: a brick cannot be brought to a scratchpad\n");
		exit(1);
	}
	co_pause();
}

static void draw(int order, double angle, double tilt, double zoom)
{
	int tiles = ((picture.width - 1) / picture.tile + 1) *
		    ((picture.height - 1) / picture.tile + 1);

	picture.order = (enum order)order;
	if (picture.scene == TERRAIN) {
		terrain_view(&picture, angle, tilt, zoom);
	} else {
		view_make(&picture.view, angle, tilt);
		view_fit(&picture, zoom);
	}
	omp_set_schedule(options.schedule == STATIC ? omp_sched_static : omp_sched_dynamic,
			 options.schedule == STATIC ? 0 : 1);
#pragma omp parallel
	{
		near_fill(near[omp_get_thread_num()], &picture);
#pragma omp barrier
#pragma omp master
		co_mark_begin("draw");
		if (options.schedule == TASKS) {
			/* Each thread makes tasks of its share; others take those that it has not
			 * begun. */
#pragma omp for schedule(static)
			for (int t = 0; t < tiles; t++) {
#pragma omp task firstprivate(t)
				one_tile(t);
			}
		} else {
			co_mark_begin("tiles");
#pragma omp for schedule(runtime) nowait
			for (int t = 0; t < tiles; t++)
				one_tile(t);
			co_mark_end("tiles", 0);
		}
#pragma omp barrier
#pragma omp master
		co_mark_end("draw", 0);
	}
}

static uint64_t hash(uint64_t sum)
{
	for (size_t i = 0; i < (size_t)picture.width * (size_t)picture.height; i++)
		sum = (sum ^ picture.pixels[i]) * 0x100000001b3;
	return sum;
}

/*
 * Do rays see all of the volume, if nothing hides anything? From a place from which no side of it
 * lies along rows of pixels. Returns an exit code.
 */
static int check_all_seen(void)
{
	const int *n = picture.field.n;
	int least = n[0] < n[1] ? n[0] : n[1];
	double seen, off = SEEN_NEAR;
	bool all;

	least = least < n[2] ? least : n[2];
	if (least < FEW)
		off += 0.1 / least; /* half of the samples are near a side */
	picture.least = -1;
	draw(options.order, 30, 35, 1);
	picture.least = LEAST;
	seen = there > 0 ? volume_seen(&picture) / there : 1;
	all = seen > 1 - off && seen < 1 + off;
	printf("of the volume %.4f are seen: %s\n", seen, all ? "all" : "NOT ALL");
	return !all;
}

/* Of a picture. Returns an exit code. */
static int check(double angle)
{
	uint64_t ours = hash(0);
	int points, hidden;
	bool good;

	if (picture.scene == VOLUME) {
		draw(!options.order, angle, options.tilt, options.zoom);
		good = hash(0) == ours;
		printf("by bricks and by rays: %s\n", good ? "the same" : "NOT THE SAME");
	} else {
		hidden = terrain_hidden(&picture, &points);
		good = hidden <= HIDDEN_MOST * points;
		printf("%d of %d points lie before what is drawn: %s\n", hidden, points,
		       good ? "right" : "TOO MANY");
	}
	return !good;
}

/* Returns 0; 1: it is wrong; 2: it cannot be written. */
static int frame(unsigned number)
{
	double angle = options.angle + 360.0 * number / options.frames;
	struct picture png = { .width = (unsigned)picture.width,
			       .height = (unsigned)picture.height,
			       .scale = 1,
			       .rgb = picture.pixels };
	char name[256];
	int r;

	draw(options.order, angle, options.tilt, options.zoom);
	bits = hash(bits);
	snprintf(name, sizeof(name), "%s-%u.png", options.out, number);
	r = options.out ? picture_write(name, &png) : 0;
	if (r)
		say(name, strerror(-r));
	return r ? 2 : options.check ? check(angle) : 0;
}

/* ---- The whole ---- */

static bool pair(const char *text, long least, long most, int *a, int *b)
{
	char *end;
	long x = strtol(text, &end, 10), y = *end == 'x' ? strtol(end + 1, &end, 10) : 0;

	*a = (int)x;
	*b = (int)y;
	return !*end && x >= least && x <= most && y >= least && y <= most;
}

/* Returns NULL, or the error's text. */
static const char *check_options(void)
{
	struct picture_of *p = &picture;
	bool volume = options.scene == VOLUME;

	p->scene = (enum scene)options.scene;
	p->tile = (int)options.tile;
	p->least = LEAST;
	if (!options.grid)
		options.grid = volume ? 64 : 256;
	if (options.tilt > 90)
		options.tilt = volume ? 55 : 20;
	if (!pair(options.size, 8, 2048, &p->width, &p->height))
		return "--size wants WIDTHxHEIGHT, each from 8 to 2048";
	if (!options.field != !options.shape || (options.field && !volume))
		return "--field=FILE and --shape=XxY, its points in a row and its rows, are of a volume";
	if (options.shape && !pair(options.shape, 2, 4096, &p->field.n[0], &p->field.n[1]))
		return "--shape wants POINTSxROWS, each from 2 to 4096";
	if (options.check && volume && (p->width < 48 || p->height < 48))
		return "--check of a volume wants --size=48x48 and more";
	if (!volume && (options.grid & (options.grid - 1)))
		return "--grid of a landscape is a power of 2";
	if (!volume && options.order == OBJECT)
		return "--order=object is of a volume";
	return options.out && strlen(options.out) > 230 ? "--out wants 230 characters at most"
							: NULL;
}

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "scene", .which = &options.scene, .words = scenes, .n_words = 2 },
		{ "size", 's', .text = &options.size },
		{ "order", .which = &options.order, .words = orders, .n_words = 2 },
		{ "schedule", .which = &options.schedule, .words = schedules, .n_words = 3 },
		{ "tile", 't', .number = &options.tile, .least = 1, .most = TILE },
		{ "field", 'f', .text = &options.field },
		{ "shape", .text = &options.shape },
		{ "grid", 'g', .number = &options.grid, .least = 8, .most = 512 },
		{ "level", 'l', .number = &options.level, .most = 255 },
		{ "angle", .real = &options.angle, .from = -360, .to = 360 },
		{ "tilt", .real = &options.tilt, .from = -90, .to = 90 },
		{ "zoom", .real = &options.zoom, .from = 0.1, .to = 100 },
		{ "frames", 'n', .number = &options.frames, .least = 1, .most = 10000 },
		{ "out", 'o', .text = &options.out },
		{ "check", .on = &options.check },
		{ 0 },
	};
	int code = app_options("render", usage, known, argc, argv);
	const char *wrong = code < 0 ? check_options() : NULL;

	if (wrong)
		fprintf(stderr, "render: %s\n", wrong);
	return wrong ? 2 : code;
}

static int begin(int threads)
{
	size_t pixels = (size_t)picture.width * (size_t)picture.height;
	int r = 0, missing = 0;

	picture.pixels = take(pixels, sizeof(*picture.pixels));
	if (options.check)
		picture.depth = take(pixels, sizeof(*picture.depth));
	near = take((size_t)threads, sizeof(struct near *));
	if (picture.scene == VOLUME)
		r = make_field(&picture.field);
	else
		make_ground();
	colours_make(picture.colour, options.level);
#pragma omp parallel reduction(+ : missing)
	{
		near[omp_get_thread_num()] = get_memory(sizeof(struct near));
		missing += !near[omp_get_thread_num()];
	}
	return r || !missing ? r : say("threads", "no memory for each (MEM=)");
}

int main(int argc, char **argv)
{
	int code = parse(argc, argv), threads = omp_get_max_threads(), screen;

	if (code >= 0)
		return code;
	code = begin(threads);
	if (code)
		return code;
	printf("%s: %d x %d pixels in tiles of %d, %s, by %d threads\n", scenes[options.scene],
	       picture.width, picture.height, picture.tile, schedules[options.schedule], threads);
	screen = screen_show(picture.pixels, (unsigned)picture.width, (unsigned)picture.height);
	if (screen && screen != -ENODEV)
		return say("the screen", strerror(-screen));
	if (options.check && picture.scene == VOLUME)
		code = check_all_seen();
	for (unsigned f = 0; f < options.frames && code < 2; f++)
		code |= frame(f);
	printf("the pictures' bits: %016llx\n", (unsigned long long)bits);
	if (screen == 0) {
		screen = screen_settle();
		if (screen)
			return say("the screen", strerror(-screen));
		printf("the last one is on the screen until the run is ended\n");
		fflush(stdout);
		while (co_sleep_us(1000000) == 0)
			;
	}
	return code != 0;
}
