"""The page that the command line writes, and the notebook tables, in a real browser."""

import re
import shutil

import numpy as np
import pytest

from skpostbac import compare_predictions, required_test_size, subgroup_posteriors
from skpostbac.__main__ import main

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed"
)
pdfium = pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
HOSTILE = "<script>document.title = 'hacked'</script>"


@pytest.fixture(scope="module")
def browser():
    """A browser without a window; one of the system, as none is downloaded."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    with sync_api.sync_playwright() as playwright:
        # Its sandbox needs rights that containers rarely give.
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture(params=["light", "dark"])
def page(browser, request):
    """An empty page that keeps what is logged, thrown and asked for."""
    page = browser.new_page(color_scheme=request.param)
    page.complaints, page.requests = [], []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda asked: page.requests.append(asked.url))
    yield page
    page.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report on two classifiers, with markup in a name and in a label."""
    folder = tmp_path_factory.mktemp("report")
    source, path = folder / "predictions.csv", folder / "report.html"
    rows = [("truth", HOSTILE, "second")]
    rows += [("a", "a", "a")] * 8 + [("a", HOSTILE, "a")] * 2
    rows += [(HOSTILE, HOSTILE, HOSTILE)] * 6 + [(HOSTILE, "a", HOSTILE)]
    source.write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")
    assert main([str(source), "--truth", "truth", "--html", str(path)]) == 0
    return path


def test_report_shows_the_ranking(page, report):
    """The ranking is on the screen, best first, and nothing is complained of or fetched."""
    page.goto(report.as_uri())
    heading = page.get_by_role("heading", name="Ranking by posterior mean")
    assert heading.is_visible()
    table = heading.locator("xpath=following::table[1]")
    header, first, second = table.locator("tr").all()
    assert header.inner_text().split("\t")[:2] == ["classifier", "P(best)"]
    assert first.inner_text().startswith("1 second")
    assert second.inner_text().startswith(f"2 {HOSTILE}")
    assert page.complaints == []
    assert page.requests == [report.as_uri()]
    # Markup out of the file is text: the title is still that of the report.
    assert page.title().startswith("Posterior balanced accuracy: ")
    assert page.evaluate("document.scripts.length") == 0


def test_report_has_its_pictures(page, report):
    """All are drawn, with the names of the classifiers, and no wider than the page."""
    page.goto(report.as_uri())
    densities, difference, recalls = pictures = page.locator("figure svg:visible").all()
    assert "second" in densities.text_content()
    assert "second better" in difference.text_content()
    assert HOSTILE[:10] in recalls.text_content()
    width = page.evaluate("document.body.clientWidth")
    for picture in pictures:
        box = picture.bounding_box()
        assert 100 < box["width"] <= width
        assert box["height"] > 100


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """The report on nine classifiers and three classes, with long names, some without a gap."""
    folder = tmp_path_factory.mktemp("crowded")
    source, path = folder / "predictions.csv", folder / "report.html"
    names = [f"a pipeline with a name of many words, number {i}" for i in range(8)] + [
        "x" * 60
    ]
    classes = ["y" * 60, "a class with a name of many words", "猫" * 30]
    rows = [["truth", *names]]
    for i in range(60):
        truth = classes[i % 3]
        rows.append(
            [truth, *(truth if i % (j + 2) else classes[0] for j in range(len(names)))]
        )
    source.write_text(
        "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows), "utf-8"
    )
    assert (
        main([str(source), "--truth", "truth", "--rope", "0.01", "--html", str(path)])
        == 0
    )
    return path


# What sticks out of the window to the right, or has a bar to scroll it.
OUTSIDE = """
() => [...document.querySelectorAll("body *")].filter(node => {
  const style = getComputedStyle(node), box = node.getBoundingClientRect();
  return box.width && (box.right > window.innerWidth + 1
    || (node.scrollWidth > node.clientWidth + 1 && /auto|scroll|hidden/.test(style.overflowX)
        && !node.closest("svg")));
}).map(node => node.tagName + ": " + node.textContent.slice(0, 40))
"""


