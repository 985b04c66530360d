"""What it costs: `core` measures a delta in the core, `proxy` the whole proxy against others."""
