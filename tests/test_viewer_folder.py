"""A window shows the documents of its folder tree and their images, and no other file."""

import os
import sys
import unicodedata
from pathlib import Path

import pytest

from mcp_server.viewer.documents.folder import Folder, Node, Refused
from mcp_server.viewer.limits import MOST_TEXT

PNG = b"\x89PNG\r\n\x1a\n"
no_windows = pytest.mark.skipif(sys.platform == "win32", reason="needs links or pipes as POSIX has them")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree; secrets lie beside it."""
    (tmp_path / "secret.md").write_text("# secret", "utf-8")
    (tmp_path / "secret.png").write_bytes(PNG)
    folder = tmp_path / "문서 모음"
    write(folder, "start.md", "# Start\n[a](sub/a.md) ![x](x.png) <img src='sub/y.JPG'>")
    write(folder, "sub/a.md", "# A\n[up](../start.md#part) [b](b.txt?x=1#y)\n\n![z](../z.svg) ![far](../../secret.png)")
    write(folder, "sub/b.txt", "B without a heading")
    write(folder, "alone.md", "# Alone\n![w](w.png)")
    write(folder, "password.env", "x")
    for image in ("x.png", "sub/y.JPG", "z.svg", "w.png"):
        (folder / image).write_bytes(PNG)
    return folder


def write(folder: Path, path: str, text: str) -> Path:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def folder_of(root: Path) -> Folder:
    return Folder(str(root / "start.md"))


def paths(node: Node) -> list[str]:
    return [node.path, *(path for child in node.children for path in paths(child))]


def test_the_empty_path_is_the_opened_document(root: Path) -> None:
    assert folder_of(root).document("").startswith("# Start")


@pytest.mark.parametrize("path", ["alone.md", "sub/a.md", "sub/b.txt", "sub/../alone.md", "./alone.md"])
def test_documents_of_the_tree_can_be_read(root: Path, path: str) -> None:
    assert folder_of(root).document(path)


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "sub/../../secret.md",
        "/etc/passwd.md",
        "//server/share/x.md",
        "\\\\server\\share\\x.md",
        "..\\secret.md",
        "C:secret.md",
        "C:/secret.md",
        "start.md:stream.md",
        "start.md\0.png",
        "password.env",
        "sub",
        "start.md.",
        "x.png",
        "\ud800.md",
        "%2e%2e/secret.md/../..",
    ],
)
def test_nothing_else_can_be_read(root: Path, path: str) -> None:
    for act in (folder_of(root).document, folder_of(root).stamp):
        with pytest.raises((Refused, FileNotFoundError)):
            act(path)


def test_a_document_that_is_not_there_is_not_found(root: Path) -> None:
    for path in ("none.md", "%2e%2e/secret.md", "start.md/x.md"):
        with pytest.raises(OSError, match=r".*"):
            folder_of(root).document(path)


def test_a_refusal_says_what_may_be_opened(root: Path) -> None:
    with pytest.raises(Refused, match=r"only files in the folder of 'start.md' are shown; '../secret.md' is not in it"):
        folder_of(root).document("../secret.md")
    with pytest.raises(Refused, match=r"end with .md, .markdown, .txt are shown; this is 'password.env'"):
        folder_of(root).document("password.env")


@no_windows
def test_a_link_leads_nowhere_outside_the_tree(root: Path) -> None:
    (root / "out.md").symlink_to("../secret.md")
    (root / "out").symlink_to("..")
    (root / "env.md").symlink_to("password.env")
    (root / "circle.md").symlink_to("circle.md")
    for path in ("out.md", "out/secret.md", "env.md", "circle.md"):
        with pytest.raises((Refused, OSError)):
            folder_of(root).document(path)


@no_windows
def test_a_link_within_the_tree_is_followed(root: Path) -> None:
    (root / "within.md").symlink_to("sub/a.md")
    assert folder_of(root).document("within.md").startswith("# A")


@no_windows
def test_a_document_opened_by_a_link_brings_the_tree_it_lies_in(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to(root / "start.md")
    folder = Folder(str(tmp_path / "link.md"))
    assert folder.document("alone.md").startswith("# Alone")
    with pytest.raises((Refused, OSError)):
        folder.document("secret.md")


@no_windows
def test_a_pipe_or_a_device_is_refused_at_once(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    (root / "zero.md").symlink_to("/dev/zero")
    for path in ("pipe.md", "zero.md"):
        with pytest.raises(Refused):
            folder_of(root).document(path)


def test_a_document_has_at_most_so_many_bytes(root: Path) -> None:
    (root / "full.md").write_bytes(b"x" * MOST_TEXT)
    (root / "more.md").write_bytes(b"x" * (MOST_TEXT + 1))
    assert len(folder_of(root).document("full.md")) == MOST_TEXT
    with pytest.raises(Refused, match=rf"at most {MOST_TEXT} bytes"):
        folder_of(root).document("more.md")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_korean_text_is_read_however_windows_wrote_it(root: Path, encoding: str) -> None:
    (root / "korean.md").write_bytes("# 연차 휴가 똠방각하".encode(encoding))
    assert folder_of(root).document("korean.md") == "# 연차 휴가 똠방각하"


def test_bytes_that_are_no_text_are_shown_somehow(root: Path) -> None:
    (root / "bytes.md").write_bytes(bytes(range(256)))
    assert "ABC" in folder_of(root).document("bytes.md")


COMPOSED = unicodedata.normalize("NFC", "한글 문서.md")
APART = unicodedata.normalize("NFD", COMPOSED)


@pytest.mark.parametrize("stored", [COMPOSED, APART], ids=ascii)
@pytest.mark.parametrize("asked", [COMPOSED, APART], ids=ascii)
def test_a_name_is_found_however_its_letters_are_composed(root: Path, stored: str, asked: str) -> None:
    write(root, stored, "# 찾음")
    write(root, "start.md", f"[x](<{asked}>)")
    assert folder_of(root).document(asked) == "# 찾음"
    assert [child.title for child in folder_of(root).tree().children] == ["찾음"]


def test_a_path_that_no_file_can_have_is_not_looked_for(root: Path) -> None:
    with pytest.raises(Refused, match="at most 4096 characters; this one has 10004"):
        folder_of(root).document("a/" * 5000 + "b.md")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system does not say what is open")
def test_a_folder_with_the_name_of_a_document_leaves_nothing_open(root: Path) -> None:
    (root / "folder.md").mkdir()
    write(root, "start.md", "[x](folder.md)")
    before = list(Path("/dev/fd").iterdir())
    assert paths(folder_of(root).tree()) == [""]
    with pytest.raises(OSError, match="directory"):
        folder_of(root).document("folder.md")
    assert list(Path("/dev/fd").iterdir()) == before


@pytest.mark.parametrize(
    ("path", "kind"), [("x.png", "image/png"), ("sub/y.JPG", "image/jpeg"), ("z.svg", "image/svg+xml")]
)
def test_images_that_documents_refer_to_are_shown(root: Path, path: str, kind: str) -> None:
    assert folder_of(root).image(path) == (PNG, kind)


@pytest.mark.parametrize("path", ["w.png", "../secret.png", "sub/../../secret.png", "start.md", "", "/etc/x.png"])
def test_no_other_image_is_shown(root: Path, path: str) -> None:
    with pytest.raises(Refused):
        folder_of(root).image(path)


def test_the_tree_has_each_document_once_with_its_title(root: Path) -> None:
    b = Node("sub/b.txt", "b.txt", [])
    assert folder_of(root).tree() == Node("", "Start", [Node("sub/a.md", "A", [b])])


def test_the_tree_goes_around_circles_and_the_missing(root: Path) -> None:
    write(root, "start.md", "[self](start.md) [a](sub/a.md) [none](none.md) [out](../secret.md) [web](https://a/b.md)")
    write(root, "sub/a.md", "[back](../start.md) [self](a.md) [b](./b.txt)")
    assert paths(folder_of(root).tree()) == ["", "sub/a.md", "sub/b.txt"]


def test_a_document_stands_where_the_shortest_way_leads(root: Path) -> None:
    write(root, "start.md", "[a](sub/a.md) [b](sub/b.txt)")
    assert [child.path for child in folder_of(root).tree().children] == ["sub/a.md", "sub/b.txt"]


def test_the_tree_is_bounded(root: Path) -> None:
    for number in range(300):
        write(root, f"many/{number}.md", "# x")
        write(root, f"deep/{number}.md", f"[next]({number + 1}.md)")
    write(root, "start.md", "[deep](deep/0.md) " + " ".join(f"[x](many/{number}.md)" for number in range(300)))
    tree = folder_of(root).tree()
    assert len(paths(tree)) == 200
    write(root, "start.md", "[deep](deep/0.md)")
    assert len(paths(folder_of(root).tree())) == 9


def test_the_tree_sees_what_has_changed(root: Path) -> None:
    folder = folder_of(root)
    assert folder.tree().title == "Start"
    before = folder.stamp("")
    write(root, "start.md", "# Changed")
    assert folder.stamp("") != before
    assert folder.tree() == Node("", "Changed", [])


def test_links_with_spaces_and_percent_signs_lead_to_their_files(root: Path) -> None:
    write(root, "두 낱말.md", "# 둘")
    write(root, "100%.md", "# Percent")
    write(root, "start.md", "[x](두%20낱말.md#가) [y](<100%25.md>)")
    assert [child.title for child in folder_of(root).tree().children] == ["둘", "Percent"]
