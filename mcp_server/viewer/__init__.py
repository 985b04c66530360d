"""The viewer: Markdown in windows of their own, which a model, an MCP client or a person opens, updates and closes.

One app for a user keeps the windows (`app`). Tools and commands speak to it over a socket (`client`), and start it if
it is not running. Each window is a page on loopback (`web`) that a browser shows without its frame (`chromium`).
"""
