"""Checks that no files of src/ form a circle: a.c needs what b.c defines, and b.c what a.c defines.

Usage: circles.py BUILD, a folder whose objects are read with nm; or circles.py --self-test. Prints one line for each circle.
"""

import collections
import pathlib
import re
import subprocess
import sys

# Circles that are in the nature of things, each with the reason.
ALLOWED = {
    # DWARF 5, section 2.5: expressions hold expressions (entry values), and pieces hold locations.
    frozenset({"location_location_compile", "location_implicit_values", "location_pieces"}),
}


def symbols(build):
    """Of each source, what it defines for others and what it needs."""
    defines, needs = {}, collections.defaultdict(set)
    objects = sorted((build / "src").rglob("*.c.o"))
    if not objects:
        sys.exit(f"{build}: there are no objects; build first")
    listed = subprocess.run(["nm", "--print-file-name", *objects], stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in listed.splitlines():
        name, _, rest = line.rpartition(":")
        kind, symbol = rest.split()[-2:]
        source = re.sub(r"\.c\.o$", "", pathlib.PurePath(name).name)
        if kind in "TDBRVWC":
            defines[symbol] = source
        elif kind == "U":
            needs[source].add(symbol)
    return {source: {defines[symbol] for symbol in needed if symbol in defines} - {source} for source, needed in needs.items()}


def circles(graph):
    """Strongly connected components of more than one node (Tarjan)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in on_stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            component = set()
            while node not in component:
                component.add(stack.pop())
            on_stack.difference_update(component)
            if len(component) > 1:
                found.append(frozenset(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def self_test():
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": {"e"}, "e": set(), "f": {"a"}}
    if circles(graph) != [frozenset("bc")]:
        sys.exit(f"it finds {circles(graph)} in {graph}")


def main():
    sys.setrecursionlimit(10000)
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    graph = symbols(pathlib.Path(sys.argv[1]))
    found = circles(graph)
    for circle in found:
        if circle not in ALLOWED:
            print("circle:", *(f"{source} → {', '.join(sorted(graph[source] & circle))};" for source in sorted(circle)))
    for circle in sorted(map(sorted, set(ALLOWED) - set(found))):
        print("no circle any more, the exception goes:", *circle)
    sys.exit(1 if set(found) != set(ALLOWED) else 0)


main()
