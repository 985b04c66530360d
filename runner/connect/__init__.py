"""MCP clients on this machine, and how they are given our tools: `strictcall connect`."""
