"""All dialects that there are: every module of `proxy.dialects`."""

import pkgutil
from functools import cache
from importlib import import_module

import proxy.dialects
from proxy.core.dialect import Dialect


@cache
def dialects() -> dict[str, Dialect]:
    """Every dialect by its name; those that others are varieties of come first."""
    modules = [module.name for module in pkgutil.iter_modules(proxy.dialects.__path__)]
    found: list[Dialect] = [import_module(f"proxy.dialects.{name}").DIALECT for name in modules]
    return {dialect.name: dialect for dialect in sorted(found, key=lambda one: (bool(one.family), one.name))}
