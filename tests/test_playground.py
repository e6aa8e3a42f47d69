"""Does the playground work in a real browser: by pointer, keyboard and touch, when it is slow and when it fails?"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import patient
import pytest
from browser import CONTRASTS, Launch, browsers, needs_browser, style
from fastapi import FastAPI
from playwright.sync_api import Page, expect
from served import served
from test_report import HOSTILE

import raguard.service.playground
from raguard import ConfigError, Verifier, VerifyResult, verify
from raguard.service import ServiceConfig, build_app
from raguard.service.door import Door
from raguard.service.parts import Parts, made_parts
from raguard.service.playground import OPEN_PATHS, playground_router
from raguard.service.running import app_of_environment

FOLDER = Path(raguard.service.playground.__file__).parent
EXAMPLES = json.loads((FOLDER / "examples.json").read_text(encoding="utf-8"))
LEASE = next(place for place, example in enumerate(EXAMPLES) if example["title"].startswith("A lease"))
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


class Waiting(Verifier):
    """Says nothing before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may = Event(), Event()

    def verify(self, *case: Any, **options: Any) -> VerifyResult:
        self.asked.set()
        assert self.may.wait(60)
        return super().verify(*case, **options)


def app_of(verifier: Verifier) -> FastAPI:
    """An app with nothing but the playground."""
    app = FastAPI()
    app.include_router(playground_router(verifier))
    return app


def parts_of(config: ServiceConfig, verifier: Verifier | None = None) -> Parts:
    return made_parts(config, guard=None, verifier=verifier, screens=None, encoder=None, retriever=None)


def behind_door(parts: Parts) -> FastAPI:
    """The playground as the service has it: behind its door, with its parts."""
    app = FastAPI()
    app.state.parts = parts
    app.include_router(playground_router())
    app.add_middleware(
        Door, config=parts.config, keys=parts.keys, work=parts.work, metering=parts.metering, open_paths=OPEN_PATHS
    )
    return app


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with served(app_of(Verifier())) as url:
        yield url


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launch]:
    """Starts browsers."""
    with browsers(tmp_path_factory) as start:
        yield start


