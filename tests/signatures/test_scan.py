"""One pass over a text finds the lines of all entries and of the catalogue."""

from kb.facts import extract_part
from kb.signatures import SignatureScanner
from kb.signatures.catalogue import Line
from kb.signatures.scan import OVERLAP, PIECE, Scan
from probes.facts import FactSet
from tests.ranking.made import entry


def line(pattern: str, **leads: object) -> Line:
    return Line.model_validate({"id": "made", "pattern": pattern, "example": pattern, "source": "made", **leads})


def found(scan: Scan, text: str) -> list[tuple[int, str]]:
    return [(hit.index, text[hit.start : hit.end]) for hit in scan.find(text)]


def test_each_pattern_is_found_once_at_its_first_place_without_regard_to_case():
    scan = Scan(["boom", r"bang \d"])
    hits = list(scan.find("boo BOOM boom bang 7"))
    assert [(hit.index, hit.start, hit.end) for hit in hits] == [(0, 4, 8), (1, 14, 20)]


def test_places_are_characters_where_the_text_is_chinese():
    assert found(Scan(["显存不足"]), "启动后报错：显存不足。") == [(0, "显存不足")]


def test_a_line_in_any_piece_of_a_long_text_is_found_where_it_stands():
    for before in (0, PIECE - 2, PIECE + OVERLAP, 3 * PIECE - 1):
        text = "日" * before + "boom" + "." * PIECE
        assert [(hit.start, hit.end) for hit in Scan(["boom"]).find(text)] == [(before, before + 4)]


def test_a_traceback_and_its_last_line_are_found_across_two_pieces():
    text = "." * (PIECE - 100) + "in profile_run\n" + "frame\n" * 200 + "out of memory"
    assert len(list(Scan([r"(?s)in profile_run.*out of memory"]).find(text))) == 1


def test_half_a_character_moves_no_place():
    assert found(Scan(["boom"]), "\ud800 boom") == [(0, "boom")]


def test_what_is_harmless_is_hidden_from_the_others_and_only_there():
    scan = Scan(["address in use"], ["address in use, trying another"])
    assert not found(scan, "Address in use, trying another port")
    assert found(scan, "address in use, trying another port\naddress in use") == [(0, "address in use")]


def test_a_line_that_an_entry_and_the_catalogue_know_counts_once_at_the_stronger_level():
    entries = [entry("alpha", signatures=[{"pattern": "boom", "example": "boom", "level": 1}])]
    scanner = SignatureScanner(entries, [line("big boom", causes={"alpha": 3, "beta": 2})])
    hits = scanner.scan({"log": "first\na big boom\n"})
    assert [hit.signature.level for hit in hits["alpha"]] == [3]
    assert [hit.signature.level for hit in hits["beta"]] == [2]
    assert {(hit.quote, hit.line) for hit in hits["alpha"]} == {("big boom", 6)}


def test_the_last_line_of_a_chain_leads_nowhere():
    assert SignatureScanner([], [line("core failed", chain="last")]).scan({"log": "core failed"}) == {}


def test_a_line_of_the_catalogue_states_its_facts_with_their_place():
    text = "server up\nDisabling prefix caching because it is not supported with 'paged' attention"
    fact = FactSet(extract_part(text, "log")).best("engine.prefix_caching")
    assert (fact.value, fact.provenance.origin) == (False, "log")
    assert text[fact.provenance.start :].startswith("Disabling prefix caching")
