"""The page in a real browser: open, tick, ask, wait, stop, take away; and what must not happen."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.crowds import measure_named
from reidrisk.reports.words.blocks import share
from tests.web.browsing import FLAGS, Visit, chromium_or_skip, served
from tests.web.conftest import PEOPLE

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "people.csv").write_text(PEOPLE)
    statistics = rr.publish(folder / "people.csv", unprotected=True)
    rr.save_statistics(statistics, folder / "statistics.json")
    hostile = PEOPLE.replace("town", HOSTILE).replace("north", "<script>alert(2)</script>")
    (folder / f"{HOSTILE}.csv").write_text(hostile)
    codes = np.random.default_rng(7).integers(0, 4, (4000, 30))
    lines = [",".join(f"c{place}" for place in range(30)), *(",".join(map(str, r)) for r in codes)]
    (folder / "wide.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def address(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    chromium_or_skip()
    with served(temporary=tmp_path_factory.mktemp("temporary")) as (where, _):
        yield where


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    program = chromium_or_skip()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def visits(browser: Any, address: str) -> Iterator[Callable[..., Visit]]:
    """Visits begin where nothing is open; each has to end well."""
    made: list[Visit] = []

    def visit(**how: Any) -> Visit:
        new = Visit(browser, address, **how)
        if new.page.is_visible("#looking"):
            new.page.select_option("#source", "")
        new.page.wait_for_selector("#opening:visible")
        made.append(new)
        return new

    yield visit
    for each in made:
        each.leave()


def measured(files: Path, *columns: str, **how: Any) -> dict[str, str]:
    risk = rr.measure(rr.read(files / "people.csv", columns=list(columns), **how))
    return {
        named("alone_share"): share(risk.alone_share),
        named("overall_risk"): share(risk.overall_risk),
        named("smallest_crowd"): str(risk.smallest_crowd),
        named("share_in_crowds_of_at_least:5"): share(
            risk.crowd_sizes.share_in_crowds_of_at_least(5)
        ),
    }


def named(measure: str) -> str:
    """What the page calls a figure: in plain words and the field's."""
    return measure_named(measure).both_words


def shows(visit: Visit, figures: dict[str, str]) -> None:
    told = json.dumps([[name, text] for name, text in figures.items()])
    visit.page.wait_for_function(
        f"() => {{ const told = {told}; const there = Object.fromEntries("
        "[...document.querySelectorAll('#figures div')].map(e => "
        "[e.querySelector('dt').textContent, e.querySelector('dd').firstChild.data]));"
        "return told.every(([name, text]) => there[name] === text); }"
    )


def test_what_a_row_is_is_asked_before_the_first_figure(
    visits: Callable[..., Visit], files: Path
) -> None:
    lines = [f"{i // 2},{20 + i % 5},{'fm'[i % 2]}" for i in range(40)]
    (files / "visits.csv").write_text("patient_nbr,age,sex\n" + "\n".join(lines) + "\n")
    visit = visits()
    visit.upload(files / "visits.csv")
    visit.page.wait_for_selector("#unit-question:visible")
    assert visit.page.locator("#figures").inner_text() == ""
    visit.page.click("text=No: a person has several rows")
    table = rr.read(files / "visits.csv", columns=["age", "sex"], person="patient_nbr")
    shows(visit, {named("smallest_crowd"): str(rr.measure(table).smallest_crowd)})
    assert not visit.page.is_visible("#unit-question")
    visit.page.select_option("#row-unit", "row")
    table = rr.read(files / "visits.csv", columns=["age", "sex"], rows_are_people=True)
    shows(visit, {named("smallest_crowd"): str(rr.measure(table).smallest_crowd)})


def test_open_tick_and_see_coarser(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / "people.csv")
    shows(visit, measured(files, "age", "sex", "town"))
    visit.drawn()
    visit.page.uncheck("text=town")
    shows(visit, measured(files, "age", "sex"))
    visit.page.select_option("[aria-label='Detail of age']", label="in bands of 5")
    shows(visit, measured(files, "age", "sex", bands={"age": 5}))
    visit.page.select_option("[aria-label='Detail of age']", label="in bands of …")
    visit.page.fill("[aria-label='Width of the bands of age']", "3")
    visit.page.keyboard.press("Enter")
    shows(visit, measured(files, "age", "sex", bands={"age": 3}))
    visit.page.select_option("[aria-label='Detail of age']", label="in bands of 5")
    shows(visit, measured(files, "age", "sex", bands={"age": 5}))
    visit.drawn()
    assert "age and sex known" in visit.page.text_content("#picture-attack")
    visit.page.click("#tick-none")
    visit.page.wait_for_function("() => document.querySelector('#figures').children.length === 0")
    assert visit.page.text_content("#verdict") == "Tick what is known"
    visit.page.click("#tick-all")
    shows(visit, measured(files, "age", "sex", "town", bands={"age": 5}))
    assert "alone" in visit.page.text_content("#spoken")


