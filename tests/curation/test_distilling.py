"""A thread is pasted, what it says stands in lines beside its posts, and each is accepted, edited or rejected."""

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile

from kb import distilling
from kb.diagnose import NotAllowed
from kb.distil import MAX_CHARS
from kb.models import AuditEvent, Claim, Digest, DigestLine, Entry, Revision, Thread

# Made up. Two of four posts advise what the claim of the fixture says; the riser is nobody's yet.
THREAD = """#1 mira
vLLM on two L4 cards gives 3 tok/s with a 7B model. My token is hf_abcdefghijklmnopqrstuvwx.

#2 jon
Check whether CPU offload is on. Reseat the riser cable of the second card.

#3 kim
Check whether CPU offload is on, that was it for me.

#4 lee
Try a fresh container image from last week.
"""


@pytest.fixture
def known(db):
    """A claim in the team's own words, which the thread repeats."""
    thread = Thread.objects.create(slug="other", title_en="Other", title_zh="其他", about_en="-", about_zh="-")
    return Claim.objects.create(
        thread=thread, key="OWN-1", kind="diagnostic-step", verdict="depends", said_by=3, sources=["a manual"],
        statement_en="Check whether CPU offload is on.", statement_zh="检查是否启用了 CPU offload。",
        reason_en="Offload is slow.", reason_zh="卸载很慢。",
    )  # fmt: skip


@pytest.fixture
def digest(carol, known):
    return distilling.begin(THREAD, "Two slow L4", "example/forum#7", carol.person)


def line_of(digest, words):
    return next(line for line in digest.lines.all() if words in line.statement)


def decide(browser, line, action, **sent):
    return browser.post(
        f"/distil/{line.digest_id}/lines/{line.pk}/", {"action": action, "edition": line.edition} | sent, follow=True
    )


def edit(browser, line, **typed):
    address = f"/distil/{line.digest_id}/lines/{line.pk}/edit/"
    start = {"action": "save", "edition": line.edition, "kind": line.kind, "verdict": "depends"}
    return browser.post(address, start | typed, follow=True)


def test_a_pasted_thread_becomes_posts_and_lines_without_its_secrets(carol, known):
    answer = carol.post("/distil/", {"text": THREAD, "title": "Two slow L4"}, follow=True)
    digest = Digest.objects.get()
    assert answer.redirect_chain[-1][0] == f"/distil/{digest.pk}/"
    assert (digest.title, digest.by, digest.redactions) == ("Two slow L4", carol.person, 1)
    assert "hf_abcdef" not in answer.text
    assert "2 of 4 posts" in " ".join(answer.text.split())
    assert AuditEvent.objects.filter(action="digest.begun", actor=carol.person).exists()


def test_a_file_serves_as_well_as_a_paste(carol, known):
    carol.post("/distil/", {"file": SimpleUploadedFile("thread.txt", THREAD.encode("utf-16"))})
    assert len(Digest.objects.get().posts) == 4


def test_a_thread_without_a_title_is_called_by_its_first_line(carol, known):
    made = distilling.begin("Slow on two L4\n\nCheck whether CPU offload is on.", "", "", carol.person)
    assert (made.title, made.source) == ("Slow on two L4", "Slow on two L4")


def test_the_thread_that_a_claim_came_from_is_not_counted_twice(carol, digest, known):
    carol.post(f"/distil/{digest.pk}/decide/", {"action": "thread", "thread": known.thread.slug})
    decide(carol, line_of(digest, "CPU offload"), "accept")
    known.refresh_from_db()
    assert known.said_by == 3


def test_posts_that_deny_a_claim_are_no_replies_that_say_it(carol, digest, known):
    line = line_of(digest, "CPU offload")
    DigestLine.objects.filter(pk=line.pk).update(polarity="denied")
    assert line not in digest.lines.known()
    decide(carol, line, "accept")
    known.refresh_from_db()
    assert (known.said_by, known.sources[-1]) == (3, "example/forum#7")


def test_every_line_is_marked_in_each_of_its_posts(carol, digest):
    page = BeautifulSoup(carol.get(f"/distil/{digest.pk}/").content, "html.parser")
    for line in digest.lines.all():
        for number in line.post_numbers:
            mark = page.find(id=f"said-{line.pk}-{number}").find_parent("mark")
            assert mark.get_text().strip()


def test_accepting_a_known_line_raises_its_count_and_adds_the_thread(carol, digest, known):
    line = line_of(digest, "CPU offload")
    assert line.claim == known
    decide(carol, line, "accept")
    known.refresh_from_db()
    line.refresh_from_db()
    assert (known.said_by, known.sources) == (5, ["a manual", "example/forum#7"])
    assert (line.state, line.became, line.by) == ("accepted", known, carol.person)
    assert (known.verdict, known.reason_en) == ("depends", "Offload is slow.")
    assert [version.content["said_by"] for version in known.editions.all()] == [5, 3]


