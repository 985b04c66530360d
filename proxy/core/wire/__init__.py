"""The protocols that model servers speak, one a module: an `Ask` as a request body, the answer's lines as parts."""
