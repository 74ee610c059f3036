"""What a browser would send of a page's entry form."""

from bs4 import BeautifulSoup, Tag


def sent(content: bytes) -> dict[str, list[str]]:
    """Every field of the form of the page as it stands, as a browser sends it without a button."""
    page = BeautifulSoup(content, "html.parser")
    data: dict[str, list[str]] = {}
    for tag in page.select("form.entry-form input, form.entry-form select, form.entry-form textarea"):
        if (value := _value(tag)) is not None:
            data.setdefault(tag["name"], []).append(value)
    return data


def _value(tag: Tag) -> str | None:
    if tag.name == "textarea":
        return tag.text.removeprefix("\n")  # HTML drops the first line break
    if tag.name == "select":
        options = tag.find_all("option")
        chosen = [one for one in options if one.has_attr("selected")] or options[:1]
        return chosen[0].get("value", chosen[0].text)
    if tag.get("type") == "checkbox":
        return tag.get("value", "on") if tag.has_attr("checked") else None
    return tag.get("value", "")
