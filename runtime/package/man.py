#!/usr/bin/env python3
"""Writes the manual pages at the time of the installation, as Markdown that lowdown turns into roff: specmv(1) from
what the tool says of itself and the variables of specmv-environment(7); specmv(3) and a page for each function and type
from the C headers; section 7 from the files of manual/. Nothing is written twice, so nothing grows old.

    man.py SOURCE_FOLDER VERSION MAN_FOLDER [TOOL]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

SOURCE, VERSION, FOLDER = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
TOOL = [argument for argument in sys.argv[4:] if argument]  # a part of another project has none
MANUAL = SOURCE / "runtime/package/manual"
TOPICS = {file.name.removesuffix(".7.md"): file.read_text("utf-8") for file in sorted(MANUAL.glob("*.7.md"))}
PURPOSES = (SOURCE / "runtime/package/man_names.txt").read_text("utf-8")
COLUMNS = 70  # of what is not filled: a terminal has 80, and the margins of a page take up to 9 of them

# --- Markdown and roff


def escaped(text):
    """Text that Markdown takes as it stands, except that `code` stays code."""
    return re.sub(r"`[^`]*`|[\\*_\[\]<>^~|&#!{}]|^[-+:=](?= )|(?<=^\d)\.",
                  lambda mark: mark[0] if len(mark[0]) > 1 else "\\" + mark[0], text)


def bold(text):
    return f"**{escaped(text)}**"


def code(lines):
    return "\n" + "".join(f"    {line}".rstrip() + "\n" for line in lines) + "\n"


def item(term, text):
    """An item of a list of definitions."""
    return f"\n{term}\n: {text or '&nbsp;'}\n"


# Both overviews say where the rest is. The installed folder may be moved, so they name no prefix.
FILES = "\n# FILES\n\nIn the folder into which specmv was installed:\n" + "".join(item(f"*{name}*", text) for name, text in {
    "share/doc/specmv/README.md": "what specmv is, its figures and limits, and how a program uses it",
    "share/doc/specmv/.github/NEWS.md": "what is new in each version",
    "share/doc/specmv/tests/bench/README.md": "all measurements, and how they were made",
    "share/doc/specmv/samples/": "complete programs to copy from",
    "share/doc/specmv/runtime/cli/JSON.md": "what the tool's JSON has",
    "share/doc/specmv/models/gpus/": "models of GPUs, from which one for another GPU can be written",
    "include/specmv.h, include/specmv_expert.h": "the API in C: its simple part, and the expert's, which specmv.h "
                                                 "includes, in headers of one subject each",
    "include/specmv_fused.h": "ready-made steps of solvers, which specmv-fused(7) explains",
    "include/specmv.hpp": "the API in C++",
}.items())


def see_also(pages, but=None):
    """Overviews name all pages of section 7, except themselves."""
    return "\n# SEE ALSO\n\n" + ",\n".join(pages + [f"{name}(7)" for name in TOPICS if but is not None and name != but])


def write_page(section, name, purpose, markdown):
    """Lines of the page are not stretched, and names not broken. Minus signs and apostrophes can be copied. Names of the
    API and of pages are bold, as code is."""
    text = subprocess.run(["lowdown", "-tman", "--out-no-smarty", "--nroff-nolinks", "--parse-no-super",
                           "--parse-no-intraemph"], input=f"# NAME\n\n{name} - {purpose}\n{markdown}\n",
                          stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    # lowdown moves an item up to its term by blank lines below 0; .TP does so in every terminal.
    text = re.sub(r'\.LP\n(.*\n)\.if n \\\n\.sp -1v\n\.if t \\\n\.sp -0\.25v\n\.IP "" 5n\n', r".TP\n\1", text)
    text = re.sub(r"(?m)^(\.S[HS])\n(.*)(\n\.LP$)?", r"\1 \2", text).replace(r"\fC", r"\fB")
    text = re.sub(r"(?m)^(?!\.(?!S[HS] )).*", lambda line: line[0].replace("-", r"\-").replace("'", r"\(aq"), text)
    parts = re.split(r"(?ms)^\.EX$(.*?)^\.EE$", text)
    names = r"\bspecmv[A-Z]\w*|\bSPECMV_\w*[A-Z0-9]|\bspecmv(\\-[a-z]+)*(?=\([137]\))"
    parts[::2] = (re.sub(names, r"\\fB\g<0>\\fP", part) for part in parts[::2])
    parts[1::2] = (f".RS 2\n.nf{part}.fi\n.RE" for part in parts[1::2])
    page = FOLDER / f"man{section}" / f"{name}.{section}"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f'.TH {name} {section} "" "specmv {VERSION}"\n.ad l\n.nh\n.ss 12 0\n' + "".join(parts), "utf-8")


# --- Section 7


def table(match):
    """A table that a terminal is wide enough for stands in columns. Of any other, a row's first cell is a term, the next
    one is below it, and each further one is behind its column's name."""
    rows = [[cell.strip() for cell in row.strip()[1:-1].split("|")] for row in match[0].splitlines()]
    del rows[1]  # a rule
    plain = [[cell.replace("`", "") for cell in row] for row in rows]
    widths = [max(map(len, column)) + 2 for column in zip(*plain)]
    if sum(widths) <= COLUMNS:
        return code("".join(map(str.ljust, row, widths)) for row in plain)
    return "".join(item(term, "  \n  ".join([text] + [f"*{head}:* {cell}" for head, cell in zip(rows[0][2:], more) if cell]))
                   for term, text, *more in rows[1:])


