"""The only code that talks to model servers; `demo` is a server of scripted models that need no GPU."""
