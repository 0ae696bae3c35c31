"""The page in a real Chromium: sorting, filtering, keys, samples, light and dark, phones, print, hostile texts."""

import re
import shutil
from itertools import pairwise

import pytest
from inspect_ai.log import EvalError

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")

HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    '"><svg onload="window.hacked = 1"> <!--<script> {{ 7 * 7 }} \x1b[31mred\x07 \u202edesrever\u202c \u2028'
    "<a href='javascript:window.hacked = 1'>click</a><link rel=stylesheet href='https://evil.example/x.css'>"
    "<meta http-equiv=refresh content='0;url=https://evil.example/'><base href='https://evil.example/'>"
)


@pytest.fixture(scope="module")
def pages(logs, page_of, make_sample, write_log, tmp_path_factory):
    """The files of an ordinary page and of one whose every text is hostile; made before the browser's loop runs."""
    folder = tmp_path_factory.mktemp("pages")
    hostile = folder / "logs"
    hostile.mkdir()
    for place, model in enumerate(("honest", HOSTILE)):
        samples = [
            make_sample(
                number,
                float(place),
                id=f"{number} {HOSTILE}",
                answer=HOSTILE,
                text=HOSTILE + str(place),
                input=HOSTILE,
                target=HOSTILE,
                metadata={"subject": f"{number % 2} {HOSTILE}", "confidence": number * 10},
            )
            for number in range(10)
        ]
        broken = EvalError(message=HOSTILE, traceback="", traceback_ansi="")
        samples[0] = make_sample(0, 0.0, id=f"0 {HOSTILE}", input=HOSTILE, target=HOSTILE, error=broken)
        provenance = {"distribution": HOSTILE, "version": f"{place}.0 {HOSTILE}", "dataset": {"source": HOSTILE}}
        write_log(hostile / f"{place}.eval", model, samples, task=HOSTILE, metric=HOSTILE, provenance=provenance)
    (hostile / "corrupt.eval").write_text("no log")
    found = {"ordinary": folder / "ordinary.html", "hostile": folder / "hostile.html"}
    found["ordinary"].write_text(page_of(logs), "utf-8")
    found["hostile"].write_text(page_of(hostile, title=HOSTILE), "utf-8")
    return found


@pytest.fixture(scope="module")
def browser(pages):  # noqa: ARG001 - they are made before the browser starts
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser, pages):
    """Return a function that opens a page; at the end, no error was logged, and no request but its own was made."""
    contexts, requests, faults = [], [], []

    def visited(name="ordinary", *, javascript=True, **options):
        context = browser.new_context(java_script_enabled=javascript, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: requests.append(request.url))
        tab.on("console", lambda message: faults.append(message.text))
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.route(re.compile(r"^(?!file:)"), lambda route: route.abort())
        tab.goto(pages[name].as_uri())
        return tab

    yield visited
    for context in contexts:
        context.close()
    assert set(requests) <= {page.as_uri() for page in pages.values()}
    assert not faults


def systems(tab, table="#leaderboard .board"):
    rows = tab.locator(f"{table} tbody tr:visible th")
    return [text.split()[0] for text in rows.all_inner_texts()]


def test_columns_sort(visit):
    tab = visit()
    heading = tab.locator("#leaderboard .board th", has=tab.get_by_role("button", name="mean score"))
    assert systems(tab) == ["acme/good", "acme/middling", "acme/bad"]
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert systems(tab) == ["acme/good", "acme/middling", "acme/bad"]
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert systems(tab) == ["acme/bad", "acme/middling", "acme/good"]
    tab.locator("#leaderboard .board").get_by_role("button", name="system").click()
    assert systems(tab) == ["acme/bad", "acme/good", "acme/middling"]
    assert tab.locator("#leaderboard .board [aria-sort]").count() == 1


def test_systems_are_filtered_everywhere(visit):
    tab = visit()
    tab.get_by_label("Filter systems").fill("GOO")
    assert systems(tab) == ["acme/good"]
    assert systems(tab, "#benchmarks table") == ["acme/good"]
    assert tab.locator("#filtered").inner_text() == "1 of 3"
    tab.get_by_label("Filter systems").fill("")
    assert len(systems(tab)) == 3


def test_the_keyboard_is_enough(visit):
    tab = visit()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the results"
    assert tab.locator(".skip").bounding_box()["y"] >= 0
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "filter"
    for _ in range(2):
        tab.keyboard.press("Tab")  # the table, which may scroll, and its first heading
    assert tab.evaluate("document.activeElement.textContent") == "#"
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.keyboard.press("Enter")
    assert systems(tab) == ["acme/bad", "acme/middling", "acme/good"]
    tab.keyboard.press("Space")
    assert systems(tab) == ["acme/good", "acme/middling", "acme/bad"]
    tab.locator("#leaderboard summary").focus()
    tab.keyboard.press("Enter")
    assert tab.locator("#leaderboard .matrix").is_visible()


