"""How a fact is declared: name, type, unit and meaning in both languages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Kind = Literal["bool", "int", "float", "str"]
Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class FactType:
    """What a fact of this name means.

    Attributes:
        name: dotted, `area.thing_unit`.
        kind: type of the value.
        zh, en: what the value is, as a short noun phrase for a chip or a table row.
        unit: shown after the value, "" for none.
        choices: the only strings allowed; empty for free text and for other kinds.
        many: several values hold at once (flags seen, log signatures); otherwise the strongest one counts.
        ask_zh, ask_en: how a person finds it out, with the command to copy; "" if only a probe can.
    """

    name: str
    kind: Kind
    zh: str
    en: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    many: bool = False
    ask_zh: str = ""
    ask_en: str = ""

    def coerce(self, value: object) -> Value:
        """`value` as this fact's type.

        Raises:
            ValueError: the value cannot be of this type, or is none of the choices.
        """
        if self.kind == "bool":
            if not isinstance(value, bool):
                raise ValueError(f"{self.name} is true or false, not {value!r}")
            return value
        if self.kind == "str":
            text = str(value)
            if self.choices and text not in self.choices:
                raise ValueError(f"{self.name} is one of {', '.join(self.choices)}, not {text!r}")
            return text
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{self.name} is a number, not {value!r}")
        if not math.isfinite(value):
            raise ValueError(f"{self.name} is a number, not {value}")
        return int(value) if self.kind == "int" else float(value)
