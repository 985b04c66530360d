"""Data on standard output."""

import json
import sys


def print_json(value: object, *, indented: bool = False) -> None:
    """One line of JSON, or several that a person can read. Half a character is said as an escape, as JSON wants it."""
    print_line(json.dumps(value, ensure_ascii=False, indent=2 if indented else None))


def print_line(text: str) -> None:
    """A line, at once: who reads it may be waiting."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
