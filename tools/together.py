"""Which source files can be compiled as one: those of a folder that do not define the same names.

  python3 tools/together.py MOST FILE...   print a line 'LIST;FILE' for each file, LIST counting from 0, at most MOST to a list
"""
import re
import sys

# A definition at the beginning of a line: a type, an alias, a function or a variable.
DEFINITION = re.compile(r"^(?:struct|class|enum class|enum|union) (\w+)|^using (?:\w+::)*(\w+(?: = [^;]*)?;)"
                        r"|^(?!using|namespace|template|struct|class|enum|union)\w[\w:<>,&*\[\]() ]*?[ &*](\w+)"
                        r"(?:\(| =\s|\{|;|\[)", re.MULTILINE)


def names(file):
    """What the file defines outside of other definitions: {name: what two files must have in common to share it}."""
    found = {}
    for match in DEFINITION.finditer(open(file).read()):
        kind, alias, other = match.groups()
        found[kind or other or re.match(r"\w+", alias)[0]] = match[0] if alias else file
    return found


def lists(files, most):
    """The files, in as few lists as are likely to compile, each of at most `most`: [[file]]."""
    found = []
    for file in sorted(files):
        mine = names(file)
        for kept, defined in found:
            if len(kept) < most and all(defined.get(name, what) == what for name, what in mine.items()):
                kept.append(file)
                defined.update(mine)
                break
        else:
            found.append(([file], mine))
    return [kept for kept, _ in found]


if __name__ == "__main__":
    for number, kept in enumerate(lists(sys.argv[2:], int(sys.argv[1]))):
        for file in kept:
            print(f"{number};{file}")
