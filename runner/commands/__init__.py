"""One module a subcommand of `strictcall`; what takes long to load is imported when it runs."""
