"""Real MCP clients, and the protocol's own conformance suite, each against our server as a process of its own.

A client is a small script on somebody else's SDK: it is told how to connect and what to ask, and prints what it saw.
"""
