"""Watches commands with `gpumem run` where there is no GPU, for the tests of what it does and shows."""

import subprocess

from harness import PROGRAM, ProgramTest, environment

NOTE = r"\Agpumem: [^\n]+ did not use CUDA, so there is nothing to show\n\Z"


class RunTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.directory / "tmp"
        self.temporary.mkdir()
        self.variables = environment(TMPDIR=str(self.temporary))

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [], "left behind")

    def watch(self, *command, options=(), **more):
        """`gpumem run` with bytes, not text."""
        return subprocess.run([PROGRAM, "run", *options, "--", *command], capture_output=True, timeout=60, check=False,
                              env=more.pop("env", self.variables), **more)

    def unused(self, done):
        """Asserts that nothing was said but that there was nothing."""
        self.assertRegex(done.stderr.decode(), NOTE)

    def start(self, *command, **more):
        process = subprocess.Popen([PROGRAM, "run", "--", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.variables, **more)
        self.addCleanup(process.kill)
        return process

    def with_cupti(self):
        """Its library is looked for, and nobody loads it here."""
        library = self.directory / "libcupti.so"
        library.touch()
        return self.variables | {"GPUMEM_CUPTI": str(library)}

    def refused(self, *arguments, code=2, **more):
        return self.fail_with(code, "run", *arguments, env=more.pop("env", self.variables), **more)
