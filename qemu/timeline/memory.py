"""memory.py - the rings of events, as the machine's memory has them when it is over (core/timeline.h)."""
import os
import struct

MAGIC = b"Cohart timeline\0"
PAGE = 4096
HEAD = struct.Struct("<16s4I4Q")
# enum co_trace_kind, cohart/debug.h
WAYPOINT, FAULT, SPAWN, END, SWITCH, WAIT, WAKE, READY, KINDS = range(1, 10)
# Marks of an event's last word: core/timeline.h
IS_WAIT, IS_BEGIN, IS_END, IS_COUNT, MARKS = 1, 2, 3, 4, 7
ROLES = {1: "manage", 2: "compute", 3: "manage+compute", 4: "move"}


class Bad(Exception):
    pass


class Ring:
    """A hart's events, the oldest first: times in ticks, generations, what, values, who."""

    def __init__(self, memory, head, hart):
        word, words, places = head["word"], head["words"], head["events"]
        at = head["rings"] + hart * head["ring_bytes"]
        first = memory.read(at, 128)
        if len(first) < 128:
            raise Bad("the memory ends before the events of hart %d" % hart)
        self.hart, self.role = hart, "none"
        self.count, mask = struct.unpack_from("<II", first)
        self.group, role = struct.unpack_from("<II", first, 64)
        if self.count and mask != places - 1:
            raise Bad("the events of hart %d are damaged" % hart)
        self.role = ROLES.get(role, "?")
        size = word * words
        data = memory.read(at + 128, places * size)
        if len(data) < places * size:
            raise Bad("the memory ends within the events of hart %d" % hart)
        if self.count < places:
            data = data[:self.count * size]
        else:  # the oldest may be half overwritten
            cut = self.count % places * size
            data = data[cut + size:] + data[:cut]
        self.lost = max(0, self.count - (places - 1)) if self.count >= places else 0
        self.events = struct.Struct("<4Q" if word == 8 else "<Q3I").iter_unpack(data)


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
