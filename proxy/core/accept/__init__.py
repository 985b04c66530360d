"""The protocols in which clients ask, one a module: bytes in, an `Ask` out."""
