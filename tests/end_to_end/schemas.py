"""Holds documents against the JSON Schemas in report/schema."""

import functools
import unittest
from pathlib import Path

from harness import ProgramTest, strict_json

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "report" / "schema"


@functools.cache
def all_schemas():
    return {file.name: strict_json(file.read_text()) for file in SCHEMAS.glob("*.json")}


def validator_of(schema):
    """It finds other schemas, which a schema may refer to, by the names of their files."""
    others = all_schemas()
    try:
        from referencing import Registry, Resource
    except ImportError:  # of jsonschema before 4.18
        return jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver("", schema, store=others))
    registry = Registry().with_resources((name, Resource.from_contents(other)) for name, other in others.items())
    return jsonschema.Draft202012Validator(schema, registry=registry)


def complaints(schema, document):
    """The errors of a document, each with its JSON pointer."""
    return ["/" + "/".join(map(str, error.absolute_path)) + ": " + error.message[:200]
            for error in validator_of(schema).iter_errors(document)]


@unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
class SchemaTest(ProgramTest):
    name = ""

    def setUp(self):
        super().setUp()
        if not self.name:
            self.skipTest("what the tests of each schema share")
        self.schema = strict_json((SCHEMAS / f"{self.name}.schema.json").read_text())

    def assert_valid(self, document, what):
        self.assertEqual(complaints(self.schema, document), [], what)

    def assert_invalid(self, document, what):
        self.assertNotEqual(complaints(self.schema, document), [], what)

    def assert_all_valid(self, files):
        files = list(files)
        self.assertGreater(len(files), 1)
        for file in files:
            with self.subTest(file=file.name):
                self.assert_valid(strict_json(file.read_text()), file)
