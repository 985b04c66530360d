-- Which tools are switched off (one that is not named is on), and what was called.

CREATE TABLE tool_switches (
    tool TEXT NOT NULL PRIMARY KEY,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1))
);

CREATE TABLE tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    called_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    tool TEXT NOT NULL,
    caller TEXT NOT NULL,
    arguments TEXT NOT NULL,
    outcome TEXT NOT NULL,
    answer TEXT NOT NULL,
    milliseconds REAL NOT NULL
);
