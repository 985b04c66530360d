"""The forms that calls are written in, one a module."""
