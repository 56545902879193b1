"""Types every name that an annotation of a profile printed into every command that takes names. Usage: typed_walk.py FATHOM PROGRAM PROFILE

Each function's are typed together where an option may be repeated, else in one session. Ends with 1 if one was refused, or few were typed. It tells which the explorer shows.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import terminal_shell

FATHOM, PROGRAM, PROFILE = sys.argv[1:]
refused = []


def fathom(*arguments):
    """None of the commands refuses what was printed."""
    done = subprocess.run([FATHOM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    advice = re.search(r'give its value, as "([^"]*)"', done.stderr)
    if advice and advice[1] not in arguments:  # what it suggests is not refused either
        return fathom(*arguments, advice[1])
    if done.returncode not in (0, 1):  # 1: violated
        refused.append("%s\n  status %d: %s" % (arguments, done.returncode, (done.stderr or done.stdout).strip()[:300]))
    return done.stdout


def suggested(error):
    """The names that the sentence suggests; of those in a list no template's or parameters' commas part them."""
    found = re.search(r"(?:nearest names? (?:is|are):?|perhaps you mean|did you mean|[;(] ?near:) (.*)", error)
    if not found:
        return []
    listed = re.sub(r"(?:: (?:info features|fathom annotate) .*|; if it is run by .*|\?)$", "", found[1])
    if "(near:" in error:
        listed = listed[:-1]
    names, depth = [""], 0
    for piece in re.split(r"(, )", listed):
        depth += sum(piece.count(c) for c in "(<") - sum(piece.count(c) for c in ")>")
        if piece == ", " and not depth:
            names.append("")
        else:
            names[-1] += piece
    return names


def misspell(name, *commands):
    """@commands(NAME) refuse the misspelt name, and take each that they suggest instead. Returns how many those are."""
    word = re.search(r"\w{4,}", name)
    if not word:
        return 0
    n, at = 0, (word.start() + word.end()) // 2
    wrong = name[:at] + name[at + 1:]
    for command in commands:
        done = subprocess.run([FATHOM, *command(wrong)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        names = suggested(done.stderr)
        if done.returncode == 0:
            refused.append("%s\n  is taken" % (command(wrong),))
        for each in names:
            fathom(*command(each))
        n += len(names)
    return n


def names_of(annotation):
    """What it calls its features, and what it says they are; the type of each; and those that go along with them."""
    for feature in annotation["features"]:
        yield feature["name"], feature
        yield feature["expression"], feature
        for other in feature["aliases"] + feature["correlated"]:
            yield other, None
    for note in annotation["notes"]:
        for name in re.findall(r"(\S+)(?: was)? always ", note):
            yield name, None


def value_of(feature, labels):
    if feature["type"] in ("enum", "class", "string"):
        return labels.get(feature["name"])
    return 1


def conditions_of(annotation):
    """As in the brackets of the text, without numbers' ranges of several at once."""
    return {scope for scope in re.findall(r"\[([^\]]*)\]", re.sub(r"//.*", "", annotation["text"]))
            if "==" in scope or "<=" in scope or ">" in scope}


