"""Reads which runs the sources of PETSc's examples describe in their comments between TEST marks."""

import itertools
import re
import subprocess

# Keys whose values of a testset and a test in it add up.
UNFINISHED = "TO" "DO"  # the key of a test that PETSc does not run
ADDED = ("args", "requires", "env", "comments", "diff_args", "localrunfiles")


class Block(dict):
    """A build, a testset or a test, with the blocks that it holds."""

    def __init__(self, kind, indent):
        super().__init__()
        self.kind, self.indent, self.blocks, self.last = kind, indent, [], None


def blocks_of(text):
    """Returns the tree of the blocks of a source."""
    root = Block("file", -1)
    found = re.search(r"/\*TEST\s*?\n(.*?)\n\s*TEST\*/|^!/\*TEST\s*?\n(.*?)\n!\s*TEST\*/", text, re.S | re.M)
    open_blocks = [root]
    for line in (found.group(1) or found.group(2)).splitlines() if found else []:
        line = re.sub(r"^!", " ", line) if text.lstrip().startswith("!") or found.group(2) else line
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        key = re.match(r"(build|testset|test)\s*:\s*$", body)
        if key:
            while open_blocks[-1].indent >= indent:
                open_blocks.pop()
            block = Block(key.group(1), indent)
            open_blocks[-1].blocks.append(block)
            open_blocks.append(block)
            continue
        pair = re.match(r"(\w+)\s*:\s?(.*)$", body)
        if pair and not body.startswith("-"):
            while len(open_blocks) > 1 and open_blocks[-1].indent >= indent:
                open_blocks.pop()
            block = open_blocks[-1]
            block.last = pair.group(1)
            block[block.last] = (block.get(block.last, "") + " " + pair.group(2)).strip()
        elif open_blocks[-1].last:
            open_blocks[-1][open_blocks[-1].last] += " " + body
    return root


def joined(outer, inner):
    """Returns the values of a test, with those of its testset."""
    values = dict(outer)
    for key, value in inner.items():
        values[key] = f"{values[key]} {value}" if key in ADDED and key in values else value
    return values


def loops(arguments):
    """Yields the arguments once for each value of {{a b}} in them."""
    found = list(re.finditer(r"\{\{([^{}]*)\}\s*(?:separate\s+output|shared\s+output|separate|shared)?\s*\}", arguments))
    choices = [re.findall(r"'[^']*'|\"[^\"]*\"|[^\s,]+", each.group(1)) for each in found]
    for values in itertools.product(*choices):
        text, at = "", 0
        for each, value in zip(found, values):
            text += arguments[at : each.start()] + value.strip("'\"")
            at = each.end()
        yield text + arguments[at:]


def expanded(values):
    """Yields the runs of a test: a dict with nsize, args and the rest."""
    for sizes in loops(values.get("nsize", "1")):
        for arguments in loops(values.get("args", "")):
            yield {**values, "nsize": int(sizes), "args": arguments}


def tests_of(path):
    """Returns the requirements of the build, and all runs of a source."""
    text = path.read_text(errors="replace")
    root = blocks_of(text)
    needs, runs = "", []
    for block in root.blocks:
        if block.kind == "build":
            needs += " " + block.get("requires", "") + (" unfinished" if UNFINISHED in block or "depends" in block else "")
        elif block.blocks:
            for inner in block.blocks:
                runs += expanded(joined(block, inner))
        else:
            runs += expanded(dict(block))
    if not root.blocks or (not runs and "TEST*/" in text):
        runs += expanded({})
    return needs, runs


class Configuration:
    """Says what PETSc was built with."""

    def __init__(self, headers):
        self.defined = set()
        for header in headers:
            self.defined |= set(re.findall(r"#define (PETSC_\w+)", header.read_text()))

    def has(self, word):
        plain = word.lower()
        if plain in ("datafilespath", "x", "matlab", "unfinished", "petsc4py"):
            return False
        if plain in ("double", "single", "complex", "__float128", "__fp16"):
            name = {"double": "REAL_DOUBLE", "single": "REAL_SINGLE", "__float128": "REAL___FLOAT128"}
            return "PETSC_USE_" + name.get(plain, plain.upper()) in self.defined
        if re.match(r"defined\((.*)\)$", word):
            return re.match(r"defined\((.*)\)$", word).group(1) in self.defined
        if plain in ("c99", "cxx", "fortran", "c", "mpiuni", "pgf90_compiler", "cuda_version_11plus"):
            return plain in ("c99", "cxx", "fortran", "c")
        return "PETSC_HAVE_" + re.sub(r"[-.]", "_", word.upper()) in self.defined

    def lacks(self, requires):
        """Returns the first requirement that this PETSc does not meet, or None."""
        for word in requires.split():
            negated = word.startswith("!")
            if self.has(word.lstrip("!")) == negated:
                return word
        return None


def flags():
    """Returns PETSc's compiler and linker options."""
    return subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], check=True, capture_output=True, text=True).stdout.split()
