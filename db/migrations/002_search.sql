-- Any substring of a document, found by index. db/documents.py says how it is asked.
--
-- A trigram index knows every run of three characters. Two spaces behind each text make every character of it begin
-- such a run, so that a query of one or two characters is a range of runs and needs no scan.

CREATE VIEW documents_text AS
SELECT rowid AS document, coalesce(title, '') || '  ' AS title, coalesce(content, '') || '  ' AS content
FROM documents;

CREATE VIRTUAL TABLE documents_search
USING fts5 (title, content, content = 'documents_text', content_rowid = 'document', tokenize = 'trigram');

CREATE VIRTUAL TABLE documents_runs USING fts5vocab (documents_search, instance);

CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
    INSERT INTO documents_search (rowid, title, content)
    VALUES (new.rowid, coalesce(new.title, '') || '  ', coalesce(new.content, '') || '  ');
END;

CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
    INSERT INTO documents_search (documents_search, rowid, title, content)
    VALUES ('delete', old.rowid, coalesce(old.title, '') || '  ', coalesce(old.content, '') || '  ');
END;

CREATE TRIGGER documents_changed AFTER UPDATE ON documents BEGIN
    INSERT INTO documents_search (documents_search, rowid, title, content)
    VALUES ('delete', old.rowid, coalesce(old.title, '') || '  ', coalesce(old.content, '') || '  ');
    INSERT INTO documents_search (rowid, title, content)
    VALUES (new.rowid, coalesce(new.title, '') || '  ', coalesce(new.content, '') || '  ');
END;

INSERT INTO documents_search (documents_search) VALUES ('rebuild');
