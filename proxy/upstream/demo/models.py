"""The demo models: `demo/<dialect>`, one for each dialect, as Ollama describes models."""

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from proxy.catalogue import dialects
from proxy.core.dialect import Dialect

Json = Any

PREFIX: Final = "demo/"
_TAG: Final = ":latest"
"""What Ollama's clients may put behind a name."""
CREATED: Final = 1735689600
"""When all of them were made, in seconds; they do not age."""
CONTEXT_LENGTH: Final = 32768
EMBEDDING_LENGTH: Final = 384
_MODIFIED_AT: Final = "2025-01-01T00:00:00Z"
_CAPABILITIES: Final = ("completion", "tools")
_TEMPLATE: Final = """\
{{ if .System }}{{ .System }}
{{ end }}{{ if .Tools }}<tools>{{ range .Tools }}
{{ . }}{{ end }}
</tools>
{{ end }}{{ range .Messages }}{{ .Role }}: {{ .Content }}
{{ end }}assistant: {{ .Response }}"""


@dataclass(frozen=True, slots=True)
class Model:
    """One scripted model."""

    name: str
    dialect: Dialect

    @property
    def digest(self) -> str:
        """Changes when the dialect does."""
        dialect = self.dialect
        return hashlib.sha256(repr((dialect.name, dialect.example, dialect.argument)).encode()).hexdigest()

    def listed(self) -> dict[str, Json]:
        """As in `/api/tags`."""
        return {
            "name": self.name,
            "model": self.name,
            "modified_at": _MODIFIED_AT,
            "size": len(self.dialect.example.encode()),
            "digest": self.digest,
            "details": self._details(),
            "capabilities": list(_CAPABILITIES),
        }

    def shown(self) -> dict[str, Json]:
        """As in `/api/show`."""
        return {
            "license": "Apache-2.0",
            "modelfile": f'# a scripted model\nFROM {self.name}\nTEMPLATE """{_TEMPLATE}"""\n',
            "parameters": "",
            "template": _TEMPLATE,
            "details": self._details(),
            "model_info": {
                "general.architecture": "demo",
                "general.basename": self.dialect.name,
                "general.parameter_count": 0,
                "demo.context_length": CONTEXT_LENGTH,
                "demo.embedding_length": EMBEDDING_LENGTH,
            },
            "capabilities": list(_CAPABILITIES),
            "modified_at": _MODIFIED_AT,
        }

    def as_openai(self) -> dict[str, Json]:
        """As in `/v1/models`."""
        return {"id": self.name, "object": "model", "created": CREATED, "owned_by": PREFIX.strip("/")}

    def _details(self) -> dict[str, Json]:
        family = self.dialect.family or self.dialect.name
        return {
            "parent_model": "",
            "format": "gguf",
            "family": family,
            "families": [family],
            "parameter_size": "0B",
            "quantization_level": "none",
        }


@cache
def models() -> dict[str, Model]:
    """All of them by name, without a tag."""
    found = [Model(PREFIX + name, dialect) for name, dialect in sorted(dialects().items())]
    return {model.name: model for model in found}


def model_of(name: str) -> Model | None:
    """The model of this name, with or without its tag."""
    return models().get(name.removesuffix(_TAG))
