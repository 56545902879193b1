"""Values of whole stacks: run by gdb on a process, it writes what its frames show of parameters; run by Python, it compares.

gdb:     STACK_VALUES=FILE gdb -batch -x stack_values.py -p PID
compare: stack_values.py FILE, with the output of `fathom stack --json` on standard input
"""
import json
import math
import os
import re
import sys

try:
    import gdb
except ImportError:
    gdb = None

FRAMES_MAX = 64
# Registers that calls do not preserve: gdb takes what calls further in left there for the value.
LOST = {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"}


def shown(value):
    """What fathom would show of it: a number, a text, or None."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    if kind.code == gdb.TYPE_CODE_ENUM:
        return str(value).split("::")[-1]
    if kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL):
        return int(value)
    if kind.code != gdb.TYPE_CODE_PTR:
        return None
    if not int(value):
        return "null"
    target = kind.target().strip_typedefs()
    if target.code == gdb.TYPE_CODE_FUNC or (target.code == gdb.TYPE_CODE_INT and target.sizeof == 1):
        text = str(value)
        return re.sub(r'^0x[0-9a-f]+ (<[^>]*> (?="))?', "", text)  # 0x5 <symbol> "text"
    return "not null"


def lost(name, frame):
    """
    Was it in a register that calls may use, in a frame that called? gdb supposes that they have not. Nor does it find the caller of the
    function that an inlined one is in, which knows what that was called with.
    """
    if not frame.newer() or frame.newer().type() == gdb.SIGTRAMP_FRAME:
        return False
    places = re.findall(r"Range (0x\w+)-(0x\w+): (.*?)(?=Range |$)", gdb.execute(f"info address {name}", to_string=True).replace("\n", " "))
    here = [how for low, high, how in places if int(low, 16) <= frame.pc() - 1 < int(high, 16)]
    registers = [register for how in here for register in re.findall(r"a variable in \$(\w+)", how)]
    return any(register in LOST for register in registers) or (
        frame.type() == gdb.INLINE_FRAME and any("entry_value" in how for how in here))


def parameters(frame):
    block = frame.block()
    while block.function is None:
        block = block.superblock
    found = {}
    for symbol in block:
        if not symbol.is_argument or lost(symbol.name, frame):
            continue
        for name in (symbol.name, symbol.name + "@entry"):
            try:
                value = gdb.parse_and_eval(name)
                if not value.is_optimized_out and str(value) != "<synthetic pointer>":
                    found[symbol.name] = shown(value)
                    break
            except gdb.error:
                pass
    return found


def write(path):
    gdb.execute("set print frame-arguments all")
    gdb.execute("set print repeats 0")
    gdb.execute("set host-charset UTF-8")
    gdb.execute("set target-charset UTF-8")
    frames = []
    frame = gdb.newest_frame()
    while frame and len(frames) < FRAMES_MAX:
        frame.select()
        if frame.function() and frame.type() != gdb.TAILCALL_FRAME:
            frames.append({"function": frame.function().name, "values": parameters(frame)})
        frame = frame.older()
    json.dump(frames, open(path, "w"))


def ours(frame):
    found = {}
    for value in frame["features"]:
        name = re.sub(r"@entry$", "", value["object"] or re.sub(r" != 0$", "", value["expression"]))
        if value["text"]:
            found[name] = value["text"]
        elif value["expression"].endswith(" != 0"):
            found.setdefault(name, "null" if value["value"] == 0 else "not null" if value["value"] else None)
        elif value["value"] is not None:
            found[name] = value["label"] or value["value"]
        if value["value"] is not None:
            for root in re.findall(r"[A-Za-z_]\w*", value["expression"]):
                found.setdefault(root, "not null")  # what it points to was read
    return found


def same(mine, theirs):
    if isinstance(theirs, float):
        return isinstance(mine, (int, float)) and math.isclose(mine, theirs, rel_tol=1e-6)
    if isinstance(theirs, int):
        return mine == str(theirs) or (isinstance(mine, (int, float)) and float(theirs) == mine)  # beyond 2^53 digits
    return mine == theirs or (theirs == "not null" and str(mine).startswith("<"))  # a symbol


def compare(path):
    theirs = json.load(open(path))
    frames = [f for t in json.load(sys.stdin)["threads"] for f in t["frames"]]
    compared, wrong = 0, []
    at = 0
    for frame in theirs:
        plain = lambda name: "operator()" if "operator()" in name else re.sub(r"\(.*|^__GI_|\..*", "", name)
        while at < len(frames) and plain(frames[at]["function"] or "") != plain(frame["function"]):
            at += 1
        if at == len(frames):
            sys.exit(f"gdb has the frame of {frame['function']}, which is not in ours")
        mine = ours(frames[at])
        at += 1
        for name, value in frame["values"].items():
            if value is None:
                continue
            compared += 1
            if not same(mine.get(name), value):
                wrong.append(f"{frame['function']}: {name} is {value!r} for gdb, {mine.get(name)!r} here")
    print(f"{compared} values of {len(theirs)} frames")
    print("\n".join(wrong))
    sys.exit(bool(wrong) or compared < int(os.environ.get("AT_LEAST", 1)))


if gdb:
    write(os.environ["STACK_VALUES"])
else:
    compare(sys.argv[1])
