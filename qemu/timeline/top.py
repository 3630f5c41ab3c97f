#!/usr/bin/env python3
"""top.py - a view of a run that is on, in a terminal, twice a second: qemu/run --top starts it (docs/seeing.md).

usage: top.py IMAGE.elf MEMORY OUTPUT END
MEMORY and OUTPUT are files of qemu/run's, whose pipe END is closed when the run has ended. All is read from the rings
of events, in memory that the machine has, too: the run goes on undisturbed, and if it hangs, that shows.
"""
import curses
import os
import select
import signal
import sys
import time

import image
import memory
from memory import END, IS_WAIT, MARKS, READY, SPAWN, SWITCH, WAKE

EVERY = 0.5  # seconds
OUTPUT_LINES = 5
KEYS = "q quit  space freeze  sort by: t time  w wait  n name  h hart  |  g who waits for what  d dump  arrows scroll"


class Coroutine:
    def __init__(self, name, hart):
        self.name, self.hart, self.state = name, hart, "not started"
        self.since = self.counted = self.ran = self.waited = self.recent = 0

    def count(self, ticks):
        """Add up what it has done until then."""
        spent = max(ticks - self.counted, 0)
        self.counted = max(ticks, self.counted)
        if self.state == "runs":
            self.ran += spent
            self.recent += spent
        elif self.state.startswith("waits"):
            self.waited += spent

    def becomes(self, state, ticks):
        self.count(ticks)
        self.state, self.since = state, ticks


class Hart:
    def __init__(self, ring):
        self.ring, self.running, self.seen = ring, None, ring.begin
        self.switches = self.wakes = self.begin = self.busy = self.from_ = 0


