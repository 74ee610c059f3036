"""Words, numbers and pictures in the templates. Both languages of a text stand side by side: {% t "English" "中文" %}."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import markdown as markdown_library
import nh3
from django import template
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from kb import charts, explain, local_operator, roles
from kb.knowledge import Knowledge
from kb.language import LANGUAGES, THEMES, language
from kb.present import facts, words
from kb.present.facts import quantity
from probes.facts import Fact
from probes.vocabulary import FactType, fact_type, fact_types

register = template.Library()

MARKDOWN_TAGS = {"p", "ul", "ol", "li", "strong", "em", "code", "pre", "h3", "h4", "blockquote", "br", "a",
                 "table", "thead", "tbody", "tr", "th", "td"}  # fmt: skip


@register.simple_tag
def t(en: str, zh: str, **values: Any) -> str:
    """The text in the reader's language; `{name}` in it stands for the value of that name."""
    text = zh if language() == "zh" else en
    # Only the values are foreign; the text itself stands in our template and may hold markup.
    return format_html(text, **values) if values else mark_safe(text)  # noqa: S308


@register.filter
def both(thing: Any) -> str:
    """The text of anything that has one in `zh` and one in `en`, in the reader's language."""
    if thing is None or isinstance(thing, str):
        return thing or ""
    code = language()
    return thing.get(code, "") if isinstance(thing, dict) else getattr(thing, code)


@register.filter
def other_language(thing: Any) -> str:
    """The same text in the language that the reader did not choose."""
    code = "en" if language() == "zh" else "zh"
    return thing.get(code, "") if isinstance(thing, dict) else getattr(thing, code)


@register.filter
def label(name: str) -> str:
    """What a fact of this name is, as a short noun phrase."""
    return both(fact_type(name))


@register.filter
def said(fact: Fact) -> str:
    """A fact's value with its unit, as a person writes it."""
    return quantity(fact, language())


@register.filter
def at_key(mapping: dict[str, Any], key: str) -> Any:
    """The value under a key, None where there is none."""
    return mapping.get(key)


@register.filter
def number(value: float | None) -> str:
    """As many digits as matter, "–" for a number that is not there."""
    return "–" if value is None else explain.number(value)


@register.filter
def percent(share: float) -> str:
    """A share as a percentage; the ends are never rounded to certainty."""
    return explain.percentage(share)


@register.filter
def chance(probability: float, confidence: str) -> str:
    """How likely a cause is: a percentage where these are calibrated, else a word."""
    return both(explain.share(probability, confidence))


@register.filter
def duration(seconds: float | None) -> str:
    """Seconds as a person says them: "0.4 s", "12 s", "3 min"."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{explain.number(seconds) if seconds < 10 else round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@register.filter
def signed(weight: float) -> str:
    """A weight with its sign, two decimals, a real minus."""
    return f"{'−' if weight < -0.005 else '+'}{abs(weight):.2f}"


@register.filter
def at(moment: datetime | str | None) -> str:
    """A time for machines and people: <time datetime=…>2026-12-01 10:02 UTC</time>."""
    if not moment:
        return "–"
    when = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    when = timezone.localtime(when) if timezone.is_aware(when) else when
    return format_html('<time datetime="{}">{}</time>', when.isoformat(), when.strftime("%Y-%m-%d %H:%M %Z").strip())


# What fits a line of a phone is not broken at its hyphens.
SHORT_CODE = re.compile(r"<code>([^<\n]{1,32})</code>")
FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w.-]*\w")


@register.filter
def flags(text: str) -> SafeString:
    """A sentence with its flags in the fixed-width font, which also keeps a line from ending after their hyphens."""
    return mark_safe(FLAG.sub(r'<code class="nowrap">\g<0></code>', conditional_escape(text)))  # noqa: S308


def _quoted_flags(text: str) -> str:
    """Markdown in which the flags outside of code are code, too."""
    parts = re.split(r"(```.*?```|`[^`]*`)", text, flags=re.DOTALL)
    return "".join(part if part.startswith("`") else FLAG.sub(r"`\g<0>`", part) for part in parts)


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as HTML, with nothing in it that could act."""
    html = markdown_library.markdown(
        _quoted_flags(text), extensions=["tables", "fenced_code", "sane_lists"], output_format="html"
    )
    clean = nh3.clean(html, tags=MARKDOWN_TAGS, attributes={"a": {"href"}}, link_rel="noopener nofollow")
    return mark_safe(SHORT_CODE.sub(r'<code class="nowrap">\g<1></code>', clean))  # noqa: S308


@register.simple_tag
def share_bar(share: float, tone: str = "teal") -> SafeString:
    """A bar of this share (0-1); decorative, the number stands beside it."""
    return mark_safe(charts.share_bar(share, conditional_escape(tone)))  # noqa: S308


