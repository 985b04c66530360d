"""The company's documents."""

from typing import Annotated, NotRequired, TypedDict

from db import documents
from db.database import Database
from db.result import ToolFailed
from db.schema import Field
from db.tool import LOOKS_UP, Tool

MOST = 10
"""Documents in one answer: a small model loses sight of more."""


class Document(TypedDict):
    """A document that was found."""

    id: int | str
    title: str
    category: str
    passage: str


class Documents(TypedDict):
    """What was found: how many, the best of them, and what to do if there are none or too many."""

    found: int
    documents: list[Document]
    note: NotRequired[str]


def search_docs(
    query: Annotated[
        str,
        Field(
            "What to look for: one word or a few, in Korean or English. Any part of a word is found.",
            max_length=1000,
            example="연차 휴가",
        ),
    ],
    database: Database,
) -> Documents:
    """Search the company's documents (rules, guides, policies) for words.

    Returns the best matches first, each with its title, its category and the passage that matches.
    Use one or two key words, not a whole sentence.
    """
    if not query.strip():
        raise ToolFailed("the query is empty; give a word to look for, for example 연차 or vacation")
    found = documents.search(database, query, MOST)
    answer: Documents = {
        "found": found.total,
        "documents": [
            {"id": hit.id, "title": hit.title, "category": hit.category, "passage": hit.passage} for hit in found.hits
        ],
    }
    if not found.total:
        known = ", ".join(documents.categories(database))
        answer["note"] = f"No document holds any of these words. Try a shorter word. Categories of documents: {known}."
    elif found.shortened:
        answer["note"] = f"No document holds these words as written. Found instead: {', '.join(found.terms)}."
    elif found.total > MOST:
        more = "" if found.complete else "There are more than that: not all were counted. "
        answer["note"] = f"{more}Only the best {MOST} are shown. Add a word to find fewer."
    return answer


TOOLS = (Tool.of(search_docs, LOOKS_UP),)
