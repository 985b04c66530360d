"""Data on standard output, and nothing else: what a tool prints by itself is sent elsewhere by who calls it."""

import json
import sys

OUT = sys.stdout


def print_json(value: object, *, indented: bool = False) -> None:
    """One line of JSON, or several that a person can read. Half a character is said as an escape, as JSON wants it."""
    print_line(json.dumps(value, ensure_ascii=False, indent=2 if indented else None))


def print_line(text: str) -> None:
    """A line, at once: who reads it may be waiting."""
    OUT.write(f"{text}\n")
    OUT.flush()