@pytest.mark.parametrize("width", [360, 400, 800, 1280])
def test_report_fits_the_width(width, page, crowded):
    """Whatever the names, nothing is cut off; on a phone, only wide tables scroll."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(crowded.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(OUTSIDE)
    if width < 600:
        outside = page.evaluate(
            OUTSIDE.replace("body *", "body :not(section, section *)")
        )
    assert outside == []


def test_pictures_follow_the_theme(page, report):
    """Their background is that of the page, and what is written in them contrasts with it."""
    page.goto(report.as_uri())
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    background = 0.0061 if dark else 1.0  # luminance of #121212 and of white
    fill = "nodes => nodes.map(node => getComputedStyle(node).fill)"
    (paper,) = set(
        page.locator("figure svg:visible [id=patch_1] path").evaluate_all(fill)
    )
    assert luminance_of(paper) == pytest.approx(background, abs=1e-3)
    inks = set(page.locator("figure svg:visible text").evaluate_all(fill))
    assert len(inks) == 2  # names and figures, and headers
    for ink in inks:
        low, high = sorted((luminance_of(ink), background))
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_paper_holds_all_columns_and_whole_pictures(page, crowded):
    """No cell and no picture of the PDF is cut off by its page; paper is always white."""
    page.goto(crowded.as_uri())
    sheets = list(pdfium.PdfDocument(page.pdf(format="A4", print_background=True)))
    texts = [sheet.get_textpage() for sheet in sheets]
    for sheet, text in zip(sheets, texts, strict=True):
        boxes = [text.get_rect(i) for i in range(text.count_rects())]
        assert min(box[0] for box in boxes) > 0
        assert max(box[2] for box in boxes) < sheet.get_width()
        assert (sheet.render(scale=0.2).to_numpy()[0, 0] == 255).all()
    words = [" ".join(text.get_text_bounded().split()) for text in texts]
    # The text of a PDF has a control character for the hyphen.
    assert sum(bool(re.search("lower p.value", text)) for text in words) == 1
    # What stands at the top and at the foot of each picture is on one sheet with its caption.
    for top, foot, caption in (
        ("Chance level", "Balanced accuracy", "chance level dotted"),
        (" better", "Mean [95% CI]: ", "the bar is the 95% interval"),
    ):
        assert [
            text for text in words if top in text and foot in text and caption in text
        ]


def luminance_of(color):
    """Return the relative luminance of a colour as a browser writes it."""
    return luminance(*map(int, color.removeprefix("rgb(").rstrip(")").split(",")[:3]))


def luminance(*channels):
    """Return the relative luminance of a colour of the web, as WCAG defines it."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in channels)
    ]
    return sum(
        share * part
        for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
    )


# What JupyterLab asks of the output of a cell, which every view has to live with.
JUPYTERLAB = """
.view { font: 13px sans-serif; color: COLOR; background: BACKGROUND; }
.view table { border-collapse: collapse; border-spacing: 0; border: none; table-layout: fixed; }
.view td, .view th, .view tr { text-align: right; vertical-align: middle; padding: 0.5em;
  line-height: normal; white-space: normal; max-width: none; border: none; }
.view tbody tr:nth-child(odd) { background: #8882; }
.view code { background: #8883; color: COLOR; white-space: pre-wrap; }
.view p { color: COLOR; }
"""
THEMES = {"light": ("rgb(33, 33, 33)", "#fff"), "dark": ("rgb(222, 222, 222)", "#111")}


@pytest.fixture(scope="module")
def views():
    """Return the views of results with long and hostile names."""
    rng = np.random.default_rng(0)
    names = [f"a pipeline with a name of many words, number {i}" for i in range(8)] + [
        "x" * 60
    ]
    classes = np.array([HOSTILE, "y" * 60, "fox"])
    y_true = classes[rng.integers(0, 3, 200)]
    y_preds = {
        name: np.where(rng.random(200) < 0.8, y_true, classes[rng.integers(0, 3, 200)])
        for name in names
    }
    comparison = compare_predictions(y_true, y_preds, random_state=0)
    (posterior, *_) = comparison.posteriors
    results = [
        comparison,
        comparison.difference(names[0], names[1]),
        posterior,
        posterior.credible_interval(),
        required_test_size(posterior, width=0.2),
        subgroup_posteriors(
            y_true, y_preds["x" * 60], sensitive_features=y_true[::-1] == "fox"
        ),
    ]
    return "".join(result._repr_html_() for result in results)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("style", ["", JUPYTERLAB], ids=["plain", "jupyterlab"])
def test_notebook_views_take_the_colours_of_the_page(style, theme, views, page):
    """Whatever theme a notebook has, text and axis are as legible as its own text, and fit."""
    color, background = THEMES[theme]
    style = style.replace("COLOR", color).replace("BACKGROUND", background)
    page.set_viewport_size({"width": 800, "height": 900})
    page.set_content(
        f"<!DOCTYPE html><style>{style}</style>"
        f"<body style='color: {color}; background: {background}'><div class=view>{views}</div>"
    )
    seen = "node => getComputedStyle(node).color"
    for tag in ("td", "th", "code", "p"):
        assert set(page.locator(tag).evaluate_all(f"nodes => nodes.map({seen})")) == {
            color
        }
    axes = page.locator("svg path").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).stroke)"
    )
    assert set(axes) == {color}
    # Names stand to the left, numbers to the right, whatever the notebook asks for.
    align = "nodes => nodes.map(node => getComputedStyle(node).textAlign)"
    names = page.locator("tr:has(td:nth-child(6)) > td:nth-child(1)").evaluate_all(
        align
    )
    assert set(names) == {"left"}
    assert set(page.locator("td + td").evaluate_all(align)) == {"right"}
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    assert page.title() == ""
    assert page.complaints == []
