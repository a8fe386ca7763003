"""Makes mkdocs take the pages beside docs/ too (mkdocs.yml), with links as they lead in the site. README.md is the first
page. Files that pages link to are part of the site; of a folder its name is left."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BESIDE = {"README.md": "index.md", **{name: name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
                                                              "configs/reference/README.md")}}
SOURCES = {uri: ROOT / name for name, uri in BESIDE.items()}
LINK = re.compile(r"\]\(([^)\s:#]+)(#[^)\s]*)?\)")
WORDS = re.compile(r"\[([^\[\]]*)" + LINK.pattern)


def source_of(uri):
    return SOURCES.get(uri, DOCS / uri)


def uri_of(target):
    """The place of a file in the site; None for one that is no file of this repository."""
    if not target.is_file() or not target.is_relative_to(ROOT):
        return None
    name = target.relative_to(ROOT).as_posix()
    return BESIDE.get(name, target.relative_to(DOCS).as_posix() if target.is_relative_to(DOCS) else name)


def on_files(files, config):
    for uri, source in SOURCES.items():
        files.append(File.generated(config, uri, abs_src_path=str(source)))
    for page in list(files.documentation_pages()):
        source = source_of(page.src_uri)
        for link in LINK.finditer(source.read_text(encoding="utf-8")):
            target = (source.parent / link[1]).resolve()
            uri = uri_of(target)
            if uri and not files.get_file_from_path(uri):
                files.append(File.generated(config, uri, abs_src_path=str(target)))
    return files


def on_page_markdown(markdown, page, **_):
    source = source_of(page.file.src_uri)

    def without_folder(link):
        return link[1] if (source.parent / link[2]).is_dir() else link[0]

    def in_the_site(link):
        uri = uri_of((source.parent / link[1]).resolve())
        return f"]({posixpath.relpath(uri, posixpath.dirname(page.file.src_uri))}{link[2] or ''})" if uri else link[0]

    return LINK.sub(in_the_site, WORDS.sub(without_folder, markdown))
