"""What the scripts of this folder share: a real system is built and measured, and what is true everywhere is checked.

A script begins a Case, which prints what is asked; fathom() runs fathom and shows the command; annotations() prints
formulas, pictures() writes those of a profile beside it, in bench/cases/.work/NAME; check() says of a statement whether
it holds; learned() and failed() are for people. end() leaves with exit status 0: all holds, 1: something does not; a
case that is skipped leaves with 75. The environment variable BUILD names another folder of the build than build.
"""
import collections
import csv
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FATHOM = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build"))), "fathom")
SKIPPED = 75
TIMEOUT_S = 900


def say(text):
    print(text, flush=True)


def paragraph(label, text):
    say(textwrap.fill(label + " ".join(text.split()), 118, subsequent_indent="  ", break_on_hyphens=False))


class Annotation:
    """An annotation as fathom's JSON has it."""

    def __init__(self, fields):
        self.text = fields["text"]
        self.function = fields["function"]
        self.metric = fields["metric"]
        self.samples = fields["samples"]
        self.models = fields["models"]
        self.notes = fields["notes"]
        self.features = fields["features"]

    def classes(self):
        """Of growth, one a case: constant, linear, nlogn, ..."""
        return [model["class"] for model in self.models]

    def expressions(self, names):
        """What yields the features of these names, and those that are the same or go with them."""
        chosen = [feature for feature in self.features if feature["name"] in names]
        return {word for feature in chosen
                for word in [feature["expression"], *feature["aliases"], *feature["correlated"],
                             *(one["expression"] for one in feature["affine"])]}

    def in_terms(self):
        """What a cost grows with."""
        return self.expressions({factor["feature"] for model in self.models for term in model["terms"]
                                 for factor in term["factors"]})

    def in_scopes(self):
        """What tells cases apart."""
        return self.expressions({condition["feature"] for model in self.models for condition in model["scope"]})

    def depends_on(self, *wanted):
        """Whether terms, scopes or, where it was too noisy for a formula, the notes name one of these expressions."""
        named = self.in_terms() | self.in_scopes()
        notes = [note for note in self.notes if "explains part of the cost" in note]
        return any(word in named or any(note.startswith(word + " ") for note in notes) for word in wanted)

    def slope(self):
        """The coefficient of the first term that is not a constant, of the case with most samples; 0: none is."""
        most = max(self.models, key=lambda model: model["samples"], default={"terms": []})
        return next((term["coefficient"] for term in most["terms"] if term["factors"]), 0)


class Case:
    def __init__(self, name, title, asked):
        self.work = os.path.join(TOP, "bench", "cases", ".work", name)
        self.violated = 0
        self.checked = 0
        if not os.path.exists(FATHOM):
            sys.exit("%s is not there: build it with tools/build" % FATHOM)
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        say("== %s ==" % title)
        paragraph("asked: ", asked)

    def path(self, name):
        return os.path.join(self.work, name)

    def skip(self, reason):
        paragraph("skipped: ", reason)
        sys.exit(SKIPPED)

    def build(self, name):
        """The path of a program of fixtures/real."""
        child = subprocess.run([os.path.join(TOP, "fixtures", "real", "build"), name], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True)
        if child.returncode == SKIPPED:
            self.skip("the source of %s could not be fetched: see above" % name)
        if child.returncode != 0:
            sys.exit("%s could not be built: see above" % name)
        return child.stdout.splitlines()[-1]

    def show(self, command):
        """A command as a reader would type it at the top of the tree."""
        words = [word.replace(TOP + os.sep, "") for word in command]
        say("$ " + " ".join(shlex.quote(word) for word in words))

    def fathom(self, *arguments, statuses=(0,), shown=True, **keywords):
        """Run it to its end; what it and the program print is returned, not shown. Another status ends the script."""
        command = [FATHOM, *arguments]
        if shown:
            self.show(command)
        keywords.setdefault("stdin", subprocess.DEVNULL)
        child = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.work,
                               timeout=TIMEOUT_S, **keywords)
        if child.returncode not in statuses:
            sys.exit("fathom %s: exit status %d:\n%s" % (arguments[0], child.returncode, child.stderr))
        return child

    def annotations(self, profile, *options, shown=None):
        """{(function, metric): Annotation} of a profile; those of functions named in shown, or all, are printed."""
        found = json.loads(self.fathom("annotate", "--json", *options, profile).stdout)
        result = {}
        for fields in found["annotations"]:
            annotation = Annotation(fields)
            result[annotation.function, annotation.metric] = annotation
            if shown is None or annotation.function in shown:
                say(annotation.text.rstrip())
        return result

    def costs(self, profile, metric="time"):
        """{function: what each of its stored calls cost}."""
        result = collections.defaultdict(list)
        for row in csv.DictReader(io.StringIO(self.fathom("export", "--csv", profile, shown=False).stdout)):
            if row[metric]:
                result[row["function"]].append(float(row[metric]))
        return result

    def pictures(self, profile, *options):
        """Into a folder of the profile's own, as its functions may have the names of others."""
        folder = os.path.splitext(profile)[0] + "-pictures"
        made = self.fathom("export", "--plots=" + folder, *options, profile)
        names = [name for name in os.listdir(folder) if name.endswith(".svg")] if os.path.isdir(folder) else []
        say("pictures: %d in %s" % (len(names), os.path.relpath(folder, TOP)))
        self.check("there are pictures of what was measured", bool(names), made.stderr)

    def check(self, what, condition, detail=""):
        """A statement that is true on any machine; detail is printed where it is not."""
        self.checked += 1
        self.violated += not condition
        say("%-14s %s" % ("holds" if condition else "does not hold", what))
        if detail and not condition:
            say(textwrap.indent(str(detail).rstrip(), "    "))

    def learned(self, text):
        paragraph("learned: ", text)

    def failed(self, text):
        paragraph("what did not work: ", text)

    def end(self):
        say("%d of %d statements hold" % (self.checked - self.violated, self.checked))
        sys.exit(1 if self.violated else 0)
