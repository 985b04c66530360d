"""People's own data into the database and out of it again: `strictcall db import` and `export`.

sheet reads and writes files of rows; cells, columns and readings say what they mean in a table; incoming and outgoing
carry them.
Nothing that a call of a tool needs is here, so it may take its time to load.
"""
