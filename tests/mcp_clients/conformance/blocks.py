"""Contents that are not text."""

from db.schema import Json

RED = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
"""One pixel, as PNG."""
PICTURE = {"type": "image", "data": RED, "mimeType": "image/png"}
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
"""No sound, as WAV."""
SOUND = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


def embedded(uri: str, mime: str, text: str) -> Json:
    """A resource, as a block."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}}
