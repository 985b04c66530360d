"""The measurements themselves: the simulated upstream says what it should, and what is lost on the way is noticed."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import answers, load, received, search, upstream
from bench.answers import Answer
from bench.load import Job

TEXT = Answer("text", 40, 7)
CALL = Answer("calls", 300, 7)


def wire(answer: Answer) -> list[bytes]:
    return list(answers.writes(answer, "openai"))


def fault(writes: list[bytes], answer: Answer) -> str | None:
    return received.difference(received.read(b"".join(writes)), answer, rewritten=False)


@pytest.mark.parametrize("answer", [TEXT, CALL], ids=str)
def test_an_answer_is_what_was_sent(answer: Answer) -> None:
    assert fault(wire(answer), answer) is None


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda writes: writes[:9] + writes[10:],
        lambda writes: [*writes[:9], writes[10], writes[9], *writes[11:]],
        lambda writes: [*writes[:9], writes[9], *writes[9:]],
        lambda writes: [*writes[:9], wire(Answer("text", 40, 8))[9], *writes[10:]],
    ],
    ids=["lost", "swapped", "repeated", "of another stream"],
)
def test_an_event_that_is_not_where_it_belongs_is_noticed(spoiled: Callable[[list[bytes]], list[bytes]]) -> None:
    assert fault(spoiled(wire(TEXT)), TEXT)


def test_a_call_that_was_not_rewritten_is_noticed() -> None:
    assert received.difference(received.read(b"".join(wire(CALL))), CALL, rewritten=True)


def test_a_stream_without_its_end_is_noticed() -> None:
    with pytest.raises(ValueError, match="DONE"):
        received.read(b"".join(wire(TEXT)[:-1]) + answers.END)


def test_a_request_names_its_answer() -> None:
    assert [answers.asked(load.post(one, Job(1, (one,)))) for one in (TEXT, CALL)] == [TEXT, CALL]
    assert answers.asked(b'{"messages": []}') is None


@pytest.mark.skipif(sys.platform != "linux", reason="needs epoll and /proc")
def test_every_stream_arrives() -> None:
    from bench.proxy import simulated  # noqa: PLC0415 - needs Linux

    with simulated() as port:
        mixed = (Answer("text", 300), Answer("calls", 500), Answer("text", 3, paced=True))
        measured = load.run(Job(port, mixed, streams=30, requests=3))
    assert measured.requests == 90
    assert measured.wrong == ()


def test_the_upstream_answers_as_ollama_does() -> None:
    assert b'"tools"' in upstream.reply("/api/show", b"")[0][0]
    assert upstream.reply("/api/nothing", b"")[0][0].startswith(b"HTTP/1.1 404")
    writes, paced = upstream.reply("/api/chat", f"{TEXT}".encode())
    assert (len(writes), paced) == (TEXT.size + 1, False)


def test_an_answer_may_come_in_one_piece_with_its_length() -> None:
    head, _, body = b"".join(wire(TEXT)).partition(b"\r\n\r\n")
    frames = received.dechunked(body)
    raw = head.replace(b"Transfer-Encoding: chunked", b"Content-Length: %d" % len(frames)) + b"\r\n\r\n" + frames
    exchange = load.Exchange(TEXT)
    ended = []
    for part in (raw[:300], raw[300:-1], raw[-1:]):
        exchange.take(part)
        ended.append(exchange.ended)
    assert ended == [False, False, True]
    assert fault([raw], TEXT) is None


@pytest.mark.parametrize("size", [50, 100])
def test_the_rare_words_are_in_as_many_documents_of_every_size_and_the_common_ones_in_half(size: int) -> None:
    texts = [text for _, text in search.documents(size)]
    assert [sum(word in text for text in texts) for word in ("뷁쀍", "연차")] == [search.HOLDERS, size // 2]


def test_a_search_and_a_scan_are_measured(tmp_path: Path) -> None:
    database = search.filled(tmp_path / "50.db", 50)
    assert min(search.measured(database, "뷁쀍")) > 0
    database.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads the clock of another process")
@pytest.mark.parametrize("transport", ["stdio", "POST /sse"])
def test_both_contenders_answer_every_call_over_mcp(transport: str, tmp_path: Path) -> None:
    from bench import mcp  # noqa: PLC0415 - needs Linux

    mcp.start_ratio(tmp_path, 1)  # makes the database that both ask
    for contender in mcp.CONTENDERS:
        assert min(mcp.measured(contender, transport, tmp_path, mcp.AT_ONCE)) > 0
