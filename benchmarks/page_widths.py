"""Measure every page of the site on a phone and on a desk: what sticks out, and what is broken.

    python benchmarks/page_widths.py [SITE] [--browser PATH]

SITE is a folder of pages, by default what ``nox -s docs`` builds. Needs playwright and Chromium. Opens
each page in windows 390 and 1280 pixels wide, light and dark, and counts pages

- that scroll sideways, or whose text does;
- with an element that ends outside the window, other than in a box that scrolls by itself;
- with a word that continues on the next line, other than after an underscore.

Prints the counts, and what was found on each page.
"""

import argparse
import shutil
from collections import Counter
from pathlib import Path

from playwright.sync_api import sync_playwright

# Boxes that may be wider than the window; the text of a page may not.
BOXES = "pre, .pst-scrollable-table-container, .formula, svg"
FINDINGS = """
boxes => {
  const found = [];
  const wide = document.documentElement.clientWidth;
  for (const part of [document.scrollingElement, document.querySelector(".bd-article-container")])
    if (part && part.scrollWidth > part.clientWidth + 1) found.push(["scrolls", part.className]);

  for (const part of document.querySelectorAll("main *")) {
    const place = part.getBoundingClientRect();
    if (place.width && place.left < wide && place.right > wide + 1 && !part.closest(boxes))
      found.push(["sticks out", part.tagName + " " + part.textContent.trim().slice(0, 40)]);
  }

  const range = document.createRange();
  const lines = (text, start, end) => {
    range.setStart(text, start);
    range.setEnd(text, end);
    return new Set([...range.getClientRects()].map(line => Math.round(line.top))).size;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("script, style, math, svg")) continue;
    for (const word of text.data.matchAll(/[^\\W_]+/g))
      if (lines(text, word.index, word.index + word[0].length) > 1)
        found.push(["is broken", word[0]]);
  }
  return found;
}
"""


def main() -> None:
    """Open all pages in all windows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site", nargs="?", type=Path, default=Path("build/html"))
    parser.add_argument("--browser", default=shutil.which("chromium"))
    options = parser.parse_args()
    paths = [
        path
        for path in sorted(options.site.resolve().rglob("*.html"))
        if not {"_static", "_downloads"} & set(path.parts)
    ]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=options.browser, args=["--no-sandbox"]
        )
        for width in (390, 1280):
            for scheme in ("light", "dark"):
                page = browser.new_page(
                    viewport={"width": width, "height": 844}, color_scheme=scheme
                )
                pages: Counter[str] = Counter()
                for path in paths:
                    page.goto(path.as_uri())
                    findings = page.evaluate(FINDINGS, BOXES)
                    pages.update({kind for kind, _ in findings})
                    for kind, what in findings:
                        print(
                            f"  {path.relative_to(options.site.resolve())} {kind}: {what}"
                        )
                page.close()
                counts = (
                    f"{kind} {pages[kind]}"
                    for kind in ("scrolls", "sticks out", "is broken")
                )
                print(f"{width} px, {scheme}, {len(paths)} pages:", ", ".join(counts))


if __name__ == "__main__":
    main()
