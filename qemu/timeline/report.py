#!/usr/bin/env python3
"""report.py - what a person asks of a timeline, as text, and as a page that needs nothing else (docs/seeing.md).

usage: report.py FILE.pftrace [FILE.html]
"""
import bisect
import html
import json
import os
import re
import sys

from memory import Bad
from reader import Trace

LONGEST = 10
ENDS = ("waits for end of", "waits for counter")
SLICES = 150000  # that a page has; more are drawn together
RELEASE = 50000  # ns that a barrier takes, at the most, in the fastest of its rounds, to let its members go on
ROWS = 250  # of coroutines in a page


def time(ns):
    for unit, name in ((1000000000, "s"), (1000000, "ms"), (1000, "us")):
        if ns >= 0.9995 * unit:  # of three digits it is 1.00
            return "%.3g %s" % (ns / unit, name) if ns < 999.5 * unit else "%d %s" % (ns / unit, name)
    return "%d ns" % ns


def part(ns, of):
    return "%.1f %%" % (100 * ns / of if of else 0)


class Barrier:
    """
    Rounds of a barrier, from its members' waits. A member that has others below it waits for these, so it does not wait
    if it comes last; all other members wait once a round, which tells how many rounds there were.
    """

    def __init__(self, waits):
        counts = {}
        for of in waits.values():
            counts[len(of)] = counts.get(len(of), 0) + 1
        self.rounds = max(counts, key=lambda n: (counts[n], n))
        self.members = waits
        each = [c for c, of in waits.items() if len(of) == self.rounds]
        others = [c for c in waits if len(waits[c]) != self.rounds]
        self.first, self.last, self.round_of = [], [], {}  # the last: when, who; of (coroutine, index of the wait)
        for k in range(self.rounds):
            came = [(waits[c][k][1], c.number, c) for c in each]
            self.first.append(min(came)[0])
            self.last.append((max(came)[0], max(came)[2]))
            self.round_of.update(((c, waits[c][k][0]), k) for c in each)
        for c in others:
            k = 0
            for index, begin, end in waits[c]:
                while k < self.rounds and self.last[k][0] < begin:  # it waited for nobody: it came last
                    self.came_last(k, c, waits[each[0]])
                    k += 1
                if k < self.rounds and self.last[k][0] <= end:
                    self.first[k] = min(self.first[k], begin)
                    self.round_of[c, index] = k
                    k += 1
            for k in range(k, self.rounds):
                self.came_last(k, c, waits[each[0]])
        # Of a member that comes last each time no wait is known, but that all others waited for more.
        ends = [min(waits[c][k][2] for c in each) for k in range(self.rounds)]
        self.hidden = min(end - last for end, (last, _) in zip(ends, self.last)) > RELEASE
        if self.hidden:
            self.last = [(end, None) for end in ends]

    def came_last(self, k, c, waits):
        """At the latest when those who waited went on."""
        self.last[k] = max(self.last[k][0], waits[k][2]), c


def uses(waits):
    """A barrier may have other members later: parts of its members' waits that no time has in common."""
    parts, until = [], -1
    for c in sorted(waits, key=lambda c: (waits[c][0][1], c.number)):
        if waits[c][0][1] > until:
            parts.append({})
        parts[-1][c] = waits[c]
        until = max(until, waits[c][-1][2])
    return [part for part in parts if len(part) > 1]


