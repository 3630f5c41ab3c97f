"""memory.py - the rings of events, as the machine's memory has them when it is over (core/timeline.h)."""
import array
import bisect
import itertools
import os
import struct
import sys

MAGIC = b"Cohart timeline\0"
PAGE = 4096
RING = 64  # bytes of a ring before its events
HEAD = struct.Struct("<16s4I4Q")
# enum co_trace_kind, cohart/debug.h
WAYPOINT, FAULT, SPAWN, END, SWITCH, WAIT, WAKE, READY, KINDS = range(1, 10)
# Marks of an event's last word: core/timeline.h
IS_WAIT, IS_BEGIN, IS_END, IS_COUNT, IS_VALUE, IS_SENT, IS_RECEIVED = range(1, 8)
MARKS = 7
ROLES = {1: "manage", 2: "compute", 3: "manage+compute", 4: "move"}
AT_ONCE = 1 << 17  # events of all rings that are held decoded


class Bad(Exception):
    pass


class Ring:
    """A hart's events, the oldest first, decoded in parts: columns of stamps, kinds, values, whos; times in ticks."""

    def __init__(self, memory, head, hart):
        self.memory, self.word, self.words, places = memory, head["word"], head["words"], head["events"]
        at = head["rings"] + hart * head["ring_bytes"]
        first = memory.read(at, RING)
        if len(first) < RING:
            raise Bad("the memory ends before the events of hart %d" % hart)
        self.hart = hart
        self.count, mask, self.group = struct.unpack_from("<QQI" if self.word == 8 else "<3I", first)
        if self.count and mask != places - 1:
            raise Bad("the events of hart %d are damaged" % hart)
        self.at, self.mask = at + RING, places - 1
        size = self.word * self.words
        if len(memory.read(self.at + places * size - 1, 1)) < 1:
            raise Bad("the memory ends within the events of hart %d" % hart)
        # Of a full ring the oldest may be half overwritten.
        self.next = self.begin = self.count - places + 1 if self.count >= places else 0
        self.lost = self.begin
        self.columns, self.times, self.done = [()] * 4, (), 0

    @property
    def role(self):
        """As it is now: of a run that is looked at early it is not there yet."""
        return ROLES.get(int.from_bytes(self.memory.read(self.at - RING + 2 * self.word + 4, 4), "little"), "?")

    def read_count(self):
        """As it is now, of a run that is on."""
        return int.from_bytes(self.memory.read(self.at - RING, self.word), "little")

    def rewind(self):
        self.next, self.columns, self.times, self.done = self.begin, [()] * 4, (), 0

    def fill(self, n):
        """Decode up to n more, unless some are left; false: there are none."""
        if self.done < len(self.times):
            return True
        n = min(n, self.count - self.next, self.mask + 1 - (self.next & self.mask))
        if n <= 0:
            return False
        size = self.word * self.words
        a = array.array("Q" if self.word == 8 else "I")
        a.frombytes(self.memory.read(self.at + (self.next & self.mask) * size, n * size))
        if sys.byteorder == "big":
            a.byteswap()
        stamps = a[0::self.words]
        if self.word == 4:
            stamps = array.array("Q", (low | high << 32 for low, high in zip(stamps, a[1::self.words])))
        first = self.words - 3
        self.columns = [stamps] + [a[i::self.words] for i in range(first, self.words)]
        self.times = [s >> 16 for s in stamps]
        self.next += n
        self.done = 0
        return True

    def take(self, n):
        """Columns up to the n-th that is decoded."""
        columns = [column[self.done:n] for column in self.columns]
        self.done = n
        return columns


def merged(rings):
    """Events of all rings by their times, in lists of (ring, stamp, what, value, who)."""
    n = max(64, AT_ONCE // len(rings))
    live = rings
    while True:
        live = [r for r in live if r.fill(n)]
        if not live:
            return
        # Up to here no ring has more that is not decoded. What is as late may go on in the next part.
        until = min((r.times[-1] for r in live if r.next < r.count), default=1 << 64)
        ends = [bisect.bisect_left(r.times, until, r.done) for r in live]
        if all(end == r.done for r, end in zip(live, ends)):
            ends = [bisect.bisect_right(r.times, until, r.done) for r in live]
        keys, events = [], []
        for r, end in zip(live, ends):
            if end == r.done:
                continue
            # A wake-up or a spawn is noted before what it wakes runs, maybe in the same tick.
            times = r.times[r.done:end]
            stamps, kinds, values, whos = r.take(end)
            keys += [t << 1 | (what not in (WAKE, SPAWN)) for t, what in zip(times, kinds)] if len(live) > 1 else times
            events += zip(itertools.repeat(r), stamps, kinds, values, whos)
        yield [events[i] for i in sorted(range(len(keys)), key=keys.__getitem__)] if len(live) > 1 else events


class Memory:
    """The file that was the machine's memory."""

    def __init__(self, path):
        self.file = open(path, "rb", buffering=0)
        self.size = self.file.seek(0, 2)
        self.base = 0
        self.head = None
        for first, end in self.extents():
            for at in range(first, end, 1 << 20):
                data = self.at(at, min(1 << 20, end - at))
                i = data.find(MAGIC)
                while i >= 0:
                    if (at + i) % PAGE == 0 and self.take_head(at + i):
                        return
                    i = data.find(MAGIC, i + 1)
        raise Bad("no events: the run has ended before the runtime began to note them")

    def extents(self):
        """Parts of the file that were written, in whole pages."""
        at = 0
        while at < self.size:
            try:
                at = self.file.seek(at, os.SEEK_DATA)
                end = self.file.seek(at, os.SEEK_HOLE)
            except OSError:
                return
            yield at // PAGE * PAGE, end
            at = end

    def at(self, offset, n):
        data = os.pread(self.file.fileno(), n, offset)
        while len(data) < n:
            more = os.pread(self.file.fileno(), n - len(data), offset + len(data))
            if not more:
                break
            data += more
        return data

    def take_head(self, at):
        data = self.at(at, HEAD.size)
        if len(data) < HEAD.size:
            return False
        _, word, words, events, harts, hz, me, rings, ring_bytes = HEAD.unpack(data)
        if (word, words) not in ((4, 5), (8, 4)) or events & events - 1 or not hz or rings - me != PAGE:
            return False
        self.base = me - at
        self.head = {"word": word, "words": words, "events": events, "harts": harts, "hz": hz, "rings": rings,
                     "ring_bytes": ring_bytes}
        return True

    def read(self, address, n):
        return self.at(address - self.base, n) if address >= self.base else b""

    def rings(self):
        return [Ring(self, self.head, hart) for hart in range(self.head["harts"])]
