"""Which source files can be compiled as one: those of a folder in which no name would mean two things.

  python3 tools/together.py MOST TARGET FILE... TARGET FILE...

prints a line 'TARGET LIST FILE' for each file (an absolute path) that one target alone has, LIST counting from 0, at most
MOST files to a list.
"""
import collections
import functools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = [os.path.join(ROOT, folder) for folder in
           ("src", "src/translator", "src/tester", "src/host", "tests", "tests/oracle", "tools", "include")]
RAW_STRING = re.compile(r'R"\(.*?\)"', re.DOTALL)
# A definition at the beginning of a line: a type, an alias, a function or a variable; the enumerators of an enum.
DEFINITION = re.compile(r"^(?:struct|class|enum class|enum|union) (\w+)|^using (?:\w+::)*(\w+(?: = [^;]*)?;)"
                        r"|^(?!using|namespace|template|struct|class|enum|union)\w[\w:<>,&*\[\]() ]*?[ &*](\w+)"
                        r"(?:\(| =\s|\{|;|\[)", re.MULTILINE)
# The names after the first one of a definition of several.
MORE = re.compile(r", (\w+)(?: =|\{)")
ENUMERATORS = re.compile(r"^enum (?!class)[^{;]*\{([^}]*)\}", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)
USED_NAMESPACE = re.compile(r"^ *using namespace (?:\w+::)*(\w+);", re.MULTILINE)


@functools.cache
def text(file):
    return RAW_STRING.sub('R"()"', open(file).read())


@functools.cache
def types(file):
    found = DEFINITION.finditer(text(file))
    return {match[1] or match[2].split()[0] for match in found if match[1] or " = " in (match[2] or "")}


@functools.cache
def names(file):
    """Top-level definitions of the file: {name: the text that two files must have in common to share it}."""
    found = {}
    for match in DEFINITION.finditer(text(file)):
        kind, alias, other = match.groups()
        found[kind or other or re.match(r"\w+", alias)[0]] = match[0] if alias else file
        if other and match[0].rstrip().endswith("="):
            found.update((name, file) for name in MORE.findall(text(file)[match.end():].partition(";")[0]))
    for match in ENUMERATORS.finditer(text(file)):
        found.update((name, file) for name in re.findall(r"(?:^|,)\s*(\w+)", match[1], re.MULTILINE))
    return found


@functools.cache
def headers(file):
    """The project's headers that the file includes, directly or not."""
    found, left = set(), [file]
    while left:
        here = left.pop()
        for name in INCLUDE.findall(text(here)):
            for folder in [os.path.dirname(here), *FOLDERS]:
                path = os.path.join(folder, name)
                if os.path.exists(path) and path not in found:
                    found.add(path)
                    left.append(path)
                    break
    return frozenset(found)


@functools.cache
def namespace(file):
    match = NAMESPACE.search(text(file))
    return match[1] + "::" if match else ""


@functools.cache
def used_namespaces(file):
    return frozenset(name for path in (file, *headers(file)) for name in USED_NAMESPACE.findall(text(path)))


def finds_other(file, other, header):
    """Whether `other`, where it means a name of the header, may find the file's own."""
    there = namespace(header)
    if there.removesuffix("::").rpartition("::")[2] in used_namespaces(other):
        return True
    return namespace(file).startswith(there) and namespace(other).startswith(there)


def hides(file, other):
    """Whether a name that the file defines is also one of a header, and so ambiguous or another thing for `other`."""
    return any(finds_other(file, other, header) and
               not names(header).keys().isdisjoint(types(file) if header in headers(file) else names(file))
               for header in headers(other))


def fit(one, other):
    mine, theirs = names(one), names(other)
    return (all(theirs.get(name, what) == what for name, what in mine.items()) and
            not hides(one, other) and not hides(other, one))


def lists(files, most):
    """The files, in as few lists as are likely to compile, each of at most `most`: [[file]]."""
    found = []
    for file in sorted(files):
        for kept in found:
            if len(kept) < most and all(fit(file, k) for k in kept):
                kept.append(file)
                break
        else:
            found.append([file])
    return found


if __name__ == "__main__":
    targets = {}
    for word in sys.argv[2:]:
        if os.path.isabs(word):
            files.append(word)
        else:
            files = targets[word] = []
    uses = collections.Counter(file for files in targets.values() for file in files)
    for target, files in targets.items():
        for number, kept in enumerate(lists([file for file in files if uses[file] == 1], int(sys.argv[1]))):
            for file in kept:
                print(target, number, file)
