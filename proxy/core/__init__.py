"""The core: text in, events out. No sockets, no clock; the same path for streams and for whole answers."""