def test_a_thread_that_is_pasted_again_counts_once(carol, digest, known):
    again = distilling.begin(THREAD, "Two slow L4", "example/forum#7", carol.person)
    for one in (digest, again):
        decide(carol, line_of(one, "CPU offload"), "accept")
    known.refresh_from_db()
    assert (known.said_by, len(known.sources)) == (5, 2)


def test_a_new_line_becomes_a_claim_that_is_not_checked_yet(carol, digest):
    line = line_of(digest, "riser")
    assert line.claim is None
    decide(carol, line, "accept")
    claim = DigestLine.objects.get(pk=line.pk).became
    assert (claim.statement_en, claim.verdict, claim.said_by) == (line.statement, "depends", 1)
    assert (claim.reason_en, claim.reason_zh) == ("Not checked yet.", "尚未核实。")
    assert claim.sources == ["example/forum#7"]
    assert claim.thread.title_en == "Two slow L4"
    assert claim.key in carol.get("/claims/").text


def test_new_claims_go_into_the_thread_that_was_chosen(carol, digest, known):
    carol.post(f"/distil/{digest.pk}/decide/", {"action": "thread", "thread": "other"})
    decide(carol, line_of(digest, "riser"), "accept")
    assert Thread.objects.get(slug="other").claims.count() == 2


def test_a_line_is_edited_before_it_becomes_a_claim(carol, digest):
    line = line_of(digest, "riser")
    entry = Entry.objects.get(slug="pcie-link")
    edit(
        carol,
        line,
        statement_en="Reseat the riser.",
        statement_zh="重新插好转接线。",
        verdict="right",
        entry=entry.slug,
    )
    line.refresh_from_db()
    claim = line.became
    assert (line.state, claim.statement_zh, claim.verdict) == ("edited", "重新插好转接线。", "right")
    assert list(claim.entries.all()) == [entry]


def test_a_line_is_counted_for_the_known_claim_that_the_curator_names(carol, digest, known):
    line = line_of(digest, "riser")
    edit(carol, line, known=known.key)
    known.refresh_from_db()
    line.refresh_from_db()
    assert (line.became, known.said_by, line.state) == (known, 4, "edited")


@pytest.mark.parametrize("wrong", [{"known": "NO-1"}, {"statement_en": "", "statement_zh": ""}, {"kind": "rumour"}])
def test_what_cannot_be_stored_is_said_and_what_was_typed_stays(carol, digest, wrong):
    line = line_of(digest, "riser")
    answer = edit(carol, line, **({"statement_en": "Kept.", "reason_en": "Also kept."} | wrong))
    assert answer.status_code == 422
    assert "Also kept." in answer.text
    assert DigestLine.objects.get(pk=line.pk).is_open


def test_a_rejected_line_can_be_taken_back(carol, digest):
    line = line_of(digest, "container")
    decide(carol, line, "reject")
    line.refresh_from_db()
    assert line.state == "rejected"
    decide(carol, line, "reopen")
    line.refresh_from_db()
    assert line.is_open
    assert not Claim.objects.filter(statement_en=line.statement).exists()


def test_all_known_lines_are_accepted_at_once(carol, digest, known):
    carol.post(f"/distil/{digest.pk}/decide/", {"action": "accept-known"})
    states = {line.state for line in digest.lines.all() if line.claim}
    assert states == {"accepted"}
    assert all(line.is_open for line in digest.lines.all() if not line.claim)


def test_a_line_begins_a_draft_of_an_entry(carol, digest):
    line = line_of(digest, "riser")
    answer = edit(carol, line, action="draft")
    draft = Revision.objects.get()
    assert answer.redirect_chain[-1][0] == f"/drafts/{draft.pk}/edit/"
    assert draft.body["phrases"]["en"] == [line.statement]
    assert draft.body["sources"][0]["ref"] == "example/forum#7"


def test_a_known_wrong_claim_is_marked(carol, digest, known):
    Claim.objects.filter(pk=known.pk).update(verdict="wrong")
    assert "known to be wrong" in carol.get(f"/distil/{digest.pk}/?show=wrong").text


def test_of_two_who_decide_at_once_the_first_counts_and_the_second_is_told(carol, dave, digest, known):
    line = line_of(digest, "CPU offload")
    decide(carol, line, "accept")
    answer = decide(dave, line, "reject")
    line.refresh_from_db()
    known.refresh_from_db()
    assert (line.state, line.by, known.said_by) == ("accepted", carol.person, 5)
    assert "carol decided this line in between" in answer.text


