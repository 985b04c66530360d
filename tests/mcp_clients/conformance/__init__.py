"""The protocol's conformance suite, and what it looks for in a server, on the wiring of `strictcall mcp --http`."""
