"""Prints the tests that work with the system, by node id: those that another system may answer otherwise.

    python .ci/touching.py >names; python -m pytest @names

A test is printed when it, or whatever of test_agon.py it uses, names files, processes, the network, threads, the clock,
the environment or the standard streams.  The others compute values from values (rules, notation, search, what the
window shows) and say nothing new on a second system.
"""

import ast
from typing import Dict, Set

TESTS = "test_agon.py"
#: What tests name that work with the system: modules, pytest's fixtures, and the class that starts engines.
SYSTEM = {"errno", "os", "Path", "select", "shutil", "signal", "socket", "stat", "subprocess", "sys", "threading",
          "time", "capfd", "capsys", "monkeypatch", "tmp_path", "EngineProcess"}


def names_in(part: ast.AST) -> Set[str]:
    """What a part of a source uses from outside: names that it does not set itself, fixtures, classes of modules."""
    used: Set[str] = set()
    own: Set[str] = set()
    for node in ast.walk(part):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else own).add(node.id)
        elif isinstance(node, ast.Attribute) and node.attr[0].isupper():
            used.add(node.attr)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
    if isinstance(part, ast.FunctionDef) and (part.name.startswith("test_") or part.decorator_list):
        own -= {argument.arg for argument in part.args.args}  # fixtures
        used |= {argument.arg for argument in part.args.args}
    return used - own


def main() -> None:
    with open(TESTS, encoding="utf-8") as file:
        source = ast.parse(file.read())
    uses: Dict[str, Set[str]] = {}
    for part in source.body:
        if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            uses[part.name] = names_in(part)
        elif isinstance(part, ast.Assign):
            uses.update((target.id, names_in(part)) for target in part.targets if isinstance(target, ast.Name))
    found: Set[str] = set()
    reached = SYSTEM
    while reached:
        found |= reached
        reached = {name for name, used in uses.items() if used & found} - found
    for name in uses:
        if name in found and name.startswith("test_"):
            print(f"{TESTS}::{name}")


if __name__ == "__main__":
    main()
