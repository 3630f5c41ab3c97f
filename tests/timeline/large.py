#!/usr/bin/env python3
"""large.py - a machine's memory with many events, as a ping-pong of four pairs of harts leaves them, made up.

usage: large.py FILE EVENTS     so many a hart, of eight harts
"""
import array
import struct
import sys

HARTS, BASE, SWITCH, WAKE, READY = 8, 0x80000000, 5, 7, 8


def main(path, n):
    places = 1 << n.bit_length()
    ring_bytes = 64 + places * 32
    with open(path, "wb") as f:
        f.write(struct.pack("<16s4I4Q", b"Cohart timeline", 8, 4, places, HARTS, 10000000, BASE, BASE + 4096, ring_bytes))
        for hart in range(HARTS):
            me, other = (0x90000000 + h * 4096 for h in (hart, hart ^ 1))
            a = array.array("Q")
            for t in range(10 * (hart & 1), 5 * n, 20):
                a.extend((t << 16, SWITCH, BASE, me, t + 1 << 16, WAKE, hart ^ 1, other,
                          t + 2 << 16, BASE + 4096, BASE + 8192, me | 1, t + 18 << 16, READY, 0, me))
            f.seek(4096 + hart * ring_bytes)
            f.write(struct.pack("<QQII40x", n, places - 1, 0, 2) + a[:4 * n].tobytes())
        f.truncate(4096 + HARTS * ring_bytes)


main(sys.argv[1], int(sys.argv[2]))
