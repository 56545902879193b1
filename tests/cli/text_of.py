"""Is the code of a process byte for byte what its file holds? text_of.py PID

Compares every mapping that can be executed and belongs to a file with the file, and names the first byte that differs.
"""

import os
import sys


def differences(pid):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            fields = line.split(maxsplit=5)
            if "x" not in fields[1] or len(fields) < 6 or not fields[5].startswith("/"):
                continue
            low, high = (int(part, 16) for part in fields[0].split("-"))
            with open(f"/proc/{pid}/root{fields[5].strip()}", "rb") as file:
                file.seek(int(fields[2], 16))
                expected = file.read(high - low)
            memory.seek(low)
            found = memory.read(high - low)[: len(expected)]
            if found != expected:
                at = next(i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1])
                yield f"{fields[5].strip()}: {low + at:#x} is {found[at]:#x}, not {expected[at]:#x}"


found = list(differences(int(sys.argv[1])))
print("\n".join(found), end="\n" if found else "")
sys.exit(bool(found))
