-- What has changed, for who looks now and then: a number for each, which grows. db/changes.py reads them.

CREATE TABLE changes (
    what TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL
);

INSERT INTO changes (what, version) VALUES ('documents', 0), ('tools', 0);

CREATE TRIGGER tools_switched_first AFTER INSERT ON tool_switches BEGIN
    UPDATE changes SET version = version + 1 WHERE what = 'tools';
END;

CREATE TRIGGER tools_switched_again AFTER UPDATE ON tool_switches
WHEN old.enabled IS NOT new.enabled OR old.tool IS NOT new.tool BEGIN
    UPDATE changes SET version = version + 1 WHERE what = 'tools';
END;

CREATE TRIGGER tools_switched_no_more AFTER DELETE ON tool_switches BEGIN
    UPDATE changes SET version = version + 1 WHERE what = 'tools';
END;

-- A list of documents shows no content: who edits a text changes no list.
CREATE TRIGGER documents_listed AFTER INSERT ON documents BEGIN
    UPDATE changes SET version = version + 1 WHERE what = 'documents';
END;

CREATE TRIGGER documents_unlisted AFTER DELETE ON documents BEGIN
    UPDATE changes SET version = version + 1 WHERE what = 'documents';
END;

CREATE TRIGGER documents_renamed AFTER UPDATE ON documents
WHEN old.id IS NOT new.id OR old.title IS NOT new.title OR old.category IS NOT new.category BEGIN
    UPDATE changes SET version = version + 1 WHERE what = 'documents';
END;