def walk(annotation):
    function = annotation["function"]
    scopes = sorted(conditions_of(annotation))
    labels = {}
    for scope in scopes:
        for name, label in re.findall(r"([\w.>()*-]+) == (\w+)", scope):
            labels[name] = label
    names = list(dict.fromkeys(name for name, _ in names_of(annotation)))
    with open("walk.%d.ann" % annotation["number"], "w") as file:
        file.write(annotation["text"])
    if annotation["samples"] >= 20:
        fathom("check", file.name, PROFILE)
    # Every feature at once has a value, by its short name, then by its expression.
    for key in ("name", "expression"):
        given = ["%s=%s" % (feature[key], value_of(feature, labels)) for feature in annotation["features"]
                 if value_of(feature, labels) is not None]
        if len(given) == len(annotation["features"]):
            fathom("predict", file.name, function, *given)
            fathom("predict", PROFILE, function, *given)
    for option in "--pin", "--exclude":
        fathom("annotate", "-q", "-f", function, *(word for name in names for word in (option, name)), PROFILE)
    typed = misspell(function, lambda name: ("calls", PROGRAM, name),
                     lambda name: ("calls", PROFILE, name), lambda name: ("annotate", "-q", "-f", name, PROFILE),
                     lambda name: ("predict", file.name, name, *("%s=1" % each["name"] for each in annotation["features"])),
                     lambda name: ("export", "--csv", "-o", "/dev/null", "-f", name, PROFILE))
    if not annotation["number"]:  # reading and running the program takes longest, and is the same for all functions
        typed += misspell(function, lambda name: ("list", "--features", PROGRAM, name),
                          lambda name: ("-batch", "-ex", "break " + name, PROGRAM),
                          lambda name: ("run", "-q", "-f", name, "-o", "walk.again", "--", PROGRAM))
    for feature in annotation["features"]:
        if feature["type"] in ("int", "float", "bool"):
            typed += misspell(feature["expression"],
                               lambda name: ("export", "--csv", "-o", "/dev/null", "-f", function, "--where", name + " >= 0", PROFILE),
                               lambda name: ("-batch", "-ex", "break %s if %s >= 0" % (function, name), PROGRAM),
                               lambda name: ("annotate", "-q", "-f", function, "--pin", name, PROFILE),
                               lambda name: ("predict", PROFILE, function, name + "=1"))
    commands = ["file " + PROGRAM, "load " + file.name]
    for scope in scopes:
        fathom("export", "--csv", "-o", "/dev/null", "-f", function, "--where", scope, PROFILE)
        commands += ["break %s if %s" % (function, scope), "delete"]
    for name, feature in names_of(annotation):
        if feature and feature["type"] in ("int", "float", "bool"):
            probes = 1 + sum(command.startswith("break") for command in commands)
            commands += ["break %s if %s > 0" % (function, name), "condition %d %s == 1" % (probes, name), "delete"]
            fathom("export", "--csv", "-o", "/dev/null", "-f", function, "--where", name + " >= 0", PROFILE)
    commands += ["break " + function, "run"] + ["print " + name for name in names] + ["kill"]
    with open("walk.%d.commands" % annotation["number"], "w") as script:
        script.write("\n".join(commands) + "\n")
    fathom("--max-overhead=none", "--strings", "-batch", "-x", script.name)
    return len(names) + len(scopes), typed


def explored():
    """Names of features in the explorer, of the function at the top."""
    terminal = terminal_shell.Terminal([FATHOM, "explore", PROFILE], LINES="60", COLUMNS="300")
    terminal.shows("share")
    terminal.type("\r")
    terminal.shows("Features")
    terminal.type("5")
    at = terminal.shows("feature (* in the model")
    terminal.type("\x0c")
    terminal.shows("feature (* in the model", at)
    terminal.drain()
    terminal.type("qqq")
    terminal.report("ended")
    terminal.close()
    text = re.sub(r"\x1b\[[\d;]*[Hd]|\r", "\n", terminal.shown[at:].decode(errors="replace"))
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]|\x1b\(B", " ", text)
    return dict.fromkeys(re.findall(r"^ *(?:[\d.]+ %|-) .* (?:int|float|bool|enum|class|string) .* \d+ {2,}(\S.*?) *$", text, re.MULTILINE))


annotations = json.loads(fathom("annotate", "-q", "--json", PROFILE))["annotations"]
for number, annotation in enumerate(annotations):
    annotation["number"] = number
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    walked, typed = map(sum, zip(*pool.map(walk, annotations)))
seen = explored()
fathom("annotate", "-q", "-r", "walk.all.ann", PROFILE)
for command in ("annotate", "-q"), ("diff", "-q", PROFILE), ("check", "-q", "walk.all.ann"):
    for option in "--pin", "--exclude":
        fathom(*command, *(word for name in seen for word in (option, name)), PROFILE)
print("the explorer's: " + ", ".join(seen))
print("%d names of %d functions, and %d suggestions" % (walked, len(annotations), typed))
sys.exit("\n".join(refused) or walked < 2 or typed < 4)
