"""image.py - what an ELF image says of addresses: symbols, and the bytes that it has there."""
import bisect
import struct


class Image:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = data = f.read()
        wide = data[4] == 2
        if wide:
            programs, sections = struct.unpack_from("<QQ", data, 32)
            each, n, _, m = struct.unpack_from("<4H", data, 54)
        else:
            programs, sections = struct.unpack_from("<II", data, 28)
            each, n, _, m = struct.unpack_from("<4H", data, 42)
        self.loads = []  # address, offset, bytes in the file
        for i in range(n):
            if wide:
                kind, _, at, address, _, size = struct.unpack_from("<IIQQQQ", data, programs + i * each)
            else:
                kind, at, address, _, size = struct.unpack_from("<5I", data, programs + i * each)
            if kind == 1:
                self.loads.append((address, at, size))
        head = "<IIQQQQII" if wide else "<8I"
        header = [struct.unpack_from(head, data, sections + i * (64 if wide else 40)) for i in range(m)]
        self.functions, self.objects = [], []
        for _, kind, _, _, at, size, link, _ in header:
            if kind == 2:  # SHT_SYMTAB
                self.take_symbols(wide, at, size, header[link][4])
        self.functions.sort()
        self.objects.sort()

    def take_symbols(self, wide, at, size, names):
        form = struct.Struct("<IBBHQQ" if wide else "<IIIBBH")
        for symbol in form.iter_unpack(self.data[at:at + size]):
            if wide:
                name, info, _, section, address, size_ = symbol
            else:
                name, address, size_, info, _, section = symbol
            kind = info & 15
            if kind in (1, 2) and 0 < section < 0xff00:
                end = self.data.index(b"\0", names + name)
                text = self.data[names + name:end].decode("utf-8", "replace")
                (self.functions if kind == 2 else self.objects).append((address, size_, text))

    @staticmethod
    def find(table, address):
        i = bisect.bisect_right(table, (address, 1 << 64, "")) - 1
        if i >= 0 and address - table[i][0] < max(table[i][1], 1):
            return table[i][2], address - table[i][0]
        return None

    def function(self, address):
        at = self.find(self.functions, address)
        return at and at[0]

    def object(self, address):
        """The name of what is there, with the distance from its beginning."""
        at = self.find(self.objects, address)
        return at and (at[0] + ("+%d" % at[1] if at[1] else ""))

    def read(self, address, n):
        for first, at, size in self.loads:
            if first <= address < first + size:
                return self.data[at + address - first:at + min(address - first + n, size)]
        return b""