def test_what_the_second_typed_is_not_lost(carol, dave, digest):
    line = line_of(digest, "riser")
    decide(carol, line, "reject")
    answer = edit(dave, line, statement_en="What Dave wrote.")
    assert "What Dave wrote." in answer.text
    assert "carol decided this line in between" in answer.text


def test_htmx_gets_the_line_and_the_progress_alone(carol, digest):
    line = line_of(digest, "container")
    address = f"/distil/{digest.pk}/lines/{line.pk}/"
    answer = carol.post(address, {"action": "reject", "edition": 0}, headers={"HX-Request": "true"})
    part = BeautifulSoup(answer.content, "html.parser")
    assert part.find(id=f"line-{line.pk}")
    assert part.find(id="progress")["hx-swap-oob"] == "true"
    assert not part.find("html")


def test_a_discarded_digest_leaves_its_claims(carol, digest):
    decide(carol, line_of(digest, "riser"), "accept")
    carol.post(f"/distil/{digest.pk}/decide/", {"action": "discard"})
    assert not Digest.objects.exists()
    assert Claim.objects.filter(sources=["example/forum#7"]).exists()


@pytest.mark.parametrize("who", ["bob", "charlie"])
def test_who_is_no_curator_sees_and_decides_nothing(request, digest, who):
    browser = request.getfixturevalue(who)
    line = digest.lines.first()
    for path in ("/distil/", f"/distil/{digest.pk}/", f"/distil/{digest.pk}/lines/{line.pk}/edit/"):
        assert browser.get(path).status_code == 403
    assert browser.post("/distil/", {"text": THREAD}).status_code == 403
    assert decide(browser, line, "accept").status_code == 403
    assert browser.post(f"/distil/{digest.pk}/decide/", {"action": "discard"}).status_code == 403
    with pytest.raises(NotAllowed):
        distilling.accept(line, browser.person, 0)
    assert "/distil/" not in browser.get("/claims/").text


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"text": "  \n"}, 400, "The box is empty"),
        ({"file": SimpleUploadedFile("a.png", b"\x89PNG\x00\x00")}, 400, "is no text"),
        ({"text": "word " * (MAX_CHARS // 5 + 10)}, 413, "too long"),
    ],
)
def test_what_is_no_thread_is_refused_with_the_reason(carol, known, sent, status, words):
    answer = carol.post("/distil/", sent)
    assert answer.status_code == status
    assert words in answer.text
    assert not Digest.objects.exists()


@pytest.mark.parametrize("text", ["<script>alert(1)</script> is slow", "\x00\ud800", "。", "1", "> > >", "2楼\n3楼\n"])
def test_odd_texts_make_a_page_all_the_same(carol, known, text):
    odd = text.encode("utf-8", "surrogatepass")
    answer = carol.post("/distil/", {"text": odd, "source": odd}, follow=True)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    line = Digest.objects.get().lines.first()
    if line:
        edit(carol, line, statement_en=odd, reason_zh=odd, known="\x00", entry="\x00")
        assert carol.get("/claims/").status_code == 200


def test_a_long_thread_is_shown_in_parts(carol, known):
    posts = [f"#{n} user{n}\nSet --max-num-seqs to {n} and the speed doubles." for n in range(1, 121)]
    digest = distilling.begin("\n\n".join(posts), "Long", "", carol.person)
    last = digest.lines.last()
    page = carol.get(f"/distil/{digest.pk}/?line={last.pk}").text
    assert f'id="line-{last.pk}"' in page
    assert page.count('<article class="post"') <= 50


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("show", ["", "?show=open", "?show=new", "?show=nonsense"])
def test_the_pages_are_sound(carol, digest, language, show):
    line = line_of(digest, "container")
    paths = ["/distil/", f"/distil/{digest.pk}/{show}", f"/distil/{digest.pk}/lines/{line.pk}/edit/"]
    for path in paths:
        response = carol.get(path, headers={"accept-language": language})
        assert response.status_code == 200, path
        page = BeautifulSoup(response.content, "html.parser")
        assert len(page.find_all("h1")) == 1, path
        ids = [tag["id"] for tag in page.find_all(id=True)]
        assert len(ids) == len(set(ids)), (path, sorted(i for i in ids if ids.count(i) > 1))
        named = {label.get("for") for label in page.find_all("label")}
        for field in page.find_all(["input", "select", "textarea"]):
            inside = field.find_parent("label") is not None or field.get("aria-label")
            assert field.get("type") == "hidden" or inside or field.get("id") in named, (path, str(field))
        for link in page.select('main a[href^="#"]'):
            assert link["href"][1:] in ids, (path, link["href"])
