"""Makes page.c of the style sheets and the script: page.py OUTPUT FIGURE.CSS PAGE.CSS PAGE.JS.

A policy with hashes lets a page have this style and this script, and nothing else. Source: W3C, Content Security
Policy Level 3, section 2.3.1; a hash is of the element's text, to the byte.
"""

import base64
import hashlib
import sys


def literal(text):
    """C strings, a line each; adjacent ones are one."""
    lines = text.split("\n")
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return "\n".join(f'\t"{line}\\n"' for line in escaped)


def source(text):
    """The hash of what literal() makes: each line ends with a newline."""
    digest = hashlib.sha256((text + "\n").encode()).digest()
    return "'sha256-" + base64.b64encode(digest).decode() + "'"


def main():
    output, *inputs = sys.argv[1:]
    figure, page, script = (open(name, encoding="ascii").read().strip() for name in inputs)
    for text in (figure, page):
        assert not set("<&") & set(text), "a style sheet within XML has no such characters"
    assert "</" not in script and "<!--" not in script, "the script would end there"
    style = figure + "\n" + page
    policy = (f"default-src 'none'; style-src {source(style)}; script-src {source(script)}; "
              "base-uri 'none'; form-action 'none'")
    with open(output, "w", encoding="ascii") as out:
        print('#include "report/page.h"', file=out)
        for name, text in (("figure_style", figure), ("style", style), ("script", script)):
            print(f"\nconst char page_{name}[] =\n{literal(text)};", file=out)
        print(f'\nconst char page_policy[] = "{policy}";', file=out)


main()
