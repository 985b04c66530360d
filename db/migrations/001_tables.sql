-- What the tools are asked about. A database that already has these tables keeps its own.

CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL CHECK (title <> ''),
    content TEXT NOT NULL,
    category TEXT NOT NULL DEFAULT ''
);

CREATE TABLE IF NOT EXISTS employees (
    id TEXT NOT NULL PRIMARY KEY CHECK (id GLOB 'EMP[0-9][0-9][0-9]*' AND substr(id, 4) NOT GLOB '*[^0-9]*'),
    name TEXT NOT NULL CHECK (name <> ''),
    department TEXT NOT NULL,
    hire_date TEXT NOT NULL CHECK (date(hire_date, '+0 days') IS hire_date)
);

CREATE INDEX IF NOT EXISTS employees_by_name ON employees (name);

-- Days may be halves: half a day off is common.
CREATE TABLE IF NOT EXISTS vacations (
    employee_id TEXT NOT NULL REFERENCES employees (id) ON UPDATE CASCADE ON DELETE CASCADE,
    year INTEGER NOT NULL CHECK (typeof(year) = 'integer' AND year BETWEEN 1900 AND 2999),
    total NUMERIC NOT NULL CHECK (typeof(total) <> 'text' AND total >= 0),
    used NUMERIC NOT NULL DEFAULT 0 CHECK (typeof(used) <> 'text' AND used BETWEEN 0 AND total),
    PRIMARY KEY (employee_id, year)
);
