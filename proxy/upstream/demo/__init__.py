"""Scripted models behind a real HTTP server in Ollama's form: one for each dialect, `demo/hermes` and its sisters."""
