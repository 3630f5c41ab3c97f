"""perfetto.py - writes Perfetto's trace format: packets of descriptors of tracks, and of their events.

Numbers of fields are those of protos/perfetto/trace/*.proto: TracePacket, TrackDescriptor, TrackEvent, InternedData.
"""

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
SEQUENCE = b"\x50\x01"  # trusted_packet_sequence_id: 1
CLEARED, NEEDED = 1, 2  # of sequence_flags


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n & (1 << 64) - 1)


def some(field, data):
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    return varint(field << 3 | 2) + varint(len(data)) + data


def fixed64(field, n):
    return varint(field << 3 | 1) + n.to_bytes(8, "little")


class Writer:
    """Tracks are numbers from 1. Events may come in any order, but those of one track in that of their times."""

    def __init__(self, file):
        self.file, self.names, self.tails, self.parts, self.size, self.flags = file, {}, {}, [], 0, CLEARED

    def packet(self, body):
        self.parts.append(b"\x0a" + varint(len(body)) + body)
        if len(self.parts) > 65536:
            self.flush()

    def flush(self):
        self.file.write(b"".join(self.parts))
        self.parts = []

    def track(self, track, name, parent=0, rank=None, process=None, thread=None, counter=False):
        """process: its id; thread: ids of process and thread."""
        d = number(1, track)
        if parent:
            d += number(5, parent)
        if process is not None:
            d += some(3, number(1, process) + some(6, name))
        elif thread is not None:
            d += some(4, number(1, thread[0]) + number(2, thread[1]) + some(5, name))
        else:
            d += some(2, name)
        if counter:
            d += some(8, b"")
        if rank is not None:
            d += number(12, rank)
        if process is not None or thread is None:
            d += number(11, 3)  # child_ordering: EXPLICIT
        self.packet(SEQUENCE + some(60, d))

    def name(self, text):
        """The number of a name, which is written once."""
        n = self.names.get(text)
        if n is None:
            n = self.names[text] = len(self.names) + 1
            self.packet(SEQUENCE + number(13, self.flags if self.flags == NEEDED else CLEARED | NEEDED) +
                        some(12, some(2, number(1, n) + some(2, text))))
            self.flags = NEEDED
        return n

    def tail(self, kind, track, text):
        """All of an event but its time and what is its alone; without its length."""
        key = (kind, track, text)
        tail = self.tails.get(key)
        if tail is None:
            tail = self.tails[key] = (number(10, self.name(text)) if text is not None else b"") + number(9, kind) + \
                number(11, track)
        return tail

    def event(self, kind, track, ns, text=None, more=b""):
        e = self.tail(kind, track, text) + more
        self.packet(b"\x40" + varint(ns) + SEQUENCE + b"\x68\x02\x5a" + varint(len(e)) + e)

    def close(self):
        self.flush()


def flow_from(n):
    return fixed64(47, n)


def flow_to(n):
    return fixed64(48, n)


def count(n):
    return number(30, n)


def note(name, value):
    """A debug annotation: a number or a text."""
    return some(4, some(10, name) + (number(4, value) if isinstance(value, int) else some(6, value)))
