"""A small page in place of the built page of exported runs, for tests without a built interface."""

import html
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from backend.api.results.sharing import exported_page

# The built page has the program between the title and the place of the run.
PROGRAM = "<script>" + "// Größe ✓\n" * 60_000 + "</script>"
_PAGE = f"""<!doctype html><head><title>Tacho</title>
{PROGRAM}</head><body>
<!-- run -->
</body></html>
"""


@contextmanager
def use_small_page(folder: Path) -> Iterator[None]:
    """Export runs with the small page, which is written to the folder."""
    page = folder / "export.html"
    page.write_text(_PAGE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exported_page, "PAGE", page)
        exported_page._read_page.cache_clear()
        yield
    exported_page._read_page.cache_clear()


def read_responses(text: str) -> dict[str, Any]:
    """Return the responses in a file by path, read as an HTML parser does."""
    elements = re.findall(
        r'<script type="application/json" data-path="([^"]*)">(.*?)</script', text, re.DOTALL
    )
    return {html.unescape(path): json.loads(content) for path, content in elements}