def topic_text(topic):
    """The purpose from a file's title NAME(7): PURPOSE, and its text with the headings of a manual page."""
    title, text = re.fullmatch(rf"# {topic}\(7\): (.+?)\n(.*)", TOPICS[topic], re.S).groups()
    text = re.sub(r"(?m)^## (.*)$", lambda match: "# " + match[1].upper(), text.replace("\n### ", "\n## "))
    return title, re.sub(r"(?m)(^\|.*\n)+", table, text)


# --- specmv(1)


def help_of(*verb):
    """Rows of two columns are items, which lines that are indented farther continue; examples stay as they are."""
    text = subprocess.run([*TOOL, *verb, "--help"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    result = ""
    for part in text.strip().split("\n\n"):
        if part.startswith("Examples:\n"):
            result += "\nExamples:\n" + code(line[2:] for line in part.split("\n")[1:])
            continue
        for row in re.split(r"\n(?=  [^ ])", part):
            words = re.fullmatch(r"  (\S+(?: \S+)*)(?:  +|\n|$)(.*)", row, re.S)
            text = escaped(" ".join((words[2] if words else row).split()))
            result += item(bold(words[1]), text) if words else f"\n{text}\n"
    return result


def write_tool_page():
    told = help_of()
    text = "\n# SYNOPSIS\n\n**specmv** *verb* [options] [arguments]\n\n# DESCRIPTION\n" + told + "\n# VERBS\n"
    for verb in re.findall(r"\n\*\*([a-z]+)\b.*\*\*\n: ", told):
        text += f"\n## {verb}\n" + help_of(verb)
    variables = re.findall(r"\n`[A-Z_]+`\n: .*\n", topic_text("specmv-environment")[1])
    write_page(1, "specmv", "sparse matrix times vector by a GPU kernel made for the matrix",
               text + "\n# ENVIRONMENT\n" + "".join(variables) + FILES + see_also(["specmv(3)"], ""))


# --- The headers

# One character stands for each mark of a comment, so that an expression can leave it out.
COMMENT = "\1[^\2]*\2"
PIECE = re.compile(rf"(?P<gap>\n\n\s*)|\s+|(?P<comment>{COMMENT})|(?P<declaration>#[^\n]*|"
                   rf"(?:typedef )?(?:enum|struct)[ A-Za-z]* {{[^}}]*}}[^;]*;|[^;\1\2#]*;)")
MEMBER = re.compile(rf"({COMMENT}\s*)?([^,;\1\2\s][^;\1\2=]*(?: = [0-9]+,?|;))( *{COMMENT})?")
KINDS = {
    "macro": r"#define ([A-Z_0-9]+)",
    "enum": r"typedef enum[ A-Za-z]* {[^}]*} *(specmv[A-Za-z]+_t)",
    "struct": r"typedef struct[ A-Za-z]* {[^}]*} *(specmv[A-Za-z]+_t)",
    "callback": r"typedef [^(]*\(\*(specmv[A-Za-z]+_t)\)",
    "handle": r"typedef .*(specmv[A-Za-z]+_t);",
    "function": r"[^(]*?(specmv[A-Za-z]+)\(",
}


class Section:
    """What stands below "--- Title ---"."""

    def __init__(self, title):
        self.title, self.text, self.items = title, "", []

    def add(self, declaration, comment):
        """A macro that begins a structure goes with it. A structure whose name is declared before is shown in one piece."""
        if struct := re.match(r"struct (\w+) {", declaration):
            declaration = f"typedef {declaration[:-1]} {struct[1]}_t;"
        added = Item(declaration, comment, self)
        if added.name.endswith("_INIT"):
            self.items[-1].init = added.name
        elif not re.match(r"typedef struct \w+ \w+;", declaration):
            self.items.append(added)


class Item:
    """A function, type or macro with the comment above it, or else with that of its section or of the item before."""

    def __init__(self, declaration, comment, section):
        self.declaration, self.section, self.init = declaration, section, ""
        self.kind, self.name = next((kind, found[1]) for kind, form in KINDS.items() if (found := re.match(form, declaration)))
        if not comment and self.kind in ("function", "callback", "struct"):
            comment = section.text or (section.items[-1].comment if section.items else "")
        self.comment, (self.text, self.errors) = comment, split_errors(comment)

    def purpose(self):
        found = re.search(rf"(?m)^{self.name} (.*)$", PURPOSES)
        return escaped(found[1] if found else re.split("[.:;]", " ".join(self.comment.split()))[0])


def split_errors(comment):
    """What a comment says before "Errors:", and behind it, in one line."""
    text, errors = re.fullmatch(r"(.*?)(?:(?:^|[ \n])Errors(?: of these)?:[ \n](.*))?", comment, re.S).groups()
    return text, " ".join((errors or "").split())


def comment_text(comment):
    """The lines of a comment without its marks."""
    return re.sub(r"\n +\* ?", "\n", re.sub("\1 ?| *\2", "", comment))


def read_header(name):
    """A header with one character for each mark, and a macro in one line."""
    text = re.sub(r" *\\\n *", " ", (SOURCE / "runtime/include" / name).read_text("utf-8"))
    return text.replace("/*", "\1").replace("*/", "\2")


def read_sections(name):
    """All sections of a header, then those of the headers that it includes, in their order."""
    text = read_header(name)
    included = re.findall(r'(?m)^#include "(.*)"$', text)
    text = re.sub(r"\n#ifdef __cplusplus\n}\n#endif|\n#include [^\n]*", "", text)
    text = text[text.index("\n\1 --- "):text.rindex("\n#endif")].strip()
    sections, comment, place = [], "", 0
    while place < len(text):
        piece = PIECE.match(text, place)
        if not piece:
            sys.exit(f"this part of {name} was not understood: {text[place:place + 200]}")
        place = piece.end()
        if piece["gap"]:
            comment = ""
        elif piece["comment"]:
            comment = comment_text(piece[0])
            if title := re.match(r"--- (.*[^-]) --+\n?", comment):
                sections.append(Section(title[1]))
                comment = comment[title.end():]
                if place == len(text) or text.startswith("\n\n", place):  # otherwise it is the next item's
                    sections[-1].text = comment
        elif piece["declaration"]:
            sections[-1].add(piece[0].removeprefix("SPECMV_API "), comment)
    return sections + [section for other in included if other != "specmv.h" for section in read_sections(other)]


# --- Section 3


def filled(text, parameters=()):
    """A comment's lines as paragraphs: a line that begins with spaces is code, "name: " a parameter. A paragraph ends
    where the next line's first word would still have gone into the header's 100 columns."""
    result, before = [], ""
    for line in text.strip("\n").split("\n"):
        begins = not before or before.endswith((".", ":")) and len(f" * {before} {line.split(' ')[0]}") <= 100
        named = re.match(r"([A-Za-z]+): (.*)", line)
        if begins or line.startswith("  ") != before.startswith("  "):
            result.append("")
        if line.startswith("  "):  # a remark behind the code gets a line of its own, for narrow terminals
            result.append("  " + re.sub(r";    +(\S.*)", r";\n        /* \1 */", line))
        elif begins and named and named[1] in parameters:
            result.append(f"*{named[1]}*\n: {escaped(named[2])}")
        else:
            result.append(escaped(line))
        before = line
    return "\n".join(result) + "\n"


def in_lines(declaration):
    """A function, a callback or a macro, broken between parameters."""
    text = " ".join(declaration.split())
    if not text.startswith("#"):
        text = text.replace(" ", "\0").replace(",\0", ", ")
    lines = textwrap.wrap(text, COLUMNS, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def synopsis(it):
    text = re.sub(rf"\n? *{COMMENT}", "", it.declaration)
    lines = text.split("\n") if it.kind in ("enum", "struct") and "\n" in text else in_lines(text)
    if it.init:
        lines += ["", f"{it.name} variable = {it.init};"]
    return "\n# SYNOPSIS\n" + code(["#include <specmv.h>", "", *lines])


def members(it):
    """Fields of a structure or constants of an enumeration, with the comment above or behind."""
    result = ""
    for above, member, behind in MEMBER.findall(re.sub(r"^[^{]*{|}[^}]*$", "", it.declaration)):
        text, member = " ".join(comment_text(above + behind).split()), member.rstrip(",;")
        if member == "size_t structSize":
            text = f"its size, by which the library knows of which version it is; {it.init} sets it"
        elif not text and (of := re.match(r"(specmv\w+_t) ", member)):
            text = f"see {of[1]}(3)"
        result += item(bold(member), escaped(text))
    return result


def returns(it, story, statuses):
    """What specmv.h says of all statuses, and the errors of this function and of its section."""
    of_these = split_errors(it.section.text)[1]
    errors = it.errors if of_these == it.errors else f"{of_these} {it.errors}".strip()
    errors = re.sub(r"([A-Z_]+: [^.]*)[.] [A-Z_]+: also", r"\1, also", errors)  # one status
    begin, *rest = re.split(rf"(?:^|(?<=[.]) )({statuses}): ", errors)
    listed = "".join(item(bold("SPECMV_STATUS_" + name), escaped(text)) for name, text in zip(rest[::2], rest[1::2]))
    general = re.search(r"\nErrors\. (.*?)\n\n", story, re.S)[1]
    return "\n# RETURN VALUE\n" + filled(general) + ("\n# ERRORS\n" + filled(begin) + listed if errors else "")


def write_item_page(it, items, story):
    statuses = "|".join(re.findall("SPECMV_STATUS_([A-Z_]+)", items["specmvStatus_t"].declaration))
    text = synopsis(it) + "\n# DESCRIPTION\n" + filled(it.text, re.findall("[A-Za-z]+", it.declaration))
    if it.kind in ("enum", "struct"):
        text += members(it)
    if split_errors(it.section.text)[0] and it.section.text != it.comment:
        text += f"\nThe section “{it.section.title}” of specmv(3) tells what holds for all that it lists.\n"
    if it.declaration.startswith("specmvStatus_t "):
        text += returns(it, story, statuses)
    told = f"{it.comment} {it.declaration}"
    others = {other.name for other in it.section.items} | set(re.findall("specmv[A-Z][A-Za-z]*(?:_t)?", told))
    others = [f"{name}(3)" for name in sorted(others & items.keys() - {it.name}, key=str.lower)
              if items[name].kind not in ("handle", "macro")]
    topics = dict.fromkeys(re.findall(r"specmv-[a-z]+\(7\)", told))
    write_page(3, it.name, it.purpose(), text + see_also(["specmv(3)", *others, *topics]))


def overview(section):
    """What a section says of all its items, and the list of them."""
    text, told = f"\n# {section.title.upper()}\n" + filled(section.text), ""
    for it in section.items:
        if it.kind != "macro":
            text += item(f"{it.name}(3)", it.purpose())
            continue
        text += filled(it.comment) if it.comment != told else ""  # once for all that it stands above
        text += code(in_lines(it.declaration))
        told = it.comment
    return text


def write_library_pages():
    """A handle has no more to say than specmv(3) does."""
    header = read_header("specmv.h")
    story = comment_text(header[header.index("\1 The simple way"):header.index("\n\1 clang-format on")])
    sections = read_sections("specmv.h")
    items = {it.name: it for section in sections for it in section.items}
    write_page(3, "specmv", "C API of specmv: y = alpha A x + beta y",
               "\n# SYNOPSIS\n" + code(["#include <specmv.h>", "", "cc program.c $(pkg-config --cflags --libs specmv)"])
               + "\n# DESCRIPTION\n" + re.sub(r"(?m)^([A-Z][a-z]+)\. ", r"## \1\n\n", filled(story))
               + "".join(map(overview, sections)) + FILES + see_also(["specmv(1)"], ""))
    for it in items.values():
        if it.kind == "handle":
            (FOLDER / f"man3/{it.name}.3").write_text(".so man3/specmv.3\n", "utf-8")
        elif it.kind != "macro":
            write_item_page(it, items, story)


if not shutil.which("lowdown"):
    sys.exit("there is no lowdown")
if TOOL:
    write_tool_page()
write_library_pages()
for name in TOPICS:
    purpose, text = topic_text(name)
    write_page(7, name, purpose, "\n# DESCRIPTION\n" + text + see_also(["specmv(1)", "specmv(3)"], name))