@register.simple_tag
def line_chart(points: list[tuple[float, float]], title: str, unit: str = "") -> SafeString:
    """A curve over seconds, with a summary for those who cannot see it; a fact's name brings its title and unit."""
    known = fact_types().get(title)
    unit = unit or (known.unit if known else "")
    return mark_safe(charts.line_chart(points, series_title(title), unit, language()))  # noqa: S308


@register.inclusion_tag("kb/_icon.html")
def icon(name: str) -> dict[str, str]:
    """One of the drawings of `_icon.html`, hidden from screen readers: a word always stands beside it."""
    return {"name": name}


@register.simple_tag
def language_code() -> str:
    """Value of the `lang` attribute."""
    return "zh-CN" if language() == "zh" else "en"


def _here(request: HttpRequest, **changes: str) -> str:
    query = request.GET.copy()
    for name, value in changes.items():
        query[name] = value
    return f"{request.path}?{query.urlencode()}"


@register.inclusion_tag("kb/_switches.html")
def switches(request: HttpRequest) -> dict[str, str]:
    """Links that change language and theme and stay on the page; after a form, they lead to its address."""
    theme = getattr(request, "theme", "auto")
    following = THEMES[(THEMES.index(theme) + 1) % len(THEMES)]
    other = next(code for code in LANGUAGES if code != language())
    return {
        "theme": theme,
        "next_theme": following,
        "theme_address": _here(request, theme=following),
        "language_address": _here(request, lang=other),
        "other": other,
    }


@register.inclusion_tag("kb/_who.html")
def who(request: HttpRequest) -> dict[str, Any]:
    """Who is signed in, as what, and the way in or out."""
    person = getattr(request, "user", None)
    local = person is not None and person.get_username() == local_operator.NAME
    path = "/" if request.path.startswith("/accounts/") else request.get_full_path()
    return {"person": person, "local": local, "path": path}


@register.filter
def role(person: Any) -> dict[str, str]:
    """What the site lets a person do, as a word."""
    return roles.WORDS[roles.role_of(person)]


@register.inclusion_tag("kb/_word.html")
def word(group: str, value: object, plain: bool = False) -> dict[str, Any]:
    """A value of a closed set as a tag: drawing, word and colour; `plain` leaves the tag's frame out."""
    return {"word": words.word(group, value), "plain": plain}


@register.filter
def plain_number(value: Any) -> str:
    """A number for an attribute: no grouping, a point whatever the language."""
    return "" if value is None else repr(value)


@register.filter
def declared(name: str) -> FactType:
    """The declaration of a fact."""
    return fact_type(name)


@register.filter
def ask(declared: FactType) -> facts.Question:
    """How a person finds the fact out."""
    return facts.question(declared, language())


@register.filter
def ask_id(number: int) -> str:
    return f"ask-{number}"


@register.filter
def anchor(fact: Fact) -> str:
    """Id of the fact's chip on the page."""
    return facts.anchor(fact)


@register.filter
def origin(fact: Fact) -> dict[str, str]:
    return facts.origin(fact)


@register.filter
def cause_title(slug: str, knowledge: Knowledge) -> str:
    entry = knowledge.by_slug.get(slug)
    return both(entry.title) if entry else slug


@register.filter
def run_title(run: Any) -> str:
    """What the probe of a run is called; its name where its host no longer offers it."""
    document = run.host.probe_document(run.probe)
    return both(document) if document else run.probe


@register.inclusion_tag("kb/_word.html")
def run_status(run: Any) -> dict[str, Any]:
    """How a run ended, or where it stands."""
    ended = run.state == "done" and run.outcome
    return {"word": words.word("outcome", run.outcome) if ended else words.word("state", run.state), "plain": False}


@register.inclusion_tag("kb/_fact_input.html")
def fact_input(declared: FactType, value: Any, name: str) -> dict[str, Any]:
    """The form field that takes a value of this fact; its id is `in-NAME`."""
    return {"declared": declared, "value": value, "id": f"in-{name}"}


@register.filter
def run_step(run: Any) -> str:
    """What an open run does now."""
    waiting = {"zh": "等待 worker", "en": "waiting for the worker"}[language()]
    return getattr(run, f"step_{language()}") or waiting


@register.filter
def run_reason(run: Any) -> str:
    """Why a run ended as it did."""
    return getattr(run, f"reason_{language()}")


@register.filter
def field(row: Any, name: str) -> str:
    """The field NAME_en or NAME_zh of a row."""
    return getattr(row, f"{name}_{language()}")


@register.filter
def about(document: dict[str, Any]) -> str:
    """What a probe does to the machine, from its catalogue document."""
    return document.get(f"{language()}_about", "")


@register.simple_tag
def picture(svg: str) -> SafeString:
    """A picture that `kb.charts` made; it escapes whatever text it shows."""
    return mark_safe(svg)  # noqa: S308


@register.filter
def series_title(name: str) -> str:
    """What a curve shows: the fact of its name with the unit, or the name as the probe gave it."""
    known = fact_types().get(name)
    return f"{both(known)} ({known.unit})" if known and known.unit else both(known) or name
