"""Naming functions in a program by fathom and by gdb, for bench/catalogue and bench/peers: what is run, on what."""
import subprocess

import tools

# Three things that are not to be mixed up, and what they are called in tables.
WAYS = {"naming": [], "parameters": ["--features", "--globals", "none"], "all features": ["--features"]}
# Functions of gdb: in C style, methods, one that takes a polymorphic class.
FUNCTIONS = ["value_as_long", "bfd_elf64_slurp_symbol_table", "symbol_file_add",
             "target_stack::push", "remote_target::wait"]


def by_fathom(binary, function, way):
    return [tools.FATHOM, "list", *WAYS[way], binary, function]


def by_gdb(binary, function):
    return ["gdb", "-batch", "-nx", "-ex", "info scope " + function, binary]


def debug_bytes(binary):
    """The sum of the sizes of the debug sections, and whether they are compressed."""
    total = 0
    listing = subprocess.run(["readelf", "-tW", binary], capture_output=True, text=True).stdout
    for line in subprocess.run(["readelf", "-SW", binary], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 5 and fields[1].startswith(".debug_"):
            total += int(fields[5], 16)
    return total, "COMPRESSED" in listing
