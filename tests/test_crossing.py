"""What threads do for the event loop."""

import asyncio
import threading

import pytest
from serving import SOON

from mcp_server.crossing import in_thread


def test_a_thread_is_there_however_many_are_busy() -> None:
    done = threading.Event()

    async def many() -> str:
        async with asyncio.TaskGroup() as busy:
            for _ in range(100):
                busy.create_task(in_thread(done.wait))
            await asyncio.sleep(0)
            answer = await asyncio.wait_for(in_thread(str.upper, "here"), SOON)
            done.set()
            return answer

    assert asyncio.run(many()) == "HERE"


def test_what_a_thread_raises_is_raised_where_it_is_awaited() -> None:
    with pytest.raises(ValueError, match="ten"):
        asyncio.run(in_thread(int, "ten"))


def test_the_loop_ends_without_what_nobody_waits_for_any_more() -> None:
    done = threading.Event()

    async def impatient() -> None:
        await asyncio.wait_for(in_thread(done.wait), 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    done.set()
