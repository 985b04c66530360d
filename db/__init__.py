"""SQLite and the tools that stand on it: where data lives, what a tool is, the one door through which tools are called.

On the path of a call there is only the standard library, and of that only what starts fast (values are named tuples,
paths are strings): in shell mode every call is a process of its own.
"""
