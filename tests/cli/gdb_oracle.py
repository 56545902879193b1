"""Run by gdb on a program that fathom measured: the values of the same calls, by the same expressions, must be equal.

The environment names what fathom gave: ORACLE_LIST (list --features --json) and ORACLE_PROFILE (run -o), and
where the outcome goes, ORACLE_OUTPUT: a line a difference, then one that counts. What gdb cannot evaluate is counted by reason, and must be few.
"""
import collections
import json
import math
import os
import re
import sqlite3

import gdb

UNKNOWN_SHARE_MAX = 0.02  # of the values that fathom has
RETURN = "$fathom_return"


class Unknown(Exception):
    """gdb cannot say."""


def evaluate(expression):
    value = gdb.parse_and_eval(expression)
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    return value


def scalar(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    if kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM):
        return int(value)
    raise Unknown("not a number: " + str(kind))


def elements(value):
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_ARRAY:
        raise Unknown("not an array: " + str(kind))
    low, high = kind.range()
    for i in range(low, high + 1):
        yield from elements(value[i]) if value[i].type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY else [value[i]]


def string_length(value):
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
        values = [int(each) for each in elements(value)]
        if 0 not in values:
            raise gdb.MemoryError("no end in the array")
        return values.index(0)
    return len(value.string("latin-1"))


def class_number(name):
    """As src/core/class_type.c has it."""
    number = 0xcbf29ce484222325
    for byte in name.encode():
        number = (number ^ byte) * 0x100000001b3 % 2**64
    return (number ^ number >> 52) & (2**52 - 1)


def dynamic_class(value):
    value.fetch_lazy()  # a null pointer has no class
    name = str(value.dynamic_type.unqualified())
    if "<" in name:
        raise Unknown("how a template is written is not the same everywhere")
    return class_number(name)


def derives(derived, base):
    return derived.unqualified() == base or any(derives(field.type.strip_typedefs(), base)
                                                for field in derived.fields() if field.is_base_class)


def cast(pointer, name):
    """dynamic_cast: gdb 13's own goes wrong when the pointer is to a second base."""
    if int(pointer) == 0:
        raise gdb.MemoryError("null")
    word = gdb.lookup_type("long").pointer()
    target, actual = gdb.lookup_type(name), pointer.dereference().dynamic_type.unqualified()
    to_top = int((pointer.cast(word.pointer()).dereference() - 2).dereference())
    if not derives(actual, target):
        raise gdb.MemoryError("of another class")
    complete = gdb.Value(int(pointer) + to_top).cast(actual.pointer())
    return complete.cast(target.pointer())


def closing(text, at):
    """Where the bracket at @at is closed."""
    pairs, depth = {"<": ">", "(": ")"}, 0
    for i in range(at, len(text)):
        depth += (text[i] == text[at]) - (text[i] == pairs[text[at]] and text[i - 1] != "-")
        if depth == 0:
            return i
    raise Unknown("brackets do not match")


def without_casts(expression):
    """The expression with the results of its dynamic_casts in their place, from the innermost on."""
    while "dynamic_cast<" in expression:
        begin = expression.rindex("dynamic_cast<")
        middle = closing(expression, begin + len("dynamic_cast"))
        end = closing(expression, middle + 1)
        name, kind = expression[begin + len("dynamic_cast<"):middle - 1].strip(), expression[middle - 1]
        name = name.removeprefix("const ")
        operand = evaluate(expression[middle + 2:end])
        variable = "$fathom_cast_%d" % begin
        gdb.set_convenience_variable(variable[1:], cast(operand if kind == "*" else operand.address, name))
        expression = "%s%s%s" % (expression[:begin], variable if kind == "*" else "(*%s)" % variable,
                                 expression[end + 1:])
    return expression


# The functions that gdb would call in the program, or does not have.
FUNCTIONS = {
    "strlen": string_length,
    "sum": lambda value: sum(scalar(each) for each in elements(value)),
    "typeid": dynamic_class,
}


def number(expression):
    expression = without_casts(expression)
    called = re.fullmatch(r"(\w+)\((.*)\)", expression)
    if called and called.group(1) in FUNCTIONS:
        return FUNCTIONS[called.group(1)](evaluate(called.group(2)))
    return scalar(evaluate(expression))


def ask(expression):
    """A number; None: there is nothing to be read; or an Unknown."""
    try:
        return number(expression)
    except gdb.MemoryError:
        return None
    except Unknown as reason:
        return reason
    except (gdb.error, ValueError, OverflowError, RuntimeError) as reason:
        text = str(reason)
        return Unknown(re.sub(r'"[^"]*"|0x[0-9a-f]+', "…", text))


