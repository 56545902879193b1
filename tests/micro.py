"""Does fathom find the laws of fixtures/micro?

Usage: micro.py FATHOM FIXTURES LAWS BUILD CALLS [FUNCTION...]

FIXTURES has the programs plain-BUILD, costs-BUILD and classes-BUILD. They are measured, and keep an account of their own: what each call
was given, and what it cost by the program's clocks. The annotation must name the features of the law and no others, have its
scopes and its class of growth; and what it says of calls must be what the law says whose coefficients are fitted to the
account. Prints a line for each function that has another law; exit status 1 if one is not found.

How close is close: a few per cent, since robust fits leave out different calls; and by chance where noise is large: four standard errors of the account's
own fit. Of what spins, the account is its processor time, and of what sleeps the time without that in which the thread waited for a processor, both of the pieces
in which nothing is measured: what measuring leaves of itself in a call is a few microseconds. Where it is more (a throw stops, which takes 100 on some virtual
machines) the law says "alone", and the account is that of a run of its own, without fathom. Everything is judged at calls that were made.

Somebody else may take the processor away for a while, and 150 calls then have another law. So what does not hold is measured again, with
other arguments: where a law is found with a probability of 0.95, as is promised of a busy machine, one of 40 is not in six tries with 6e-7.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

TRIES = 6
RELATIVE = 0.05
ABSOLUTE = {"spinning": 10.0, "sleeping": 60.0}  # µs
STANDARD_ERRORS = 4
AGREE = 0.95  # of the calls are in the same case


def evaluate(text, row):
    return eval(text, {"log": math.log, "sqrt": math.sqrt, **row})  # pylint: disable=eval-used


def solve(matrix, right):
    """Gauss with pivots; several right sides."""
    n = len(matrix)
    rows = [list(matrix[i]) + list(right[i]) for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [[rows[i][n + k] / rows[i][i] for k in range(len(right[0]))] for i in range(n)]


class Fit:
    """A law fitted to rows, robustly: Huber's weights, deviations that grow with the cost."""

    def __init__(self, law, rows):
        self.law = law
        design = [[evaluate(term, row) for term in law] for row in rows]
        costs = [row["cost"] for row in rows]
        weights = [1.0] * len(rows)
        for _ in range(20):
            self.solve(design, costs, weights)
            left = [abs(cost - self.at(x)) / max(abs(self.at(x)), 1) ** 0.5 for x, cost in zip(design, costs)]
            scale = 1.4826 * statistics.median(left) or 1e-9
            weights = [min(1, 1.5 * scale / max(r, 1e-12)) / max(abs(self.at(x)), 1)
                       for r, x in zip(left, design)]
        # The deviation of one of weight 1.
        self.variance = sum(w * (c - self.at(x)) ** 2 for w, c, x in zip(weights, costs, design)) / max(
            1, len(rows) - len(law))

    def solve(self, design, costs, weights):
        n = len(self.law)
        normal = [[sum(w * x[i] * x[k] for w, x in zip(weights, design)) for k in range(n)] for i in range(n)]
        right = [[sum(w * x[i] * c for w, x, c in zip(weights, design, costs))] + [float(i == k) for k in range(n)]
                 for i in range(n)]
        solution = solve(normal, right)
        self.coefficients = [line[0] for line in solution]
        self.inverse = [line[1:] for line in solution]

    def at(self, x):
        return sum(c * v for c, v in zip(self.coefficients, x))

    def predict(self, row):
        x = [evaluate(term, row) for term in self.law]
        n = len(x)
        variance = self.variance * sum(x[i] * self.inverse[i][k] * x[k] for i in range(n) for k in range(n))
        return self.at(x), math.sqrt(max(variance, 0))


class Wrong(Exception):
    pass


def read_account(path, column):
    accounts = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            name, *numbers = line.split()
            a, b, c = (float(number) for number in numbers[2:])
            accounts.setdefault(name, []).append({"cost": float(numbers[column]), "a": a, "b": b, "c": c})
    return accounts


