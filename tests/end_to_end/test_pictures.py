"""Pictures as any command writes them: pages and figures, what draws them, and what is said where nothing can."""

import importlib.util
import json
import os
import unittest
from pathlib import Path

from harness import MODEL, ProgramTest, environment, run

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "configs" / "reference"
OFFSETS = ("probe", "--offset", "0..3", *MODEL)
needs_matplotlib = unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "matplotlib is not installed")


class PicturesTest(ProgramTest):
    def path(self, name):
        return str(self.directory / name)

    def page(self, *arguments):
        """The text of a page that a command writes."""
        self.succeed(*arguments, "--output", self.path("page.html"))
        return (self.directory / "page.html").read_text(encoding="utf-8")

    def put(self, name, text):
        path = self.directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path


class Written(PicturesTest):
    def test_a_page_beside_the_table(self):
        shown = self.succeed(*OFFSETS, "--op", "write", "--output", self.path("page.html"))
        self.assertIn("elements per thread", shown)
        page = (self.directory / "page.html").read_text(encoding="utf-8")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn("Plotly", page)
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        (block,) = data["blocks"]
        self.assertEqual(len(block["panels"][0]["series"][0]["points"]), 4)
        self.assertTrue(block["notes"][0].startswith("Predicted: Writes reach"), block["notes"])
        self.assertIn("<summary>All numbers</summary>", page)

    def test_every_command_has_pages(self):
        stride = [str(REFERENCE / gpu / "stride.json") for gpu in ("h200", "h100")]
        for arguments, said in ((("check", "smoke", *MODEL, "--quiet"), "29 passed, 0 failed, 21 skipped"),
                                (("show", stride[0], "op=read"), "All numbers"),
                                (("show", *stride), "Contents"),
                                (("compare", *stride), "96 slower"),
                                (("compare", "--fleet", *stride), "stride"),
                                (("expect", "h200"), "link both ways"),
                                (("show", str(REFERENCE / "h200" / "programs" / "kernels.json")), "Changes that save most"),
                                (("probe", "--offset", "0", *MODEL, "--dry-run"), "offset")):
            with self.subTest(arguments=arguments):
                self.assertIn(said, self.page(*arguments))

    def test_a_portrait_is_a_page_of_its_own(self):
        page = self.page("portrait", str(REFERENCE / "h200" / "portrait.json"))
        self.assertNotIn("<script", page)

    def test_a_name_that_is_no_utf8(self):
        report = os.fsencode(self.directory) + b"/\xff.json"
        self.succeed(*OFFSETS, "--quiet", "-o", report)
        self.assertIn("All numbers", self.page("show", report))

    @needs_matplotlib
    def test_figures(self):
        begins = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
        names = [self.path(f"figure.{kind}") for kind in begins]
        self.succeed(*OFFSETS, "--quiet", *(word for name in names for word in ("-o", name)))
        for kind, begin in begins.items():
            self.assertTrue((self.directory / f"figure.{kind}").read_bytes().startswith(begin), kind)

    @needs_matplotlib
    def test_an_older_report_has_its_names(self):
        self.succeed("show", str(REFERENCE / "h200" / "stride.json"), "-o", self.path("old.svg"))
        self.assertIn("strided access", (self.directory / "old.svg").read_text(encoding="utf-8"))


class Refused(PicturesTest):
    """Before anything is measured, and so that nothing is lost."""

    def fail_without(self, code, name, *arguments, **variables):
        said = self.fail_with(code, *OFFSETS, *arguments, "-o", self.path(name), "-o", self.path("kept.json"),
                              env=environment(**variables))
        self.assertFalse((self.directory / "kept.json").exists())
        self.assertFalse((self.directory / name).exists())
        return said

    def test_without_python(self):
        said = self.fail_without(3, "page.html", PATH=self.path("nowhere"))
        self.assertIn("install Python 3.9 or newer; --output FILE.json keeps a report", said)

    def test_without_matplotlib(self):
        self.put("hidden/matplotlib.py", "raise ImportError('there is none')")
        said = self.fail_without(3, "figure.png", PYTHONPATH=self.path("hidden"))
        self.assertIn("pip install matplotlib", said)
        self.assertIn(".html does without", said)

    def test_an_old_python(self):
        self.put("bin/python3", "#!/bin/sh\necho 'python3 is 3.6, and drawing takes 3.9 or newer' >&2\nexit 3\n")
        said = self.fail_without(3, "page.html", PATH=self.path("bin"))
        self.assertIn("python3 is 3.6", said)

    def test_what_has_no_figure(self):
        self.put("bin/python3", "#!/bin/sh\ncase \"$*\" in *--check*) ;; *) exec /usr/bin/env -i PATH=/usr/bin:/bin "
                                "python3 \"$@\";; esac\n")
        done = run("expect", "h200", "-o", self.path("e.svg"), env=environment(PATH=self.path("bin")))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agpumem: cannot draw '[^']+': there is no figure of this, but a page[^\n]+\n\Z")

    def test_what_goes_wrong_later_costs_nothing_else(self):
        self.put("bin/python3", "#!/bin/sh\ncase \"$*\" in *--check) ;; *) echo boom >&2; exit 7;; esac\n")
        done = run(*OFFSETS, "-o", self.path("page.html"), "-o", self.path("kept.json"),
                   env=environment(PATH=self.path("bin")))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agpumem: cannot draw '[^']+': python3 ended with 7: boom\n\Z")
        self.assertIn("offset", done.stdout)
        self.assertEqual(len(json.loads((self.directory / "kept.json").read_text(encoding="utf-8"))["results"]), 4)

    def test_a_picture_is_no_input(self):
        self.succeed(*OFFSETS, "--quiet", "-o", self.path("report.json"))
        (self.directory / "link.html").symlink_to(self.directory / "report.json")
        self.assertIn("it is read as well", self.fail_with(2, "show", self.path("report.json"), "-o", self.path("link.html")))


if __name__ == "__main__":
    unittest.main()
