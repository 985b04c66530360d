"""One file per dialect, each with a `DIALECT`. Adding a file adds the dialect; `proxy.catalogue` finds it."""
