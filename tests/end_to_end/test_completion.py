"""The completion scripts in the shells they are for, and the manual page."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness import PROGRAM, ProgramTest, environment, run

MOST_LINES_OF_MANUAL = 830
AXES = ("--offset", "--stride", "--bank-stride", "--transfer")


def shell(name):
    """Skips where the shell is missing."""
    return unittest.skipIf(shutil.which(name) is None, f"there is no {name} here")


class Words:
    """Tests of the words that every shell has to offer. `complete(line)` gives the candidates for the last word of a
    line, sorted."""

    def setUp(self):
        super().setUp()
        for name in ("run.json", "notes.txt", "two words.json"):
            (self.directory / name).touch()
        (self.directory / "folder").mkdir()
        self.script = self.directory / "script"
        self.script.write_text(self.succeed("completion", self.shell))
        # The scripts ask the program of the line.
        programs = tempfile.TemporaryDirectory()
        self.addCleanup(programs.cleanup)
        (Path(programs.name) / "gpumem").symlink_to(Path(PROGRAM).resolve())
        self.path = f"{programs.name}:{os.environ['PATH']}"

    def offers(self, line, *expected):
        self.assertEqual(self.complete(line), sorted(expected), line)

    def offers_among_others(self, line, *expected):
        self.assertLessEqual(set(expected), set(self.complete(line)), line)

    def test_commands(self):
        self.offers("gpumem pr", "probe")
        self.offers_among_others("gpumem ", "probe", "check", "compare", "explain", "list", "devices", "completion")

    def test_options_of_the_command(self):
        self.offers_among_others("gpumem probe --", *AXES, "--backend", "--output", "--help")
        self.offers("gpumem probe --ba", "--backend", "--bank-stride", "--batching")
        self.offers("gpumem devices --j", "--json")
        self.offers("gpumem devices --ba")

    def test_options_of_the_probe_at_hand(self):
        for line in ("gpumem probe offset --", "gpumem probe --offset 0..32 --", "gpumem probe --quiet offset --"):
            offered = set(self.complete(line))
            self.assertLessEqual({"--offset", "--op", "--word-bytes", "--backend", "--output", "--help"}, offered)
            self.assertEqual(offered & {"--stride", "--bank-stride", "--transfer", "--size"}, set(), line)
        self.offers("gpumem probe offset --o", "--offset", "--op", "--output")
        self.offers("gpumem probe offset --st")
        self.offers_among_others("gpumem probe offset stride --", "--offset", "--stride")
        self.offers("gpumem probe bank --op ", "read", "write")
        self.offers("gpumem help of", "offset")

    def test_every_option_in_help(self):
        for command in re.findall(r"^  ([a-z]+) ", run("--help").stdout, re.MULTILINE):
            with self.subTest(command):
                shown = re.findall(r"^  (?:-\w,)?(--[a-z-]+)", run(command, "--help").stdout, re.MULTILINE)
                self.assertLessEqual({"--help"}, set(shown))
                self.offers_among_others(f"gpumem {command} --", *shown)

    def test_fixed_choices(self):
        self.offers("gpumem probe --backend ", "auto", "cuda", "model")
        self.offers("gpumem probe --backend m", "model")
        self.offers("gpumem probe --format c", "csv")
        self.offers("gpumem probe --numa ", "gpu", "off")
        self.offers("gpumem completion ", "bash", "fish", "zsh")

    def test_names(self):
        self.offers("gpumem probe offset stri", "stride")
        self.offers("gpumem list coa", "coalesced")
        self.offers_among_others("gpumem probe --gpu ", "h200", "v100", "run.json")
        self.offers("gpumem check smo", "smoke")

    def test_options_before_a_name(self):
        self.offers("gpumem probe --quiet --op read off", "offset")
        self.offers("gpumem explain --format text ru", "run.json")

    def test_lists(self):
        self.offers("gpumem probe --lanes ", "aligned", "permuted", "reversed", "subset")
        self.offers("gpumem probe --lanes al", "aligned")
        self.offers("gpumem probe --word-bytes 1", "1", "16")

    def test_optional_values(self):
        self.offers("gpumem probe --transfer pi", "pinned")
        self.offers("gpumem probe --transfer --dr", "--dry-run")

    def test_files(self):
        self.offers_among_others("gpumem probe --output ", "notes.txt", "run.json")
        self.offers("gpumem explain ru", "run.json")
        self.assertNotIn("notes.txt", self.complete("gpumem explain "))


    def test_command_of_somebody_else(self):
        self.offers("gpumem run ", "--")
        self.offers_among_others("gpumem run --", "--kernel", "--output")
        self.offers_among_others("gpumem run --launches 2 -- gp", "gpumem")
        self.offers_among_others("gpumem run -- cat --output no", "notes.txt")


class WholeWords(Words):
    """Tests of shells that replace the whole word and show what options are for."""

    def test_lists_go_on(self):
        self.offers("gpumem probe --lanes aligned,", "aligned,permuted", "aligned,reversed", "aligned,subset")
        self.offers("gpumem probe --op=read,wr", "--op=read,write")

    def test_values_after_an_equals_sign(self):
        self.offers("gpumem probe --backend=m", "--backend=model")
        self.offers("gpumem probe --counters=", "--counters=require")
        self.offers("gpumem probe --transfer=pi", "--transfer=pinned")

    def test_files_after_an_equals_sign(self):
        self.offers("gpumem probe --output=no", self.file_after_equals_sign)


@shell("bash")
class Bash(Words, ProgramTest):
    shell = "bash"

    def complete(self, line):
        """As readline would: words apart at spaces, '=' and ':'."""
        words = [word for word in re.split(r" +|(?<=[=:])|(?=[=:])", line) if word]
        if line.endswith(" "):
            words.append("")
        ask = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpumem; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "--norc", "-c", ask, "bash", str(self.script), *words], cwd=self.directory,
                              capture_output=True, text=True, timeout=60, check=False,
                              env=environment(PATH=self.path))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(one for one in done.stdout.splitlines() if one)

    def test_lists_go_on(self):
        self.offers("gpumem probe --lanes aligned,", "aligned,permuted", "aligned,reversed", "aligned,subset")
        self.offers("gpumem probe --op read,wr", "read,write")

    def test_values_after_an_equals_sign(self):
        self.offers("gpumem probe --op=re", "read")  # bash replaces only what follows the '='
        self.offers("gpumem probe --op=read,wr", "read,write")
        self.offers("gpumem probe --backend=", "auto", "cuda", "model")
        self.offers("gpumem probe --counters=", "require")
        self.offers("gpumem probe --stride 0..8:2 --format m", "markdown")

    def test_files_after_an_equals_sign(self):
        self.offers("gpumem probe --output=no", "notes.txt")

    def test_files_of_any_name(self):
        self.offers("gpumem explain ", "folder", "run.json", "two words.json")


@shell("fish")
class Fish(WholeWords, ProgramTest):
    shell = "fish"
    file_after_equals_sign = "--output=notes.txt"

    def setUp(self):
        super().setUp()
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)

    def answer(self, line):
        done = subprocess.run(["fish", "--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', str(self.script), line],
                              cwd=self.directory, capture_output=True, text=True, timeout=60, check=False,
                              env=environment(HOME=self.home.name, PATH=self.path))
        self.assertEqual(done.stderr, "")
        return done.stdout

    def complete_in_order(self, line):
        return [one.split("\t")[0] for one in self.answer(line).splitlines()]

    def complete(self, line):
        return sorted(self.complete_in_order(line))

    def test_files(self):
        self.offers_among_others("gpumem probe --output ", "notes.txt", "run.json")
        self.offers("gpumem explain ru", "run.json")
        self.assertEqual(self.complete_in_order("gpumem explain ")[:2], ["run.json", "two words.json"])

    def test_help_beside_the_options(self):
        self.assertIn("--backend\tcuda measures, and fails without a GPU\n", self.answer("gpumem probe --back"))


@shell("zsh")
class Zsh(WholeWords, ProgramTest):
    shell = "zsh"
    file_after_equals_sign = "notes.txt"

    # Candidates go to a file, the line is thrown away; `compadd` is how completions are offered in zsh.
    SETUP = """
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- $hits >> $CANDIDATES
  builtin compadd "$@"
}
report_candidates() { _main_complete; print -r -- 'END' >> $CANDIDATES; compstate[insert]=''; compstate[list]='' }
zle -C report_candidates complete-word report_candidates
bindkey '^I' report_candidates
print -r -- END >> $CANDIDATES
"""

    def setUp(self):
        super().setUp()
        self.candidates = self.directory / "candidates.txt"
        self.script.rename(self.directory / "_gpumem")
        setup = self.directory / "setup"
        setup.write_text(f"fpath=({self.directory} $fpath)\nautoload -Uz compinit\ncompinit -u -D\n" + self.SETUP)
        self.terminal, ours = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        self.process = subprocess.Popen(["zsh", "-f", "-i"], stdin=ours, stdout=ours, stderr=ours, cwd=self.directory,
                                        env=environment(CANDIDATES=str(self.candidates), TERM="dumb", PATH=self.path),
                                        start_new_session=True)
        os.close(ours)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.type(f" source {setup}\n")

    def type(self, text):
        """Types, and waits for the candidates."""
        self.candidates.write_text("")
        os.write(self.terminal, text.encode())
        shown = b""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.02)[0]:
                shown += os.read(self.terminal, 65536)
            lines = self.candidates.read_text().splitlines()
            if lines and lines[-1] == "END":
                return lines[:-1]
        self.fail(f"zsh did not answer to {text!r}, but showed {shown.decode(errors='replace')}")

    def complete(self, line):
        # ^U empties the line before.
        return sorted(set(one.strip() for one in self.type("\x15" + line + "\t")) - {"candidates.txt"})


class Scripts(ProgramTest):
    def test_the_cursor_may_stand_anywhere(self):
        for words in ((), ("",), ("nothing", ""), ("probe", "--nothing="), ("--", ""), ("list", "offset", ""), ("manual", "")):
            self.succeed("--complete", *words)

    def test_usage(self):
        self.assertIn("bash, zsh or fish", self.fail_with(2, "completion"))
        self.assertIn("'tcsh'", self.fail_with(2, "completion", "tcsh"))

    def test_every_value_is_known(self):
        """A value's name in capitals stands for something that completion offers, or for what nobody can list."""
        offered = {"PROBE", "PROFILE", "SUITE", "REPORT", "OLD", "NEW", "FILE"}
        free = {"VALUES", "N", "UUID", "PCI-ID", "SHARE", "TIME", "NAME", "CASE", "COLUMN", "MORE", "REGEX"}
        for command in re.findall(r"^  ([a-z]+) ", self.succeed("--help"), re.MULTILINE):
            text = self.succeed(command, "--help")
            values = re.findall(r"^  (?:-\w,)?--[a-z-]+ (\S+)", text, re.MULTILINE)
            for word in re.findall(r"[A-Z][A-Z-]*", " ".join(values)):
                self.assertIn(word, offered | free, command)


