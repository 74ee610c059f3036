"""Text to facts, one file a kind of paste. Pure.

A file of this folder has `KIND`, `recognise(text) -> float` (0-1: how sure it is that the text is its kind) and
`extract(text, source) -> list[Fact]`; it is found by looking in the folder.
"""
