"""The streaming proxy: from whatever a model writes to strict OpenAI tool calls."""
