"""Checks that the list of planted faults has not rotted: each old text occurs exactly once in its
file, and the tests that shall see a fault exist."""
import fnmatch
import re

LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def titlesOf(root):
    """The titles of all test cases, whose literals may be divided."""
    out = set()
    for path in (root / "tests").rglob("*.cpp"):
        for found in re.finditer(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)',
                                 path.read_text(errors="replace")):
            out.add("".join(LITERAL.findall(found.group(1))))
    return out



def whyStale(fault, root, titles):
    path = root / fault.file
    if not path.is_file():
        return f"its file {fault.file} is gone"
    count = path.read_text().count(fault.old)
    if count != 1:
        return (f"its old text occurs {count} times in {fault.file}, not once; plant the same fault "
                "in the text of now")
    if fault.new == fault.old:
        return "it changes nothing"
    for argument in fault.seenBy[1:]:
        name, _, patterns = argument.partition("=")
        if name == "--test-case":
            for pattern in re.split(r"(?<!\\),", patterns):
                if not fnmatch.filter(titles, pattern.replace("\\,", ",").replace("[", "[[]")):
                    return f"no test case is called '{pattern}'"
        if name == "--source-file" and not list(root.glob("tests/**/" + patterns.lstrip("*/"))):
            return f"no test file is called '{patterns}'"
    return ""


def whatIsStale(faults, root):
    """Sentences, one for each fault that no longer applies."""
    titles = titlesOf(root)
    names = [fault.name for fault in faults]
    out = [f"two planted faults are called {name}" for name in sorted(set(names))
           if names.count(name) > 1]
    for fault in faults:
        why = whyStale(fault, root, titles)
        if why:
            out.append(f"the planted fault {fault.name} no longer applies: {why}")
    return out