class Report:
    def __init__(self, trace):
        self.trace = trace
        self.span = max(trace.last - trace.first, 1)
        self.runs = trace.number_of.get("runs", -2)
        self.on = [[] for _ in trace.harts]  # runs of each hart: begin, end, coroutine, index
        self.waits = {}  # text: total, how many, the longest, whose, when
        at_barriers = {}
        for c in trace.coroutines:
            for i, (begin, end, what) in enumerate(self.states(c)):
                if what == self.runs:
                    if c.hart >= 0:
                        self.on[c.hart].append((begin, end, c, i))
                elif what >= 0:
                    if trace.texts[what].startswith("waits for barrier"):
                        at_barriers.setdefault(what, {}).setdefault(c, []).append((i, begin, end))
                    total, n, most, who, at = self.waits.get(what, (0, 0, -1, None, 0))
                    if end - begin > most:
                        most, who, at = end - begin, c, begin
                    self.waits[what] = total + end - begin, n + 1, most, who, at
        for runs in self.on:
            runs.sort(key=lambda run: run[0])
        self.ends = sorted(((c.begin[-1], c) for c in trace.coroutines
                            if len(c.begin) > 1 and c.what[-1] < 0 and c.what[-2] == self.runs), key=lambda e: e[0])
        # Where a ring has dropped events, nobody knows which round is which.
        dropped = bool(trace.overwritten)
        self.barriers, self.barrier_of = [], {}  # with the text of each; by text and coroutine
        for what, waits in at_barriers.items() if not dropped else ():
            for use in uses(waits):
                self.barriers.append((what, Barrier(use)))
                self.barrier_of.update(((what, c), self.barriers[-1][1]) for c in use)
        self.path = list(self.critical_path())

    def states(self, c):
        ends = c.begin[1:]
        ends.append(self.trace.last)
        return zip(c.begin, ends, c.what)

    def called(self, c):
        return "%s %s on hart %d" % (c.name, c.number, c.hart) if c else "a member that did not wait"

    def ended(self, begin, end):
        """Which coroutine ended last between these times, and when: of joins, which a message ends without an arrow."""
        i = bisect.bisect_right(self.ends, end, key=lambda e: e[0]) - 1
        return self.ends[i] if i >= 0 and self.ends[i][0] > begin else None

    def critical_path(self):
        """From the end of the run back to its beginning: end, begin, hart, coroutine, what it did, what that is of."""
        last = None
        for runs in self.on:
            for run in runs[-2:]:
                if not last or (run[1], -run[2].number) > (last[1], -last[2].number):
                    last = run
        if not last:
            return
        _, end, c, i = last
        been = set()  # states; the path may lead back to one: then it goes on to the one before
        while True:
            begin = c.begin[i]
            if (c, i) in been:
                if not i:
                    return
                end, i = min(end, begin), i - 1
                continue
            been.add((c, i))
            if c.what[i] == self.runs:
                yield end, begin, c.hart, c, "runs"
                by, at = c.by[i], c.by_begin[i]
                # An arrow that came when it already waited says whom it waited for.
                if by >= 0 and i and at >= c.begin[i - 1]:
                    j = bisect.bisect_right(self.on[by], at, key=lambda run: run[0]) - 1
                    waker = self.on[by][j] if j >= 0 else None
                    if waker and waker[1] >= at and waker[2] is not c and waker[2:] not in been:
                        yield begin, at, c.hart, c, "is on its way, from hart %d" % by if by != c.hart else "is ready"
                        _, _, c, i = waker
                        end = at
                        continue
            else:
                what = self.trace.texts[c.what[i]] if c.what[i] >= 0 else "is not there"
                other, why = self.ended(begin, end) if what.startswith(ENDS) else None, "the end of "
                barrier = self.barrier_of.get((c.what[i], c))
                if barrier and (c, i) in barrier.round_of:
                    other, why = barrier.last[barrier.round_of[c, i]], ""
                if other and other[1] not in (c, None) and begin <= other[0] <= end:
                    why += "%s %s" % (other[1].name, other[1].number)
                    yield end, other[0], c.hart, c, "is on its way, from " + why
                    end, c = other
                    i = bisect.bisect_left(c.begin, end) - 1
                    if i > 0 and c.what[i] != self.runs:  # it already waits for what comes next
                        end, i = c.begin[i], i - 1
                    if i < 0:
                        return
                    continue
                yield end, begin, c.hart, c, what
            if not i:
                return
            end, i = begin, i - 1

    def blocks(self):
        """Of spans: name, how many, total, mean, bytes, the longest, whose, when; the greatest total first."""
        of = {}
        for name, c, begin, end, values in self.trace.spans:
            n, total, most, who, at, size = of.get(name, (0, 0, -1, None, 0, 0))
            if end - begin > most:
                most, who, at = end - begin, c, begin
            of[name] = n + 1, total + end - begin, most, who, at, size + max(values.get("bytes", 0), 0)
        for name, (n, total, most, who, at, size) in sorted(of.items(), key=lambda item: -item[1][1]):
            yield (name, n, time(total), time(total // n), size or "", time(most), who and self.called(who) or "",
                   time(at - self.trace.first))

    def tables(self):
        """Each: title, a sentence, heads of columns, rows."""
        t = self.trace
        rows, total = [], 0
        for hart, runs in zip(t.harts, self.on):
            busy = sum(end - begin for begin, end, _, _ in runs)
            of = {}
            for begin, end, c, _ in runs:
                of[c.name] = of.get(c.name, 0) + end - begin
            most = max(of, key=of.get, default="")
            longest = max((end - begin for begin, end, _, _ in runs), default=0)
            total += busy
            rows.append((hart.name, part(busy, self.span), time(busy), len(runs), time(longest),
                         "%s (%s)" % (most, part(of[most], busy)) if most else ""))
        yield ("Use of harts", "All together: %s of %s." % (part(total, self.span * len(rows)), time(self.span)),
               ("hart", "busy", "time", "runs", "longest run", "mostly"), rows)
        rows = [(t.texts[what], time(sum_), n, time(sum_ // n), time(most), self.called(who), time(at - t.first))
                for what, (sum_, n, most, who, at) in sorted(self.waits.items(), key=lambda item: -item[1][0])
                if t.texts[what].startswith("waits")]
        yield ("What was waited for", "Sums over all coroutines.",
               ("what", "total", "times", "mean", "longest", "by", "from"), rows)
        yield self.path_table()
        kinds = {}
        for end, begin, _, c, what in self.path:
            key = "%s %s" % (c.name, what)
            kinds[key] = kinds.get(key, 0) + end - begin
        yield ("What the critical path is made of", "", ("who and what", "time", "part"),
               [(key, time(ns), part(ns, self.span)) for key, ns in sorted(kinds.items(), key=lambda kv: -kv[1])])
        rows = []
        for what, b in self.barriers:
            skew = [last - first for first, (last, _) in zip(b.first, b.last)]
            most, came = max(skew), {}
            for _, c in b.last:
                came[c] = came.get(c, 0) + 1
            often = max(came, key=lambda c: (came[c], -c.number if c else 0))
            at = skew.index(most)
            rows.append((t.texts[what][len("waits for "):], len(b.members) + b.hidden, b.rounds,
                         time(sum(skew) // b.rounds), time(most), time(b.first[at] - t.first),
                         self.called(b.last[at][1]),
                         "%s (%s)" % (self.called(often), part(came[often], b.rounds))))
        if rows:
            yield ("Barriers", "Skew: from the first member that comes to the last one. Members that wait are known.",
                   ("barrier", "members", "rounds", "mean skew", "largest", "from", "then the last",
                    "most often the last"), rows)
        rows = list(self.blocks())
        if rows:
            yield ("Blocks", "The program's spans, calls of MPI, parts of loops, tiles, tasks, transfers, calls by proxy.",
                   ("block", "times", "total", "mean", "bytes", "slowest", "by", "from"), rows)
        rows = [("hart %d" % a, "hart %d" % b, n)
                for (a, b), n in sorted(t.messages.items(), key=lambda item: -item[1])]
        yield ("Arrows between harts", "Wake-ups, spawns, messages, transfers, %d in all." % sum(n for _, _, n in rows),
               ("from", "to", "arrows"), rows)

    def path_table(self):
        longest = sorted(self.path, key=lambda hop: hop[1] - hop[0])[:LONGEST]
        return ("The ten longest hops of the critical path",
                "Of %d hops, which lead from the end of the run back through %s of it." %
                (len(self.path), part(sum(hop[0] - hop[1] for hop in self.path), self.span)),
                ("takes", "part", "from", "who", "what"),
                [(time(end - begin), part(end - begin, self.span), time(begin - self.trace.first), self.called(c), what)
                 for end, begin, _, c, what in longest])


def as_text(report, out):
    for title, sentence, heads, rows in report.tables():
        out.write("%s\n%s" % (title, "  %s\n" % sentence if sentence else ""))
        shown = [heads] + [tuple(map(str, row)) for row in rows[:LONGEST if title != "Use of harts" else 80]]
        width = [max(len(row[i]) for row in shown) for i in range(len(heads))]
        for row in shown:
            out.write("  " + "  ".join(cell.ljust(n) for cell, n in zip(row, width)).rstrip() + "\n")
        if len(rows) >= len(shown):
            out.write("  ... and %d more\n" % (len(rows) - len(shown) + 1))
        out.write("\n")


def thinned(slices, least):
    """Slices so that none but the last is shorter: what is lies close together becomes one, of text -1."""
    out = []
    for begin, end, what in slices:
        if out and (end - begin < least or out[-1][1] - out[-1][0] < least) and begin - out[-1][1] < least:
            out[-1][1:] = [end, -1 if out[-1][2] != what else what]
        else:
            out.append([begin, end, what])
    return out


def flat(slices, first):
    """Distances: from the end before to the begin, how long, what."""
    out, last = [], first
    for begin, end, what in slices:
        out += (begin - last, end - begin, what)
        last = end
    return out


def innermost(spans, text):
    """Slices of spans of one coroutine: of those that lie in another the other's parts around them."""
    out, open_ = [], []

    def until(at):
        while open_:
            name, begin, end = open_[-1]
            if begin < min(end, at):
                out.append((begin, min(end, at), name))
            if end > at:
                open_[-1][1] = at
                return
            open_.pop()
            if open_:
                open_[-1][1] = max(open_[-1][1], end)
    for name, _, begin, end, values in sorted(spans, key=lambda s: (s[2], -s[3])):
        until(begin)
        more = ", ".join("%s %d" % item for item in values.items())
        open_.append([text(name + (": " + more if more else "")), begin, end])
    until(1 << 62)
    return out


def as_page(report, name):
    t, least = report.trace, 0
    harts = [[(b, e, t.text(c.name)) for b, e, c, _ in runs] for runs in report.on]
    busiest = sorted(t.coroutines, key=lambda c: -len(c.begin))[:ROWS]
    shown = sorted(busiest, key=lambda c: c.number)
    spans, rows, names = {}, harts, []
    for span in t.spans:
        spans.setdefault(span[1], []).append(span)
    for c in shown:
        rows.append([s for s in report.states(c) if s[2] >= 0])
        names.append("%s %s" % (c.name, c.number))
        if c in spans:
            rows.append(innermost(spans[c], t.text))
            names.append("")
    while sum(map(len, rows)) > SLICES:
        least = max(2 * least, report.span // 50000, 1)
        rows = [thinned(row, least) for row in rows]
    arrows = t.places.tolist()
    arrows = [arrows[i:i + 4] for i in range(0, len(arrows), 4)]
    if len(arrows) > SLICES // 3:
        arrows.sort(key=lambda a: a[1] - a[3])  # the longest
        arrows = arrows[:SLICES // 3]
    data = {
        "span": report.span, "texts": t.texts, "runs": report.runs, "least": least,
        "harts": [hart.name for hart in t.harts],
        "shown": len(shown), "coroutines": names,
        "rows": [flat(row, t.first) for row in rows],
        "arrows": [[a, b - t.first, c, d - t.first] for a, b, c, d in arrows],
        "path": [[hart, begin - t.first, end - t.first] for end, begin, hart, _, _ in report.path[:SLICES // 10]],
        "messages": [[a, b, n] for (a, b), n in sorted(t.messages.items())],
    }
    tables = []
    for title, sentence, heads, rows in report.tables():
        cells = ["<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(str(c)) for c in row) for row in rows[:500]]
        more = "<p>... and %d more</p>" % (len(rows) - 500) if len(rows) > 500 else ""
        tables.append("<details%s><summary>%s</summary><p>%s</p><table><tr>%s</tr>%s</table>%s</details>" % (
            " open" if len(rows) <= 70 else "", html.escape(title), html.escape(sentence),
            "".join("<th>%s</th>" % html.escape(h) for h in heads), "".join(cells), more))
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "page.html"), encoding="utf-8") as f:
        page = f.read()
    notes = [] if t.whole else ["The file is cut off, or damaged: this is what it has."]
    notes += ["Hart %d: %s." % note for note in t.overwritten]
    data = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    of = {"NAME": html.escape(name), "NOTES": html.escape(" ".join(notes)), "TABLES": "\n".join(tables), "DATA": data}
    return re.sub("@([A-Z]+)@", lambda m: of[m[1]], page)


def main(path, page):
    page = os.path.splitext(path)[0] + ".html" if page is None else page
    try:
        report = Report(Trace(path))
        text = as_page(report, os.path.basename(path))
        if os.path.exists(page) and os.path.samefile(path, page):
            print("timeline-report: %s is the timeline: name another file for the page" % page, file=sys.stderr)
            return 1
        with open(page, "w", encoding="utf-8") as out:
            out.write(text)
        if not report.trace.whole:
            print("timeline-report: %s is cut off, or damaged: this is what it has" % path, file=sys.stderr)
        as_text(report, sys.stdout)
        print("as a page: %s" % page)
        sys.stdout.flush()
    except Bad as e:
        print("timeline-report: %s is no timeline of Cohart's: %s" % (path, e), file=sys.stderr)
        return 1
    except OSError as e:
        where = "standard output" if e.filename is None else e.filename
        print("timeline-report: %s: %s" % (where, e.strerror), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
