"""One module a subject, one typed function a tool. A module's `TOOLS` are the tools that it offers.

A tool returns plain data or raises `ToolFailed` with what to do. It knows nothing of MCP, HTTP or SQL.
"""
