#!/usr/bin/env python3
"""Makes a copy of a CUDA library that has the code of one architecture only: cut_library.py FROM TO sm_90

The code for other GPUs becomes zeros, which a packer stores in no space; nothing moves. The copy works on
GPUs of that architecture alone. Code that is linked at run time (SpMVOp's) is kept.
"""

import mmap
import shutil
import struct
import sys

# A fat binary is a header (magic, version, its size, the bytes that follow) and entries. An entry is a
# header (kind, version, its size, the bytes of code, ..., the architecture at byte 28) and code.
MAGIC = 0xBA55ED50
HEADER, HEADER_SIZE = struct.Struct("<IHHQ"), 16
ENTRY, ENTRY_SIZE, LEAST_ENTRY, MOST_ENTRY = struct.Struct("<HHIQ12xI"), 32, 64, 512
CUBIN, LINKED_LATER = 2, 8


def entries(image, start, end):
    """Yields kind, architecture, and the place of the code of each entry."""
    while start + LEAST_ENTRY <= end:
        kind, _, header, size, arch = ENTRY.unpack_from(image, start)
        code = start + header
        if not LEAST_ENTRY <= header <= MOST_ENTRY or code + size > end:
            return  # padding behind the last entry
        yield kind, arch, code, size
        start = code + size


def fat_binaries(image):
    """Yields where the entries of each fat binary begin and end."""
    magic = struct.pack("<I", MAGIC)
    at = image.find(magic)
    while 0 <= at <= len(image) - HEADER_SIZE:
        _, _, header, size = HEADER.unpack_from(image, at)
        end = at + header + size
        if header == HEADER_SIZE and end <= len(image):
            yield at + header, end
            at = image.find(magic, end)
        else:  # these four bytes have another meaning
            at = image.find(magic, at + len(magic))


def cut(image, arch):
    """Zeroes what other GPUs need; returns the bytes of cubins kept, and of all code zeroed."""
    kept = zeroed = 0
    for start, end in fat_binaries(image):
        for kind, its_arch, code, size in entries(image, start, end):
            if kind == CUBIN and its_arch == arch:
                kept += size
            elif kind != LINKED_LATER:
                image[code:code + size] = bytes(size)
                zeroed += size
    return kept, zeroed


def main():
    if len(sys.argv) != 4 or not sys.argv[3].removeprefix("sm_").isdigit():
        sys.exit(__doc__)
    source, target, arch = sys.argv[1:]
    shutil.copyfile(source, target)
    with open(target, "r+b") as file, mmap.mmap(file.fileno(), 0) as image:
        kept, zeroed = cut(image, int(arch.removeprefix("sm_")))
    if not kept:
        sys.exit(f"error: {source} has no code for {arch}")
    print(f"{target}: {kept >> 20} MB of code for {arch}, {zeroed >> 20} MB of other code left out")


if __name__ == "__main__":
    main()
