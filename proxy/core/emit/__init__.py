"""The protocols in which clients are answered, one a module: events in, bytes out."""
