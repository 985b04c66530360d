"""The only code that talks to model servers."""