class Watched:
    """The playground in a browser, and all that it complained of or asked of somebody else."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.noise = page, list[str]()
        page.on("console", lambda message: self.noise.append(message.text))
        page.on("pageerror", lambda error: self.noise.append(str(error)))
        page.on("dialog", lambda dialog: (self.noise.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith(url) or self.noise.append(request.url))
        page.goto(f"{url}/playground")
        expect(page.locator("#example option")).to_have_count(len(EXAMPLES) + 1)

    def enter(self, response: str, *docs: str, query: str = "") -> None:
        self.page.fill("#query", query)
        self.page.fill("#response", response)
        for place, text in enumerate(docs):
            if place:
                self.page.get_by_role("button", name="Add a document").click()
            self.page.fill(f"#doc-{place}", text)

    def check(self) -> None:
        self.page.get_by_role("button", name="Check").click()

    def example(self, place: int) -> dict[str, Any]:
        self.page.select_option("#example", str(place))
        self.check()
        expect(self.page.locator("#result")).to_be_focused()
        return dict(EXAMPLES[place])


Open = Callable[..., Watched]


@pytest.fixture
def opened(launch: Launch, service: str) -> Iterator[Open]:
    """Opens the playground, on a desk, on a phone or in the dark; nothing may complain in the end."""
    pages: list[Watched] = []

    def open_page(url: str = "", *, phone: bool = False, dark: bool = False) -> Watched:
        options: dict[str, Any] = {"viewport": DESK}
        if phone:
            options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
        page = launch(**options).new_page()
        page.emulate_media(color_scheme="dark" if dark else "light")
        pages.append(Watched(page, url or service))
        return pages[-1]

    yield open_page
    for watched in pages:
        assert watched.noise == []
        watched.page.close()


@needs_browser
@pytest.mark.parametrize("place", range(len(EXAMPLES)))
def test_an_example_is_checked_and_its_verdict_is_that_of_verify(opened: Open, place: int) -> None:
    watched = opened()
    example = watched.example(place)
    result = verify(example["query"], example["docs"], example["response"])
    page = watched.page
    expect(page.get_by_role("heading", name=result.action.capitalize())).to_be_visible()
    assert json.loads(page.locator("#json").text_content() or "") == json.loads(result.to_json())
    assert page.locator("#answer").text_content() == example["response"]
    assert page.locator("#shown .text").all_text_contents() == example["docs"]
    spans = [warning.text for warning in result.warnings if warning.text]
    assert sorted(page.locator("#answer .mark:is(.high, .medium, .low)").all_text_contents()) == sorted(spans)
    facts = [fact for fact in result.facts if fact.status in ("supported", "derived")]
    counts = page.locator("#counts li").all_text_contents()
    assert counts[1] == f"{len(result.facts)} facts checked, {len(facts)} supported"
    assert counts[2].startswith("checked in ")


@needs_browser
def test_a_mark_shows_its_evidence_in_the_document(opened: Open) -> None:
    watched = opened()
    example, page = watched.example(LEASE), watched.page
    detail, evidence = page.locator("#detail"), page.locator("#evidence")
    expect(detail).to_be_hidden()
    page.locator("#answer .mark.high", has_text="$950").click()
    expect(detail).to_contain_text("rule money.unsupported")
    expect(detail.locator("b")).to_have_text("$900")
    expect(page.locator("article").nth(1).locator("#evidence")).to_have_text("$900")
    page.locator("#answer .mark.supported", has_text="May 4, 2024").click()
    expect(detail).to_contain_text("The documents state it.")
    expect(page.locator("article").nth(0).locator("#evidence")).to_have_text("4 May 2024")
    assert page.locator("#answer .mark.chosen").count() == 1
    page.locator("#answer .mark.high", has_text="Robert Stone").click()
    expect(detail).to_contain_text("The documents say nothing near it.")
    expect(evidence).to_have_count(0)
    assert page.locator("#answer").text_content() == example["response"]


@needs_browser
def test_documents_keep_the_numbers_of_the_form_beside_empty_ones(opened: Open) -> None:
    watched = opened()
    watched.enter("It closed on 9 May 2024.", " ", "It closed on 4 May 2024.", "")
    watched.check()
    expect(watched.page.locator("#shown h4")).to_have_text(["Document 2"])
    expect(watched.page.locator("#findings p")).to_contain_text('"4 May 2024" in document 2.')
    expect(watched.page.locator("#stale")).to_be_hidden()
    watched.page.locator("#answer .mark").click()
    expect(watched.page.locator("#shown article.cited #evidence")).to_have_text("4 May 2024")


@needs_browser
@pytest.mark.parametrize(
    "told", ["", "null", "[]", '{"result": {"warnings": []}}', '{"result": {"warnings": 5, "facts": []}}']
)
def test_an_answer_of_another_shape_is_said_in_words_and_leaves_no_verdict(told: str, opened: Open) -> None:
    watched = opened()
    watched.example(LEASE)
    watched.page.route("**/playground/verify", lambda route: route.fulfill(body=told, content_type="application/json"))
    watched.page.fill("#query", "Another question?")
    watched.check()
    expect(watched.page.locator("#problem")).to_have_text("The service gave an answer that cannot be read.")
    expect(watched.page.locator("#check")).to_be_enabled()
    # the verdict on what was asked before is either gone or said to be old
    assert watched.page.locator("#result").is_hidden() or watched.page.locator("#stale").is_visible()
    watched.page.unroute("**/playground/verify")
    watched.check()
    expect(watched.page.locator("#verdict")).to_be_visible()
    expect(watched.page.locator("#problem")).to_be_hidden()


@needs_browser
def test_all_of_it_can_be_done_by_keyboard(opened: Open) -> None:
    watched = opened()
    page = watched.page
    press = page.keyboard.press
    for _ in range(2):
        press("Tab")
    expect(page.locator("#example")).to_be_focused()
    page.keyboard.type("A lease")
    expect(page.locator("#response")).to_have_value(EXAMPLES[LEASE]["response"])
    press("Tab")
    expect(page.locator("#query")).to_be_focused()
    press("Control+Enter")
    expect(page.locator("#result")).to_be_focused()
    press("Tab")
    marks = page.locator("#answer [role=button]")
    expect(marks.nth(0)).to_be_focused()
    press("ArrowRight")
    expect(marks.nth(1)).to_be_focused()
    press("End")
    expect(marks.last).to_be_focused()
    press("ArrowRight")
    expect(marks.last).to_be_focused()
    press("Home")
    press("Enter")
    expect(marks.nth(0)).to_have_attribute("aria-pressed", "true")
    press("Tab")
    expect(page.locator("#detail button")).to_be_focused()
    press("Enter")
    expect(page.locator("article.cited")).to_be_focused()
    expect(page.locator("#evidence")).to_be_in_viewport()
    page.locator("#answer [tabindex='0']").focus()
    press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    for text in ("$950", "Robert Stone"):
        page.locator("#findings").get_by_role("button", name=text).focus()
        press("Enter")
        expect(page.locator("#answer .mark.chosen")).to_have_text(text)
        expect(page.locator("#answer .mark.chosen")).to_be_focused()


@needs_browser
def test_documents_can_be_added_and_removed(opened: Open) -> None:
    watched = opened()
    page = watched.page
    remove = page.get_by_role("button", name="Remove document")
    expect(remove).to_have_count(0)
    watched.enter("It closed on 4 May 2024.", "one", "two", "It closed on 4 May 2024.")
    page.get_by_role("button", name="Remove document 2").click()
    expect(page.get_by_label("Document 2", exact=True)).to_be_focused()
    expect(page.get_by_label("Document 2", exact=True)).to_have_value("It closed on 4 May 2024.")
    expect(remove).to_have_count(2)
    watched.check()
    expect(page.locator("#shown .text")).to_have_text(["one", "It closed on 4 May 2024."])
    expect(page.locator("#verdict")).to_have_text("Proceed")


@needs_browser
def test_what_is_missing_is_said_and_focused(opened: Open) -> None:
    watched = opened()
    page = watched.page
    watched.check()
    expect(page.get_by_role("alert")).to_have_text("Enter an answer to check.")
    expect(page.locator("#response")).to_be_focused()
    expect(page.locator("#response")).to_have_attribute("aria-invalid", "true")
    page.fill("#response", "It closed.")
    watched.check()
    expect(page.get_by_role("alert")).to_have_text("Enter at least one document.")
    expect(page.locator("#doc-0")).to_be_focused()
    page.fill("#doc-0", "It closed.")
    watched.check()
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator("#problem")).to_be_hidden()


@needs_browser
def test_a_verdict_on_texts_that_have_changed_says_so(opened: Open) -> None:
    watched = opened()
    watched.example(LEASE)
    stale = watched.page.locator("#stale")
    expect(stale).to_be_hidden()
    watched.page.fill("#query", "What?")
    expect(stale).to_be_visible()
    watched.page.fill("#query", EXAMPLES[LEASE]["query"])
    expect(stale).to_be_hidden()


@needs_browser
def test_offsets_fit_where_characters_take_two_places(opened: Open) -> None:
    watched = opened()
    watched.enter("🏠🏠 It opened on 9 May 2024. 👩‍👩‍👧 𝔘nder Bob Stone.", "𝔘𝔘 🏠 It opened on 4 May 2024.")
    watched.check()
    mark = watched.page.locator("#answer .mark.high").first
    expect(mark).to_have_text("9 May 2024")
    mark.click()
    expect(watched.page.locator("#evidence")).to_have_text("4 May 2024")


@needs_browser
@pytest.mark.parametrize("phone", [False, True])
def test_hostile_text_never_becomes_markup(opened: Open, phone: bool) -> None:
    text = "\n".join(HOSTILE)
    watched = opened(phone=phone)
    page = watched.page
    watched.enter(f"{text}\nIt opened on 9 May 2024.", f"{text}\nIt opened on 4 May 2024.", query=text)
    watched.check()
    expect(page.locator("#result")).to_be_visible()
    for mark in page.locator("#answer [role=button]").all():
        mark.click(position={"x": 3, "y": 3})
    page.locator("#raw summary").click()
    assert page.evaluate("window.hit") is None
    assert page.evaluate("document.querySelectorAll('main :is(script, img, svg, iframe, a, style)').length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= (390 if phone else 1280)


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("phone", [False, True])
def test_text_stands_out_and_fits_the_screen(opened: Open, dark: bool, phone: bool) -> None:
    watched = opened(phone=phone, dark=dark)
    page = watched.page
    watched.example(LEASE)
    page.locator("#answer .mark.high").first.click()
    page.locator("#raw summary").click()
    page.locator("#access summary").click()
    page.fill("#query", "Something else?")
    page.locator("#problem").evaluate("node => { node.hidden = false; node.textContent = 'It failed.'; }")
    expect(page.locator("#stale")).to_be_visible()
    assert style(page.locator("html"), "backgroundColor") == ("rgb(20, 22, 24)" if dark else "rgb(247, 246, 243)")
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 40
    assert min(contrasts) >= 4.5
    assert page.evaluate("document.documentElement.scrollWidth") <= (390 if phone else 1280)


@needs_browser
def test_beside_a_long_answer_and_in_long_documents_the_evidence_comes_into_sight(opened: Open) -> None:
    watched = opened()
    page = watched.page
    lines = [f"Room {number} was let on {number % 28 + 1} May 2024." for number in range(1, 120)]
    docs = ["\n\n".join(lines[start : start + 40]) for start in (0, 40, 80)]
    watched.enter("\n\n".join([*lines, "Room 7 was let on 9 June 2025."]), *docs)
    watched.check()
    expect(page.locator("#result")).to_be_focused()
    for words in ("28 May 2024", "9 June 2025"):
        page.locator("#answer .mark", has_text=words).last.click()
        expect(page.locator("#detail")).to_be_in_viewport()
        expect(page.locator("#evidence")).to_be_in_viewport()
        expect(page.locator("#answer .mark.chosen")).to_be_in_viewport()


@needs_browser
def test_on_a_phone_a_tap_leads_to_the_evidence(opened: Open) -> None:
    watched = opened(phone=True)
    page = watched.page
    watched.example(LEASE)
    page.locator("#answer .mark.high").first.tap()
    expect(page.locator("#detail")).to_be_in_viewport()
    page.get_by_role("button", name="Show it in document 2").tap()
    expect(page.locator("#evidence")).to_be_in_viewport()
    heights = [box["height"] for box in (button.bounding_box() for button in page.get_by_role("button").all()) if box]
    assert min(heights) >= 22


@needs_browser
def test_every_part_has_a_name_for_those_who_listen(opened: Open) -> None:
    watched = opened()
    page = watched.page
    watched.example(LEASE)
    for name in ("Question (optional)", "Answer", "Document 1", "Document 2", "Start from an example"):
        expect(page.locator("form").get_by_label(name, exact=True)).to_have_count(1)
    expect(page.get_by_role("group", name="Answer")).to_have_accessible_description(re.compile("Select a mark"))
    mark = page.get_by_role("button", name="$950: high, missing entity")
    expect(mark).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("status")).to_have_count(1)
    expect(page.get_by_role("article", name="Document 2")).to_have_count(1)
    expect(page.get_by_role("region", name="Review")).to_have_count(1)


@needs_browser
def test_a_slow_check_says_so_and_can_be_cancelled(opened: Open) -> None:
    verifier = Waiting()
    with served(app_of(verifier)) as slow:
        watched = opened(slow)
        page = watched.page
        watched.enter("It closed.", "It closed.")
        watched.check()
        assert verifier.asked.wait(60)
        expect(page.get_by_role("status")).to_have_text("Still checking; long texts take longer.")
        expect(page.get_by_role("button", name="Check")).to_be_disabled()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("status")).to_have_text("Cancelled.")
        expect(page.get_by_role("button", name="Check")).to_be_enabled()
        expect(page.locator("#problem")).to_be_hidden()
        verifier.may.set()
        watched.check()
        expect(page.locator("#verdict")).to_have_text("Proceed")


@needs_browser
def test_a_service_that_has_gone_is_told(opened: Open) -> None:
    with served(app_of(Verifier())) as gone:
        watched = opened(gone)
    watched.enter("It closed.", "It closed.")
    watched.check()
    expect(watched.page.get_by_role("alert")).to_have_text("The service cannot be reached.")
    expect(watched.page.get_by_role("button", name="Check")).to_be_enabled()
    assert [line for line in watched.noise if "ERR_CONNECTION_REFUSED" not in line] == []
    watched.noise.clear()


@needs_browser
def test_a_key_is_asked_for_where_the_service_needs_one(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-quokka")
    config = ServiceConfig(keys={"own": {"file": tmp_path / "key"}})  # type: ignore[dict-item]
    parts = parts_of(config)
    with served(behind_door(parts)) as keyed:
        watched = opened(keyed)
        page = watched.page
        watched.enter("It closed.", "It closed.")
        for key in ("", "sk-wrong"):
            page.locator("#key").evaluate("(node, key) => { node.value = key; }", key)
            watched.check()
            expect(page.get_by_role("alert")).to_contain_text("The service needs a key")
            expect(page.locator("#key")).to_be_focused()
        page.fill("#key", "schlüssel✓")
        watched.check()
        expect(page.get_by_role("alert")).to_have_text("The key holds characters that no key has.")
        page.fill("#key", "sk-quokka")
        watched.check()
        expect(page.locator("#verdict")).to_have_text("Proceed")
        assert 'raguard_verdicts_total{action="proceed"} 1.0' in parts.metering.page().decode()
    assert [line for line in watched.noise if "401" not in line] == []
    watched.noise.clear()


@needs_browser
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"timeout_s": 0.5}, "The check took too long, and the service gave up. Try shorter texts."),
        ({"max_requests": 1}, "The service is busy. Try again in a moment. It asks for 1 s."),
        ({"max_body_bytes": 1_000}, "The texts are too long for this service."),
    ],
)
def test_what_the_door_refuses_is_told(opened: Open, settings: dict[str, Any], message: str) -> None:
    verifier = Waiting()
    with served(behind_door(parts_of(ServiceConfig(**settings), verifier))) as strict:
        watched, other = opened(strict), opened(strict)
        if "max_requests" in settings:
            other.enter("It closed.", "It closed.")
            other.check()
            assert verifier.asked.wait(60)
        watched.enter("It closed.", "It closed. " * (1 if "max_body_bytes" not in settings else 200))
        watched.check()
        expect(watched.page.get_by_role("alert")).to_have_text(message)
        verifier.may.set()
        if "max_requests" in settings:
            expect(other.page.locator("#verdict")).to_have_text("Proceed")
    assert [line for line in watched.noise if "Failed to load resource" not in line] == []
    watched.noise.clear()


@needs_browser
def test_what_gets_past_the_page_is_refused_by_its_policy(opened: Open) -> None:
    watched = opened()
    harm = "node => { node.innerHTML = '<img src=x onerror=window.hit=1>'; }"
    with pytest.raises(Exception, match="TrustedHTML"):
        watched.page.locator("#answer").evaluate(harm)
    watched.page.evaluate("document.head.append(Object.assign(document.createElement('style'), {textContent: 'h1{}'}))")
    assert watched.page.evaluate("window.hit") is None
    assert len(watched.noise) >= 1
    assert all("Content Security Policy" in line or "TrustedHTML" in line for line in watched.noise)
    watched.noise.clear()


@needs_browser
def test_the_verdict_can_be_copied(opened: Open) -> None:
    watched = opened()
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    watched.example(LEASE)
    page.locator("#raw summary").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert json.loads(copied)["action"] == "review"


@needs_browser
def test_the_command_serves_the_page_when_it_is_asked_to(opened: Open) -> None:
    command = [sys.executable, "-m", "raguard", "serve", "--port", "0", "--playground"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            url = next(word for line in process.stderr for word in line.split() if word.startswith("http://127.0.0.1:"))
            watched = opened(url)
            watched.example(LEASE)
            expect(watched.page.locator("#verdict")).to_have_text("Review")
        finally:
            process.terminate()
        process.communicate(timeout=60)


def test_a_service_has_the_page_only_where_its_settings_say_so(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-quokka")
    file = tmp_path / "raguard.toml"
    file.write_text('[service]\nplayground = true\nwarm_up = false\n[service.keys.own]\nfile = "key"\n')
    case = {"docs": ["It closed."], "response": "It closed."}
    key = {"Authorization": "Bearer sk-quokka"}
    with served(build_app(file)) as on, served(build_app(ServiceConfig(warm_up=False))) as off:
        pages = [patient.get(f"{on}{path}", follow_redirects=True) for path in sorted(OPEN_PATHS)]
        assert [page.status_code for page in pages] == [200] * len(OPEN_PATHS)
        # the address that is printed at the start leads to the page
        assert str(pages[0].url) == f"{on}/playground"
        assert [patient.get(f"{off}{path}").status_code for path in sorted(OPEN_PATHS)] == [404] * len(OPEN_PATHS)
        assert patient.post(f"{on}/playground/verify", json=case).status_code == 401
        assert patient.post(f"{on}/playground/verify", json=case, headers=key).json()["result"]["action"] == "proceed"
        assert patient.post(f"{off}/playground/verify", json=case).status_code == 404
        wrong = patient.post(f"{on}/playground/verify", json={"docs": []}, headers=key)
        assert wrong.json()["error"]["message"] == "response: Field required"
    with pytest.raises(ConfigError, match="playground must be true or false"):
        ServiceConfig(playground="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("told", ["1", ""])
def test_the_workers_of_a_service_get_to_know_of_the_page(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGUARD_SERVICE_PLAYGROUND", told)
    with served(app_of_environment()) as worker:
        assert patient.get(f"{worker}/playground").status_code == (200 if told else 404)


def test_every_file_comes_with_the_headers_that_keep_others_out(service: str) -> None:
    kinds = {}
    # in an application of one's own "/" is its own
    assert patient.get(service).status_code == 404
    for path in sorted(OPEN_PATHS - {"/"}):
        response = patient.get(f"{service}{path}")
        assert response.status_code == 200
        assert response.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        kinds[path.rpartition("/")[2]] = response.headers["content-type"].partition(";")[0]
    assert kinds == {
        "playground": "text/html",
        "examples.json": "application/json",
        "icon.svg": "image/svg+xml",
        "page.css": "text/css",
        "page.js": "text/javascript",
    }


def test_no_file_names_an_address_or_an_inline_script() -> None:
    for path in FOLDER.iterdir():
        if path.suffix in (".html", ".css", ".js"):
            text = path.read_text(encoding="utf-8")
            assert "//" not in text.replace("// ", "") or path.suffix == ".js"
            assert "http:" not in text
            assert "https:" not in text
            for word in ("innerHTML", "insertAdjacent", "document.write", "eval(", " style=", " onclick=", "@import"):
                assert word not in text, (path.name, word)


def test_a_wrong_body_is_refused_and_a_right_one_judged(service: str) -> None:
    url = f"{service}/playground/verify"
    assert patient.post(url, json={"docs": ["It closed."]}).status_code == 422
    told = patient.post(url, json={"docs": ["It closed on 4 May 2024."], "response": "On 9 May 2024."}).json()
    assert told["result"] == json.loads(verify("", ["It closed on 4 May 2024."], "On 9 May 2024.").to_json())
    assert told["took_ms"] > 0
    assert patient.get(f"{service}/openapi.json").json()["paths"] == {}


def test_what_is_no_verifier_is_refused() -> None:
    with pytest.raises(ConfigError, match="verifier must be a Verifier, not str"):
        playground_router("verify")  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="has no attribute 'router'"):
        raguard.service.playground.router  # type: ignore[attr-defined]  # noqa: B018
    assert {*raguard.service.playground.__all__} <= {*dir(raguard.service.playground)}


def test_every_example_has_what_a_case_has() -> None:
    for example in EXAMPLES:
        assert [*example] == ["title", "query", "docs", "response"]
    actions = [verify(example["query"], example["docs"], example["response"]).action for example in EXAMPLES]
    assert actions == ["review", "review", "proceed", "review"]