class Annotation:
    """An annotation of --json, whose features are columns of the account."""

    def __init__(self, said, law, absolute):
        self.said = said
        self.absolute = absolute
        self.column = {}
        self.expression = {}
        # When a feature can be read.
        self.present = law.get("present", {})
        for feature in said["features"]:
            names = [feature["expression"]] + feature.get("aliases", [])
            column = [key for key, allowed in law["features"].items() if set(names) & set(allowed)]
            if not column:
                raise Wrong("it names " + feature["expression"])
            self.column[feature["name"]] = column[0]
            self.expression[feature["name"]] = feature["expression"]
        self.labels = law.get("labels", {})

    def holds(self, scope, row):
        return all(self.condition_holds(condition, row) for condition in scope)

    def condition_holds(self, condition, row):
        column = self.column[condition["feature"]]
        if condition["op"] == "defined":
            present = self.present.get(self.expression[condition["feature"]])
            if not present:
                raise Wrong("it has a scope about whether %s is there" % condition["feature"])
            return bool(evaluate(present, row)) == bool(condition["value"])
        value, limit = row[column], condition.get("value")
        if isinstance(limit, str):
            if limit not in self.labels.get(column, []):
                raise Wrong("it has a scope about " + limit)
            limit = self.labels[column].index(limit)
        return {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit,
                "==": value == limit, "!=": value != limit}[condition["op"]]

    def predict(self, model, row):
        total = 0
        for term in model["terms"]:
            product = term["coefficient"]
            for factor in term["factors"]:
                x = row[self.column[factor["feature"]]]
                product *= x ** factor["power"] * (math.log(x) ** factor["log"] if factor["log"] else 1)
            total += product
        return total

    def used(self, model):
        return {self.column[factor["feature"]] for term in model["terms"] for factor in term["factors"]}


def compare(annotation, model, law, rows, what):
    """What the model says at calls is what the law says of them."""
    fit = Fit(law, rows)
    for row in rows:
        expected, error = fit.predict(row)
        found = annotation.predict(model, row)
        if abs(found - expected) > RELATIVE * abs(expected) + annotation.absolute + STANDARD_ERRORS * error:
            raise Wrong("%sof a call with %s it says %.6g, the account %.6g ± %.2g" % (
                what, [row[key] for key in "abc"], found, expected, error))


def variables(law):
    return {key for key in "abc" if any(key in term.replace("sqrt", "").replace("log", "") for term in law)}


def check_model(annotation, model, expected, rows, what=""):
    if model["class"] != expected["class"]:
        raise Wrong("%sits class is %s" % (what, model["class"]))
    if annotation.used(model) != variables(expected["law"]):
        raise Wrong("%sits formula is about other features" % what)
    compare(annotation, model, expected["law"], rows, what)


def without_rest(models):
    """Calls that waited stand beside the main trend of their scope, or its kinds of calls."""
    trends = [model["scope"] for model in models if model["heuristic"] == "M"]
    return [model for model in models
            if model["heuristic"] == "M" or model["scope"] not in trends and not model["rest"]]


def check_cases(annotation, law, rows):
    models = without_rest(annotation.said["models"])
    if len(models) != len(law["cases"]):
        raise Wrong("it has %d models" % len(models))
    for expected in law["cases"]:
        when = expected.get("when", "True")
        own = [row for row in rows if evaluate(when, row)]
        held = [[annotation.holds(model["scope"], row) for row in own] for model in models]
        best = max(range(len(models)), key=lambda i: sum(held[i]))
        others = sum(annotation.holds(models[best]["scope"], row) for row in rows if not evaluate(when, row))
        if sum(held[best]) < AGREE * len(own) or others > (1 - AGREE) * len(rows):
            raise Wrong("none of its scopes is: " + when)
        check_model(annotation, models[best], expected, own, "" if len(models) == 1 else "where %s " % when)


def check_trend(annotation, law, rows):
    """The main trend, alone or as a part of a mixture that tells the others as well."""
    models, expected = annotation.said["models"], law["trend"]
    if len(models) == 1 and models[0]["heuristic"] != "M":
        raise Wrong("it is not the main trend")
    main = max(models, key=lambda model: (model["heuristic"] == "M", model["probability"]))
    check_model(annotation, main, expected, [row for row in rows if evaluate(expected["when"], row)])