class Function:
    def __init__(self, listed, profile):
        self.name = listed["name"]
        self.probe = int(str(listed["probe"]), 0)
        self.features = [(f["expression"], f["provenance"]) for f in listed["features"]
                         if f["readable"] and f["provenance"] != "system"]
        self.hits = []
        self.samples = self.read(profile)

    def read(self, profile):
        row = profile.execute("SELECT id FROM function WHERE name = ? AND linkage = ?",
                              (self.name, self.linkage_of(profile))).fetchone()
        columns = dict(profile.execute("SELECT name, id FROM variable WHERE function = ? AND role = 'feature'",
                                       row))
        self.features = [f for f in self.features if f[0] in columns]
        names = ", ".join("v%d" % columns[f[0]] for f in self.features) or "1"
        return profile.execute("SELECT %s FROM sample_%d ORDER BY start_ns" % (names, row[0])).fetchall()

    def linkage_of(self, profile):
        return profile.execute("SELECT linkage FROM function WHERE name = ?", (self.name,)).fetchone()[0]


class Return(gdb.FinishBreakpoint):
    """Asks for what is known only when the call ends."""

    def __init__(self, asked, answers):
        super().__init__(gdb.newest_frame(), internal=True)
        self.asked = asked
        self.answers = answers

    def stop(self):
        if self.return_value is None:
            return False
        gdb.set_convenience_variable(RETURN[1:], self.return_value)
        for i, expression in self.asked:
            self.answers[i] = ask(re.sub(r"\breturn\b", RETURN, expression))
        return False


def hit(function):
    answers = [Unknown("gdb does not say what was returned") if origin == "return" else ask(expression)
               for expression, origin in function.features]
    returned = [(i, expression) for i, (expression, origin) in enumerate(function.features) if origin == "return"]
    if returned:
        Return(returned, answers)
    function.hits.append(answers)


def load_bias(program):
    with open("/proc/%d/maps" % gdb.selected_inferior().pid) as maps:
        starts = [int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(program)]
    with open(program, "rb") as file:
        return min(starts) if file.read(17)[16] == 3 else 0


def run(functions):
    gdb.execute("starti", to_string=True)
    program = os.path.realpath(gdb.current_progspace().filename)
    bias = load_bias(program)
    by_pc = {bias + function.probe: function for function in functions}
    for pc in by_pc:
        gdb.Breakpoint("*%#x" % pc, internal=True)
    while gdb.selected_inferior().pid:
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            break
        function = by_pc.get(gdb.newest_frame().pc())
        if function:
            hit(function)


def equal(ours, theirs):
    if ours is None or theirs is None:
        not_finite = isinstance(theirs, float) and not math.isfinite(theirs)
        return ours is None and (theirs is None or not_finite)
    return float(ours) == float(theirs)


def compare(functions, out):
    n_equal, n_values, wrong, unknown = 0, 0, 0, collections.Counter()
    example = {}
    for function in functions:
        if len(function.samples) != len(function.hits):
            print("%s: %d samples, %d hits" % (function.name, len(function.samples), len(function.hits)), file=out)
            wrong += 1
        for call, (ours, theirs) in enumerate(zip(function.samples, function.hits)):
            for (expression, _), our, their in zip(function.features, ours, theirs):
                n_values += our is not None
                if isinstance(their, Unknown):
                    unknown[str(their)] += our is not None
                    example.setdefault(str(their), "%s: %s" % (function.name, expression))
                elif equal(our, their):
                    n_equal += 1
                else:
                    wrong += 1
                    print("%s, call %d: %s is %s, not %s" % (function.name, call, expression, their, our), file=out)
    for reason, n in unknown.most_common():
        print("gdb cannot say %d: %s (%s)" % (n, reason, example[reason]), file=out)
    n_unknown = sum(unknown.values())
    print("%d functions, %d features, %d values, %d equal, %d not known to gdb, %d wrong" % (
        len(functions), sum(len(f.features) for f in functions), n_values, n_equal, n_unknown, wrong), file=out)
    return not wrong and n_equal and n_unknown <= UNKNOWN_SHARE_MAX * n_values


def main():
    for setting in ("pagination off", "confirm off", "startup-with-shell off", "print object off",
                    "debuginfod enabled off", "width 0", "print thread-events off"):
        gdb.execute("set " + setting)
    with open(os.environ["ORACLE_LIST"]) as file:
        listed = json.load(file)["functions"]
    profile = sqlite3.connect(os.environ["ORACLE_PROFILE"])
    measured = {name for name, in profile.execute("SELECT name FROM function")}
    functions = [Function(each, profile) for each in listed
                 if each["name"] in measured and not each["unmeasurable"]]
    run(functions)
    with open(os.environ["ORACLE_OUTPUT"], "w") as out:
        return compare(functions, out)


try:
    status = 0 if main() else 1
except Exception:
    import traceback
    traceback.print_exc()
    status = 2
gdb.execute("quit %d" % status)