class Live:
    """What the events so far say: harts and coroutines, by control block and generation."""

    def __init__(self, elf, ram):
        self.elf, self.ram, self.hz = elf, ram, ram.head["hz"]
        self.harts = [Hart(ring) for ring in ram.rings()]
        self.all, self.latest, self.texts = {}, {}, {}
        self.now = self.before = self.events = self.missed = 0
        self.looked = time.monotonic()
        self.past = 1.0

    def text(self, address):
        if address not in self.texts:
            data = self.elf.read(address, 64) or self.ram.read(address, 64)
            self.texts[address] = self.elf.function(address) or data.split(b"\0")[0].decode("utf-8", "replace")
        return self.texts[address]

    def coroutine(self, who, stamp, hart, name=0):
        key = who << 16 | stamp & 0xffff
        c = self.all.get(key)
        if c is None:
            c = self.all[key] = self.latest[who] = Coroutine(self.text(name) if name else "coroutine", hart)
        elif name and c.name == "coroutine":
            c.name = self.text(name)
        return c

    def waits(self, kind, what):
        text = "waits for " + self.text(kind)
        if what in self.latest:
            return "%s '%s'" % (text, self.latest[what].name)
        return text + (" " + (self.elf.object(what) or "0x%x" % what) if what else "")

    def look(self):
        """Take what is new; return how many events."""
        self.before, self.events = self.now, 0
        late = []
        for h in self.harts:
            h.switches = h.wakes = h.busy = 0
            late += self.take(h)
        now = time.monotonic()
        self.past, self.looked = now - self.looked, now
        # Where nothing is noted, time goes on as this PC's.
        self.now = max(late, default=self.now + int(self.past * self.hz) if self.now else 0)
        for c in self.all.values():
            c.count(self.now)
        return self.events

    def take(self, h):
        ring = h.ring
        count = ring.read_count()
        first = max(h.seen, count - ring.mask)
        if first != h.seen:  # more than the ring has: from here on
            self.missed += first - h.seen
            h.running = None
        h.seen, late = count, []
        ring.next, ring.count, ring.times, ring.done = first, count, (), 0
        parts = []
        while ring.fill(1 << 16):
            parts.append(list(zip(*ring.take(len(ring.times)))))
        events = [e for part in parts for e in part]
        kept = max(ring.read_count() - ring.mask - first, 0)  # the others have been overwritten meanwhile
        self.events += count - first
        for stamp, what, value, who in events[kept:]:
            ticks, mark = stamp >> 16, who & MARKS
            late.append(ticks)
            if not mark and what == SWITCH:
                if h.running:
                    h.running.becomes("ready", ticks)
                h.running = self.coroutine(who, stamp, ring.hart, value)
                h.running.hart = ring.hart
                h.running.becomes("runs", ticks)
                h.switches += 1
            elif mark == IS_WAIT or not mark and what == END:
                c = self.coroutine(who & ~MARKS, stamp, ring.hart)
                c.hart = ring.hart
                c.becomes(self.waits(what, value) if mark else "ended", ticks)
                h.running = None
                if not mark:
                    self.all.pop((who & ~MARKS) << 16 | stamp & 0xffff)
            elif not mark and what in (WAKE, READY):
                h.wakes += what == WAKE
                c = self.coroutine(who, stamp, value if what == WAKE else ring.hart)
                if c.state.startswith("waits") and ticks >= c.since:  # harts are looked at one after another
                    c.becomes("ready", ticks)
            elif not mark and what == SPAWN:
                self.coroutine(who, stamp, -1, value).becomes("not started", ticks)
        return late[-1:]

    def seconds(self, ticks):
        s = ticks / self.hz
        return "%d s" % s if s >= 10 else "%.1f s" % s if s >= 1 else "%d ms" % (s * 1e3) if s >= 0.001 \
            else "%d us" % (s * 1e6)

    def hart_lines(self):
        span = max(self.now - self.before, 1)
        ready, ran = {}, {}
        for c in self.all.values():
            ready[c.hart] = ready.get(c.hart, 0) + (c.state == "ready")
            ran[c.hart] = ran.get(c.hart, 0) + c.recent
        yield "hart  role            busy  switches/s  wakes/s  ready  now"
        for h in self.harts:
            c = h.running
            yield "%4d  %-14s %4d %%  %10d  %7d  %5d  %s" % (
                h.ring.hart, h.ring.role, min(100 * ran.get(h.ring.hart, 0) // span, 100), h.switches / self.past,
                h.wakes / self.past, ready.get(h.ring.hart, 0),
                "%s, for %s" % (c.name, self.seconds(self.now - c.since)) if c and c.state == "runs" else "idle")

    def coroutine_lines(self, order):
        key = {"t": lambda c: (-c.ran, c.name), "n": lambda c: c.name, "h": lambda c: (c.hart, c.name),
               "w": lambda c: (not c.state.startswith("waits"), c.since)}[order]
        yield "coroutine             hart   ran      waited   since    state"
        for c in sorted(self.all.values(), key=key):
            times = c.ran, c.waited, self.now - c.since
            yield "%-20.20s  %4s   %-8s %-8s %-8s %s" % (
                c.name, c.hart if c.hart >= 0 else "", *map(self.seconds, times), c.state)

    def graph_lines(self):
        of = {}
        for c in self.all.values():
            if c.state.startswith("waits"):
                of.setdefault(c.state, []).append(c)
        yield "who waits for what"
        for state, who in sorted(of.items(), key=lambda item: (-len(item[1]), item[0])):
            yield "%s: %d, the longest %s since %s" % (state, len(who), min(who, key=lambda c: c.since).name,
                                                       self.seconds(self.now - min(c.since for c in who)))
            yield "      " + ", ".join(sorted("%s on hart %d" % (c.name, c.hart) for c in who))[:400]


class View:
    def __init__(self, screen, name, output, end, live):
        self.screen, self.name, self.output, self.end, self.live = screen, name, output, end, live
        self.order, self.graph, self.frozen, self.top, self.over = "t", False, False, 0, False

    def last_output(self):
        size = os.fstat(self.output).st_size
        text = os.pread(self.output, 2000, max(size - 2000, 0)).decode("utf-8", "replace")
        return ["".join(ch for ch in line if ch.isprintable()) for line in text.splitlines()[-OUTPUT_LINES:]]

    def draw(self):
        live, screen = self.live, self.screen
        height, width = screen.getmaxyx()
        lines = list(live.hart_lines()) + [""]
        lines += live.graph_lines() if self.graph else live.coroutine_lines(self.order)
        for c in live.all.values():
            c.recent = 0
        output = self.last_output()
        room = max(height - len(output) - 4, 1)
        self.top = max(min(self.top, len(lines) - room), 0)
        state = "ended" if self.over else "frozen" if self.frozen else "runs"
        head = "%s: %s, %d harts, %d coroutines, %s, %d events/s%s" % (
            self.name, state, len(live.harts), len(live.all), live.seconds(live.now), live.events / live.past,
            ", %d missed" % live.missed if live.missed else "")
        screen.erase()
        shown = [(head, curses.A_REVERSE)] + [(line, 0) for line in lines[self.top:self.top + room]]
        shown += [("", 0)] * (room + 1 - len(shown)) + [("its output:" if output else "", curses.A_BOLD)]
        shown += [(line, 0) for line in output] + [(KEYS, curses.A_REVERSE)]
        for y, (line, how) in enumerate(shown[:height]):
            if line.startswith(("hart  ", "coroutine  ", "who waits")):
                how = curses.A_BOLD
            screen.addnstr(y, 0, line.ljust(width - 1) if how == curses.A_REVERSE else line, width - 1, how)
        screen.refresh()

    def key(self, key):
        page = max(self.screen.getmaxyx()[0] - 10, 1)
        self.top += {curses.KEY_DOWN: 1, curses.KEY_UP: -1, curses.KEY_NPAGE: page, curses.KEY_PPAGE: -page}.get(key, 0)
        if key == ord("q"):
            return False
        if key == ord(" "):
            self.frozen = not self.frozen
        elif key == ord("g"):
            self.graph = not self.graph
        elif key == ord("d") and not self.over:
            os.kill(os.getppid(), signal.SIGQUIT)
        elif key in map(ord, "twnh"):
            self.order, self.graph = chr(key), False
        return True

    def run(self):
        curses.use_default_colors()
        curses.curs_set(0)
        self.screen.nodelay(True)
        next_ = time.monotonic()
        while True:
            if time.monotonic() >= next_:
                next_ = time.monotonic() + EVERY
                if not self.frozen and not self.over:
                    self.live.look()
                self.draw()
            ends = [] if self.over else [self.end]
            ready, _, _ = select.select([0] + ends, [], [], max(next_ - time.monotonic(), 0))
            if self.end in ready:
                self.over, next_ = True, 0
                self.live.look()
            key = self.screen.getch() if 0 in ready else -1
            if 0 in ready and key == -1 and not os.isatty(0):
                return  # the terminal is gone
            while key != -1:
                next_ = 0
                self.screen.clearok(True)  # and all is drawn anew
                if not self.key(key):
                    return
                key = self.screen.getch()


def await_rings(path, end):
    """The runtime makes them at boot; None: the run has ended before."""
    while True:
        try:
            return memory.Memory(path)
        except memory.Bad:
            if select.select([end], [], [], 0.05)[0]:
                return None


def main(elf, path, output, end):
    end = int(end)
    ram = await_rings(path, end)
    if not ram:
        return 0
    live = Live(image.Image(elf), ram)
    output = os.open(output, os.O_RDONLY)
    try:
        curses.wrapper(lambda screen: View(screen, os.path.basename(elf), output, end, live).run())
    except curses.error as e:
        if os.isatty(2):
            print("top: this terminal cannot show it: %s" % e, file=sys.stderr)
    except KeyboardInterrupt:
        pass
    finally:  # with the view, or without a terminal, the run ends
        if not select.select([end], [], [], 0)[0]:
            os.kill(os.getppid(), signal.SIGTERM)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