def test_a_sensitive_column_by_keyboard(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / "people.csv")
    visit.page.focus("#learn-column")
    visit.page.keyboard.type("town")
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_selector("#learn-answer [role=status]")
    said = visit.page.text_content("#learn-answer [role=status]")
    assert "everybody's town" in said
    described = visit.page.get_attribute("#learn-answer [role=img]", "aria-label")
    assert "without the table and with it" in described
    # Ticked or not, what is sensitive isn't among the quasi-identifiers of the answer.
    risk = rr.learn(files / "people.csv", columns=["age", "sex"], sensitive="town")
    assert share(risk.sensitive["town"].guesses.with_table) in said.replace(chr(160), " ")


def test_dropping_a_file(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.page.evaluate(
        """(text) => {
          const held = new DataTransfer();
          held.items.add(new File([text], "dropped.csv"));
          document.dispatchEvent(new DragEvent("drop", {dataTransfer: held, bubbles: true}));
        }""",
        PEOPLE,
    )
    visit.page.wait_for_selector("#looking:visible")
    shows(visit, measured(files, "age", "sex", "town"))
    assert visit.page.evaluate("document.title").startswith("dropped.csv")


def test_what_can_t_be_opened(visits: Callable[..., Visit], tmp_path: Path) -> None:
    visit = visits()
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    visit.page.set_input_files("#file", str(tmp_path / "twice.csv"))
    visit.page.wait_for_selector("#trouble:visible")
    assert "more than once" in visit.page.text_content("#trouble")
    assert visit.page.is_visible("#opening")


def test_hostile_values_are_text(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / f"{HOSTILE}.csv")
    visit.drawn()
    page = visit.page
    assert page.text_content("#attribute-list li:nth-child(3) label") == HOSTILE
    page.wait_for_function(
        "(name) => document.querySelector('#source').textContent.includes(name)",
        arg=f"{HOSTILE}.csv",
    )
    page.click("#tab-person")
    page.wait_for_selector("#person-fields select")
    page.locator("#person-fields select").nth(2).select_option("<script>alert(2)</script>")
    page.click("#person-form button[type=submit]")
    page.wait_for_selector("#person-answer svg")
    assert HOSTILE in page.text_content("#person-answer")
    page.click("#tab-combinations")
    page.click("#search-form button[type=submit]")
    page.wait_for_selector("#search-answer table")
    assert page.locator("main img, main script, main iframe, main a[href^=javascript]").count() == 0


def test_hidden_characters_are_shown(visits: Callable[..., Visit], files: Path) -> None:
    """A name can't turn the page's own words around; asked about, it is the name it is."""
    evil = "town\u202e\x9b\u200b"
    (files / "turned.csv").write_text(PEOPLE.replace("town", evil))
    visit = visits()
    visit.upload(files / "turned.csv")
    label = visit.page.text_content("#attribute-list li:nth-child(3) label")
    assert label == "town\\u202e\\u009b\\u200b"
    shows(visit, measured(files, "age", "sex", "town"))
    seen = visit.page.evaluate("() => document.body.innerText")
    assert not set("\u202e\x9b\u200b") & set(seen)
    visit.page.click("text=town")
    shows(visit, measured(files, "age", "sex"))


def test_what_about_me(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / "people.csv")
    page = visit.page
    page.click("#tab-person")
    page.select_option("[data-attribute=age]", "22")
    page.select_option("[data-attribute=sex]", "f")
    page.click("#person-form button[type=submit]")
    page.wait_for_selector("#person-answer svg")
    risk = rr.person(rr.read(files / "people.csv"), {"age": "22", "sex": "f"})
    said = page.text_content("#person-answer .big")
    crowd = f"{int(risk.expected_crowd)} people in the table"
    assert said == f"{crowd} share this combination of values."
    assert "contributes most to the risk" in page.text_content("#person-answer")
    page.click("#person-form button[type=reset]")
    assert page.locator("#person-answer > *").count() == 0
    page.click("#person-form button[type=submit]")
    page.wait_for_selector("#person-answer .trouble")


def test_planning(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / "people.csv")
    page = visit.page
    page.uncheck("text=town")
    page.click("#tab-plan")
    page.wait_for_selector("#picture-group svg")
    page.focus("#group-size")
    page.keyboard.press("Home")
    page.wait_for_function(
        "() => document.querySelector('#group-said .big')?.textContent.startsWith('All 2 members')"
    )
    page.click("#plan-start")
    page.wait_for_selector("#plan-answer table")
    page.click("#plan-answer tr:has-text('and town') button")
    page.wait_for_function(
        "() => document.querySelectorAll('#attribute-list input:checked').length === 3"
    )
    shows(visit, measured(files, "age", "sex", "town"))


def test_figures_of_something_else_don_t_stay(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / "people.csv")
    visit.drawn()
    visit.page.wait_for_selector("#source option:nth-child(2)", state="attached")
    visit.page.evaluate(
        """async () => fetch(`/sources/${document.querySelector("#source").value}`, {
          method: "DELETE",
          headers: {"X-Reidrisk-Session": document.querySelector("meta[name*=session]").content},
        })"""
    )
    visit.page.uncheck("text=town")
    visit.page.wait_for_selector("#trouble:visible")
    assert "open it again" in visit.page.text_content("#trouble")
    assert visit.page.text_content("#verdict") == "No answer"
    assert visit.figures() == {}
    assert visit.page.locator("#panel-crowds svg").count() == 0


def test_progress_and_stop(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / "wide.csv")
    page = visit.page
    page.click("#tab-combinations")
    page.select_option("#search-measure", "overall_risk")
    page.fill("#search-allowed", "50")
    page.fill("#search-most", "30")
    page.click("#search-form button[type=submit]")
    page.wait_for_selector(".work[data-state=running]")
    page.wait_for_function("() => document.querySelector('.work span').textContent.includes(': ')")
    pid = int(page.get_attribute(".work", "data-pid"))
    os.kill(pid, 0)
    page.click(".work button")
    page.wait_for_selector(".work", state="detached")
    until = time.monotonic() + 30
    while time.monotonic() < until and Path(f"/proc/{pid}").exists():
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert page.is_enabled("#search-form button[type=submit]")


def test_the_report_is_downloaded(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / "people.csv")
    page = visit.page
    page.click("#tab-report")
    page.fill("#report-title", "For the <board>")
    page.click("#report-form button[type=submit]")
    page.wait_for_selector("#report-answer a")
    with page.expect_download() as coming:
        page.click("#report-answer a")
    text = Path(coming.value.path()).read_text()
    assert coming.value.suggested_filename == "report.html"
    assert "For the &lt;board&gt;" in text
    assert "http" not in text.replace("http://www.w3.org", "").replace("http-equiv", "")


def test_statistics_are_predicted(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    visit.upload(files / "statistics.json")
    visit.drawn()
    risk = rr.predict(files / "statistics.json")
    assert visit.figures()[named("overall_risk")] == share(risk.overall_risk)
    assert "Model:" in visit.page.text_content("#said")
    visit.page.uncheck("text=town")
    fewer = rr.predict(files / "statistics.json", columns=["age", "sex"])
    shows(visit, {named("overall_risk"): share(fewer.overall_risk)})


def test_by_keyboard_alone(visits: Callable[..., Visit], files: Path) -> None:
    visit = visits()
    page = visit.page
    visit.upload(files / "people.csv")
    visit.drawn()
    first = "document.querySelector('a, button, input, select, [tabindex]').className"
    assert page.evaluate(first) == "skip"
    page.focus(".skip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answer"
    page.focus("#attribute-2")
    page.keyboard.press("Space")
    shows(visit, measured(files, "age", "sex"))
    page.focus("#tab-crowds")
    page.keyboard.press("ArrowRight")
    assert page.is_visible("#panel-combinations")
    assert page.evaluate("document.activeElement.id") == "tab-combinations"
    page.keyboard.press("End")
    assert page.is_visible("#panel-report")
    page.keyboard.press("ArrowRight")
    assert page.is_visible("#panel-crowds")


def test_everything_has_a_name(visits: Callable[..., Visit], files: Path) -> None:
    """As a screen reader tells it: every control, every picture."""
    visit = visits()
    visit.upload(files / "people.csv")
    visit.drawn()
    for tab in ("person", "plan", "combinations", "report", "crowds"):
        visit.page.click(f"#tab-{tab}")
        visit.page.wait_for_timeout(300)
        unnamed = visit.page.evaluate(
            """() => [...document.querySelectorAll("input, select, button, progress")].filter((e) =>
              e.offsetParent && !e.textContent.trim() && !e.labels?.length && !e.ariaLabel
              || (e.tagName === "SELECT" && !e.labels.length && !e.ariaLabel))
              .map((e) => e.outerHTML)"""
        )
        assert unnamed == []
    pictures = visit.page.locator("[role=img]:visible")
    for place in range(pictures.count()):
        assert pictures.nth(place).get_attribute("aria-label")
    assert visit.page.locator("h1:visible").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(visits: Callable[..., Visit], files: Path, scheme: str) -> None:
    visit = visits(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    visit.upload(files / "people.csv")
    visit.drawn()
    page = visit.page
    for tab in ("combinations", "person", "plan", "report", "crowds"):
        page.click(f"#tab-{tab}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert page.get_attribute("#picture-crowds svg", "width") == "340"