def test_samples_stand_side_by_side(visit):
    tab = visit()
    assert tab.locator("#browse-place").inner_text() == "1 of 29"
    tab.get_by_label("show").select_option("error")
    assert tab.locator("#browse-place").inner_text() == "1 of 1"
    assert tab.locator(".answer h4").all_inner_texts() == ["acme/good\n1", "acme/middling\n1", "acme/bad\nno score"]
    assert "the server hung up" in tab.locator(".answer").last.inner_text()
    tab.get_by_label("acme/bad").uncheck()
    assert tab.locator(".answer").count() == 2
    tab.get_by_label("show").select_option("scored differently")
    tab.get_by_label("Next sample").click()
    assert tab.locator("#browse-place").inner_text().startswith("2 of ")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowLeft")
    assert tab.locator("#browse-place").inner_text().startswith("1 of ")
    assert tab.get_by_label("Previous sample").is_disabled()
    tab.get_by_label("search").fill("Question 17?")
    assert tab.locator("#browse-sample h3").inner_text() == "Sample q17"
    tab.get_by_label("search").fill("nothing has this")
    assert tab.locator("#browse-place").inner_text() == "none"
    tab.locator("[data-browse]").last.click()
    assert tab.locator("#browse-benchmark option:checked").inner_text() == "riddles"


def test_hostile_texts_do_nothing(visit):
    tab = visit("hostile")
    tab.get_by_label("show").select_option("error")
    tab.get_by_label("show").select_option("")
    tab.get_by_label("Next sample").click()
    for summary in tab.locator("summary").all():
        summary.click()
    tab.wait_for_timeout(100)
    assert tab.evaluate("window.hacked") is None
    assert tab.url.startswith("file:")
    assert tab.locator("img, link, base, iframe, object, a[href^='javascript']").count() == 0
    assert tab.locator("script").count() == 3  # the numbers of systems, the samples and the page's own
    shown = tab.locator("body").inner_text()
    assert not set(shown) & set("\x1b\x07\u202e")
    assert r"\x1b[31mred\x07 \u202edesrever" in shown
    assert "{{ 7 * 7 }}" in shown
    assert r"\u202e" in tab.locator(".answer pre").first.inner_text()
    assert "corrupt.eval" in tab.locator("aside").first.inner_text()


def test_scripts_that_got_in_would_not_run(browser, pages):
    context = browser.new_context()
    tab = context.new_page()
    refused = []
    tab.on("console", lambda message: refused.append(message.text))
    text = (
        pages["ordinary"]
        .read_text("utf-8")
        .replace(
            "</main>",
            "<script>window.hacked = 1</script><img src='https://evil.example/x.png' onerror='hacked = 1'></main>",
        )
    )
    (pages["ordinary"].parent / "injected.html").write_text(text, "utf-8")
    tab.goto((pages["ordinary"].parent / "injected.html").as_uri())
    assert tab.evaluate("window.hacked") is None
    assert sum("Content Security Policy" in each for each in refused) >= 2
    assert tab.locator("#browse-place").inner_text() == "1 of 29"
    context.close()


@pytest.mark.parametrize("name", ["ordinary", "hostile"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_page_is_never_wider_than_the_screen(visit, name, width):
    tab = visit(name, viewport={"width": width, "height": 740})
    for summary in tab.locator("summary").all():
        summary.click()
    assert tab.evaluate("document.documentElement.scrollWidth") == width


def contrast(tab, selector):
    return tab.evaluate(
        """selector => {
            const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
            const light = color => {
                canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
                const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
                    .map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                return .2126 * r + .7152 * g + .0722 * b;
            };
            return Math.min(...[...document.querySelectorAll(selector)].map(element => {
                let behind = element;
                while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
                const pair = [light(getComputedStyle(element).color), light(getComputedStyle(behind).backgroundColor)];
                return (Math.max(...pair) + .05) / (Math.min(...pair) + .05);
            }));
        }""",
        selector,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_light_and_dark(visit, scheme):
    tab = visit(color_scheme=scheme)
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
    assert contrast(tab, "p, td, th, th button, dt, dd, li, a, label, pre, figcaption, .tag") >= 4.5
    ink = tab.evaluate("getComputedStyle(document.querySelector('figure text')).fill")
    assert ink == tab.evaluate("getComputedStyle(document.body).color")


def test_print_has_everything_but_the_controls(visit):
    tab = visit(color_scheme="dark")
    tab.emulate_media(media="print", color_scheme="dark")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.locator(".matrix:visible").count() == 3
    assert not tab.locator("#filter, #browser, nav").first.is_visible()
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert "29 samples with a failure or different scores are on this page" in tab.locator("#samples").inner_text()
    tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.locator("details[open]").count() == 0
    assert tab.pdf(format="A4").startswith(b"%PDF")


def test_the_page_does_without_a_script(visit):
    tab = visit(javascript=False)
    assert systems(tab) == ["acme/good", "acme/middling", "acme/bad"]
    assert not tab.locator("#filter").is_visible()
    assert "Browsing samples needs JavaScript" in tab.locator("#samples").inner_text()


def test_everything_has_a_name(visit):
    tab = visit()
    unnamed = tab.evaluate(
        """() => [...document.querySelectorAll('figure svg, [role=region], table, input, select, button, nav, section')]
            .filter(each => !(each.getAttribute('aria-label') || each.getAttribute('aria-labelledby') || each.caption
                || (each.labels && each.labels.length) || (each.matches('button') && each.textContent.trim())
                || each.matches('.plain')))
            .map(each => each.outerHTML.slice(0, 100))"""
    )
    assert unnamed == []
    levels = tab.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map(each => Number(each.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
