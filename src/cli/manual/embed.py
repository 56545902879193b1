"""Makes C constants of text files: embed.py OUTPUT HEADER NAME=FILE... Leaves out directives for shellcheck."""

import sys


def literal(text):
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("# shellcheck ")]
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") for line in lines]
    return "\n".join(f'\t"{line}\\n"' for line in escaped)


def main():
    output, header, *texts = sys.argv[1:]
    with open(output, "w", encoding="ascii") as out:
        print(f'#include "{header}"', file=out)
        for text in texts:
            name, _, path = text.partition("=")
            with open(path, encoding="ascii") as file:
                print(f"\nconst char {name}[] =\n{literal(file.read())};", file=out)


main()
