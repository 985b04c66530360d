-- What keeps a search as fast when there are many documents. db/index.py says how it is asked.
--
-- Of a term that very many documents hold, those come first that have it in the title. They are found without a look at
-- the others in an index of the titles alone, a twentieth of the size of the other. Categories are found by a jump each.

CREATE VIRTUAL TABLE documents_titles
USING fts5 (title, content = 'documents_text', content_rowid = 'document', tokenize = 'trigram', columnsize = 0);

CREATE VIRTUAL TABLE documents_title_runs USING fts5vocab (documents_titles, instance);

CREATE TRIGGER documents_titles_added AFTER INSERT ON documents BEGIN
    INSERT INTO documents_titles (rowid, title) VALUES (new.rowid, coalesce(new.title, '') || '  ');
END;

CREATE TRIGGER documents_titles_removed AFTER DELETE ON documents BEGIN
    INSERT INTO documents_titles (documents_titles, rowid, title)
    VALUES ('delete', old.rowid, coalesce(old.title, '') || '  ');
END;

CREATE TRIGGER documents_titles_changed AFTER UPDATE ON documents BEGIN
    INSERT INTO documents_titles (documents_titles, rowid, title)
    VALUES ('delete', old.rowid, coalesce(old.title, '') || '  ');
    INSERT INTO documents_titles (rowid, title) VALUES (new.rowid, coalesce(new.title, '') || '  ');
END;

INSERT INTO documents_titles (documents_titles) VALUES ('rebuild');

CREATE INDEX documents_by_category ON documents (category);
