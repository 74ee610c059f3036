"""The vocabulary: every fact that a text, a paste or a probe may state.

One declaration a fact, in the file of its area (`gpu.py`, `engine.py`, ...), found by looking in this
folder. A rule that names an unknown fact, or a probe that yields an undeclared one, fails the tests.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from probes.vocabulary.declare import FactType

__all__ = ["FactType", "UnknownFactError", "fact_type", "fact_types"]


class UnknownFactError(KeyError):
    """A name that no file of the vocabulary declares."""


@cache
def fact_types() -> dict[str, FactType]:
    """All declared facts by name, in the order of their files and lines.

    Raises:
        ValueError: two declarations of one name.
    """
    found: dict[str, FactType] = {}
    for module_info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        for declared in getattr(module, "FACTS", ()):
            if declared.name in found:
                raise ValueError(f"fact {declared.name!r} is declared twice")
            found[declared.name] = declared
    return found


def fact_type(name: str) -> FactType:
    """The declaration of `name`.

    Raises:
        UnknownFactError: no file declares it.
    """
    try:
        return fact_types()[name]
    except KeyError:
        raise UnknownFactError(name) from None