def check_parts(annotation, law, rows):
    """A mixture: of each part its share and its law."""
    models, parts = without_rest(annotation.said["models"]), law["parts"]
    whole = sum(model["probability"] for model in models)
    if len(models) != len(parts["shares"]) or any(model["scope"] for model in models):
        raise Wrong("it has %d models" % len(models))
    middle = rows[len(rows) // 2]
    fits = []
    for number, terms in enumerate(parts["laws"]):
        own = [row for row in rows if row[parts["feature"]] == number]
        fits.append((Fit(terms, own).predict(middle)[0], len(own) / len(rows), terms, own))
    for model, (_, share, terms, own) in zip(
            sorted(models, key=lambda model: annotation.predict(model, middle)), sorted(fits, key=lambda fit: fit[0])):
        if abs(model["probability"] / whole - share) > 0.04:
            raise Wrong("a part has the share %.2f, the account %.2f" % (model["probability"] / whole, share))
        if annotation.used(model) != variables(terms):
            raise Wrong("the formula of a part is about other features")
        compare(annotation, model, terms, own, "of a part: ")


def check(said, law, rows, absolute):
    annotation = Annotation(said, law, law.get("absolute", absolute))
    if "cases" in law:
        check_cases(annotation, law, rows)
    elif "trend" in law:
        check_trend(annotation, law, rows)
    else:
        check_parts(annotation, law, rows)


def run(command, program, metric, names, numbers):
    """The accounts of @names by @program, which @command runs; @numbers: calls and seed."""
    with tempfile.TemporaryDirectory() as folder:
        account = os.path.join(folder, "account")
        subprocess.run(command + [program] + numbers + [account] + names, check=True, stdin=subprocess.DEVNULL, timeout=280)
        # Waits are told by the clock, whatever the build does otherwise.
        return read_account(account, 1 if "spinning" in program and metric == "time" else 0)


def measure(fathom, program, metric, names, numbers):
    """What fathom says of the functions @names, and their accounts."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        functions = [word for name in names for word in ("-f", name)]
        accounts = run([fathom, "run", "-q", "-m", metric, "--max-overhead", "none", "--samples", "all", "--json", "-r", report]
                       + functions + ["--"], program, metric, names, numbers)
        with open(report, encoding="utf-8") as file:
            annotations = json.load(file)["annotations"]
        return {said["function"].split("(")[0]: said for said in annotations}, accounts


def verdict(said, law, rows, absolute):
    if said is None:
        return "was not measured"
    try:
        check(said, law, rows, absolute)
    except (Wrong, KeyError, ZeroDivisionError) as wrong:
        return str(wrong) or repr(wrong)
    return None


def attempt(fathom, fixtures, build, laws, numbers):
    """Why each law does not hold; None: it does."""
    why = {}
    absolute = ABSOLUTE[next(kind for kind in ABSOLUTE if kind in build)]
    for program in ("plain", "costs", "classes"):
        path = os.path.join(fixtures, "%s-%s" % (program, build))
        here = [name for name, law in laws.items() if law.get("program", "plain") == program]
        for metric in sorted({laws[name].get("metric", "time") for name in here}):
            names = [name for name in here if laws[name].get("metric", "time") == metric]
            said, accounts = measure(fathom, path, metric, names, numbers)
            alone = [name for name in names if laws[name].get("alone")]
            if alone:
                accounts.update(run([], path, metric, alone, numbers))
            for name in names:
                why[name] = verdict(said.get(name), laws[name], accounts[name], absolute)
                if why[name]:
                    print("%s: %s: %s\n%s" % (build, name, why[name], said[name]["text"] if name in said else ""))
    return why


def main():
    fathom, fixtures, laws, build, calls = sys.argv[1:6]
    with open(laws, encoding="ascii") as file:
        laws = json.load(file)
    left = {name: laws[name] for name in sys.argv[6:] or laws}
    total = len(left)
    for seed in range(1, TRIES + 1):
        why = attempt(fathom, fixtures, build, left, [calls, str(seed)])
        left = {name: law for name, law in left.items() if why[name]}
        if not left:
            break
    print("%s: %d of %d laws found" % (build, total - len(left), total))
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
