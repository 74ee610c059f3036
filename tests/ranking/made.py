"""Small entries made for these tests, so that what they say does not change when the shipped ones are edited."""

from kb.entry_file import EntryFile
from kb.knowledge import Knowledge
from probes.facts import Fact, FactSet, Provenance


def entry(slug: str, **changes) -> EntryFile:
    text = {"en": f"{slug} en", "zh": f"{slug} 中文"}
    fields = {
        "slug": slug, "kind": "slow", "frequency": "usual", "symptoms_of": ["slow"], "title": text, "summary": text,
        "phrases": {"en": [f"{slug} one", f"{slug} two", f"{slug} three"], "zh": ["一条", "二条", "三条"]},
        "mechanism": text, "fixes": [fix("a-fix")],
        "sources": [{"id": "own", "kind": "measurement", "ref": "a host", "says": text}],
        "examples": [{"lang": "en", "symptom": f"{slug} here"}, {"lang": "zh", "symptom": "这里"}],
    }  # fmt: skip
    return EntryFile.model_validate(fields | changes)


def fix(id: str, **changes) -> dict:
    text = {"en": id, "zh": id}
    fields = {
        "id": id, "title": text, "steps": text, "effect": {"text": text}, "minutes": 5, "downtime": "none", "risk": 0,
        "grounds": "vendor", "verify": text, "undo": text,
    }  # fmt: skip
    return fields | changes


def rule(id: str, when: dict, level: int, group: str = "g") -> dict:
    return {"id": id, "when": when, "level": level, "group": group, "why": {"en": "because", "zh": "因为"}}


def knowledge(*entries: EntryFile) -> Knowledge:
    return Knowledge(entries)


def facts(**stated) -> FactSet:
    """Facts by name, with `__` for the dot: engine__enforce_eager=True."""
    return FactSet([Fact(name.replace("__", "."), value, Provenance("user")) for name, value in stated.items()])
