"""The pages as a site: mkdocs makes it, every page is in it, every link leads somewhere, and it loads nothing from
elsewhere."""

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import documents

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src"}


class Links(HTMLParser):
    """The addresses that a page links to, those that it loads, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.linked, self.loaded, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.linked.append(given["href"])
        if given.get(LOADED.get(tag)):
            self.loaded.append(given[LOADED[tag]])


@unittest.skipIf(importlib.util.find_spec("mkdocs") is None,
                 "mkdocs is not installed; 'python3 -m pip install mkdocs' does that")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.site = Path(folder.name)
        cls.done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", cls.site],
                                  cwd=documents.ROOT, capture_output=True, text=True, timeout=300, check=False)
        cls.pages = {page: Links(page.read_text(encoding="utf-8")) for page in sorted(cls.site.rglob("*.html"))}

    def test_it_is_made_without_a_warning(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def test_every_page_is_in_it(self):
        for page in (*documents.PAGES, *documents.FOR_DEVELOPERS, documents.CONTRIBUTING):
            name = page.relative_to(documents.DOCS if page.is_relative_to(documents.DOCS) else documents.ROOT)
            name = {"README.md": "index.md", "configs/reference/README.md": "configs/reference/index.md"}.get(str(name), name)
            self.assertIn(self.site / Path(name).with_suffix(".html"), self.pages)

    def test_the_gallery_shows_every_plot(self):
        shown = {Path(address).name for page in ("gallery", "plots") for address in self.pages[self.site / f"{page}.html"].loaded}
        self.assertLessEqual({path.name for path in (documents.DOCS / "plots").iterdir()}, shown)

    def test_links_lead_somewhere(self):
        for page, links in self.pages.items():
            if page.name == "404.html":  # which may be shown at any address
                continue
            for address in (*links.linked, *links.loaded):
                if re.match(r"[a-z]+:", address):
                    continue
                path, _, anchor = unquote(address).partition("#")
                target = (page.parent / path).resolve() if path else page
                with self.subTest(str(page.relative_to(self.site)), address=address):
                    self.assertTrue(target.is_file())
                    if anchor and target in self.pages:
                        self.assertIn(anchor, self.pages[target].anchors)

    def test_it_loads_nothing_from_elsewhere(self):
        for page, links in self.pages.items():
            self.assertEqual([address for address in links.loaded if re.match(r"([a-z]+:)?//", address)], [], page.name)


if __name__ == "__main__":
    unittest.main()
