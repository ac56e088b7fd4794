#!/usr/bin/env python3
"""Writes docs/demo.svg, the picture of the README: what `lethe demo` prints, as a terminal.

Usage: lethe demo | docs/demo-picture.py > docs/demo.svg
"""
import sys
import textwrap
from xml.sax.saxutils import escape

WIDTH, LINE, MARGIN, CHARS = 860, 20, 20, 96
lines = ["$ ./dev demo"]
for line in sys.stdin.read().splitlines():
    indent = len(line) - len(line.lstrip())
    lines += textwrap.wrap(line, CHARS, subsequent_indent=" " * indent) or [""]
height = 2 * MARGIN + LINE * (len(lines) + 1)
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
      f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="The output of lethe demo">')
print(f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#14191f"/>')
print('<g font-family="ui-monospace,DejaVu Sans Mono,monospace" font-size="14" fill="#d5dde5" '
      'xml:space="preserve">')
for i, line in enumerate(lines):
    colour = ' fill="#7fd1b9"' if line.startswith("$") else ""
    print(f'<text x="{MARGIN}" y="{MARGIN + LINE * (i + 1)}"{colour}>{escape(line)}</text>')
print("</g></svg>")
