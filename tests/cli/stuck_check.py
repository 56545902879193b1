"""What fathom says of the calls of fixtures/trace/parked.c, which prints what it knows itself.

stuck_check.py stack|followed O0|O2 OUTPUT SAID: O2 may not know what has been optimised out, but then says so.
"""
import collections
import json
import math
import sys

MODE, KIND, OUTPUT, SAID = sys.argv[1:]

# Mean of the annotation; None: with optimisation it may not be known.
MEANS = {
    'waits': 210,
    'spins': 14e15,
    'holds': 140,
    'wants': 100,
    'forgets': None,
    'drops': None,
    'counts_globals': 400,
    'is_inlined': 42,
}
EITHER = {'forgets': (14, 29), 'drops': (14,)}
OPEN = collections.Counter(waits=1, spins=1, holds=1, wants=2, descends=5, is_inlined=1, forgets=1, drops=1,
                           counts_globals=1)


def fail(*words):
    print(*words)
    sys.exit(1)


def check_bounds(what, bounds):
    least, most = bounds['at_least'], bounds['at_most']
    if least is not None and most is not None and not 0 <= least <= most:
        fail(what, 'bounds are no bounds', least, most)
    if most is None:
        fail(what, 'is younger than its thread, which is not said')


def check_mean(function, frame, outlook):
    expected = outlook['expected']
    if expected is None:
        if KIND == 'O0' or not outlook['explanation']:
            fail(function, 'nothing is expected', outlook)
        return
    mean = expected['mean']
    if function == 'descends':
        depth = [value['value'] for value in frame['features'] if value['expression'] == 'depth']
        right = mean == 1e15 * (depth[0] + 1)
    else:
        right = any(math.isclose(mean, each) for each in EITHER.get(function, (MEANS[function],)))
    if not right or not expected['low'] <= mean <= expected['high']:
        fail(function, 'expected', expected)


def check_verdict(function, frame, outlook):
    if outlook['unit'] != 'us' or outlook['metric'] != 'time':
        fail(function, outlook)
    wanted = ['pallets'] if function == 'counts_globals' and outlook['expected'] else []
    if outlook['outside'] != wanted:
        fail(function, 'is outside of what was observed by', outlook['outside'])
    check_bounds(function, outlook)
    check_mean(function, frame, outlook)


def check_stack(stack):
    seen = collections.Counter()
    for thread in stack['threads']:
        for frame in thread['frames']:
            outlook = frame.get('outlook')
            if not outlook:
                continue
            function = frame['function']
            seen[function] += 1
            check_verdict(function, frame, outlook)
            if function == 'spins':
                if thread['activity'] == 'runs' and outlook['verdict'] not in ('unknown', 'within'):
                    fail('spins is', outlook)
                continue
            # Others may keep the processors from stopping it in time: then nobody knows what it waits for.
            if thread['activity'] not in ('waits', 'asleep'):
                continue
            if outlook['verdict'] != 'blocked' or not outlook['waits_for']:
                fail(function, 'is not blocked', outlook)
            if function == 'wants' and '(holds) holds; thread' not in outlook['waits_for']:
                fail('wants waits for', outlook['waits_for'])
    if any(thread['activity'] == 'missed' for thread in stack['threads']):
        print('not all could be stopped in time')
    elif KIND == 'O0' and seen != OPEN:
        fail('open are', seen)
    elif set(seen) - set(OPEN):
        fail('open are', seen)


def took():
    """How long the program says that each call took, the longest of those that are called alike."""
    ret = {}
    with open(SAID, encoding='utf-8') as file:
        for line in file:
            words = line.split()
            if len(words) == 4 and words[1] == 'took':
                ret[words[0]] = max(ret.get(words[0], 0), float(words[2]))
    return ret


def check_followed(result):
    truth = took()
    seen = collections.Counter()
    for call in result['calls']:
        function = call['frame']['function']
        seen[function] += 1
        if call['state'] != 'returned':
            fail(function, 'is', call['state'])
        check_bounds(function, call)
        # It was inside the program's own span, which the stops of the measurement only make longer.
        if call['at_least'] > truth[function]:
            fail(function, 'took at least', call['at_least'], 'and in truth', truth[function])
        outlook = call['outlook']
        check_verdict(function, call['frame'], outlook)
        if outlook['verdict'] == 'blocked' or outlook['waits_for']:
            fail(function, 'has returned and waits')
        if function in ('spins', 'descends') and outlook['expected'] and outlook['verdict'] != 'within':
            fail(function, 'of years is', outlook['verdict'])
        if function == 'descends' and KIND == 'O0' and outlook['expected']['mean'] != 1e15:
            fail('not the innermost of descends')
    wanted = OPEN - collections.Counter(is_inlined=1, descends=4)
    if KIND == 'O0' and seen != wanted:
        fail('followed are', seen)
    if set(seen) - set(wanted) or not seen:
        fail('followed are', seen)


with open(OUTPUT, encoding='utf-8') as output:
    answer = json.load(output)
if MODE == 'stack':
    check_stack(answer)
else:
    check_followed(answer)