class Manual(ProgramTest):
    def setUp(self):
        super().setUp()
        self.page = self.succeed("manual")

    def rendered(self, *command):
        done = subprocess.run(command, input=self.page, capture_output=True, text=True, timeout=60, check=False,
                              env=environment(MANWIDTH="80", LC_ALL="C.UTF-8"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_sections(self):
        sections = re.findall(r"^\.SH (.*)$", self.page, re.MULTILINE)
        self.assertEqual(sections, ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "PROBES", "EXIT STATUS",
                                    "ENVIRONMENT", "FILES", "SEE ALSO"])

    def test_it_is_short(self):
        self.assertLessEqual(self.page.count("\n"), MOST_LINES_OF_MANUAL)

    def test_every_command_and_option(self):
        """Options that several commands share stand once, and by name under each."""
        plain = self.page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "")
        shared = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH ", plain, re.MULTILINE | re.DOTALL)[1]
        for command in re.findall(r"^  ([a-z]+) ", self.succeed("--help"), re.MULTILINE):
            section = re.search(rf"^\.SS gpumem {command} .*?\n(.*?)(?=^\.S[SH] )", plain, re.MULTILINE | re.DOTALL)
            self.assertIsNotNone(section, command)
            for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", self.succeed(command, "--help"), re.MULTILINE):
                entry = re.compile(rf"^\.TP\n(-\w, )?{option}\b", re.MULTILINE)
                named = re.search(rf"Shared options:[^.]* {option}[,.]", " ".join(section[1].split()))
                own, others = entry.search(section[1]), named and entry.search(shared)
                self.assertEqual(bool(own) + bool(others), option != "--help", f"{command} {option}")

    @unittest.skipIf(shutil.which("groff") is None, "there is no groff here")
    def test_groff_has_nothing_to_say(self):
        self.rendered("groff", "-man", "-Tutf8", "-ww", "-z")

    @unittest.skipIf(shutil.which("mandoc") is None, "there is no mandoc here")
    def test_mandoc_has_nothing_to_say(self):
        done = subprocess.run(["mandoc", "-Tlint", "-Wwarning"], input=self.page, capture_output=True, text=True, timeout=60,
                              check=False)
        complaints = [line for line in done.stdout.splitlines() if "missing date" not in line]  # of a tarball
        self.assertEqual(complaints, [])

    @unittest.skipIf(shutil.which("groff") is None, "there is no groff here")
    def test_values_are_whole(self):
        text = re.sub(r"\x1b\[[0-9;]*m", "", self.rendered("groff", "-man", "-Tutf8", "-ww", "-P-c"))
        text = re.sub(r".\x08", "", text)
        for probe in json.loads(self.succeed("list", "--json")):
            self.assertRegex(text, rf"(?m)^ +{probe['name']}  +{re.escape(probe['purpose'][:30])}")
        self.assertIn("--backend cuda|model|auto", text)
        self.assertIn("--counters[=require]", text)


if __name__ == "__main__":
    unittest.main()
