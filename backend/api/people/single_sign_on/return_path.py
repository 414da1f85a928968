"""The page to return to after signing in. `frontend/src/lib/return-path.ts` has the same rule."""

import re
import unicodedata
from posixpath import normpath
from urllib.parse import unquote, urlsplit

# Not "//host" or "/\host", which browsers read as another site.
_OWN_PATH = re.compile(r"/(?![/\\])")
_SIGN_IN_PAGES = frozenset({"/sign-in", "/join"})


def is_return_path(text: str) -> bool:
    """Return whether text is the path of a page of this installation that needs no signing in."""
    # Browsers remove some control characters from an address.
    if not _OWN_PATH.match(text) or any(unicodedata.category(sign) == "Cc" for sign in text):
        return False
    path = unquote(urlsplit(f"http://own.invalid{text}").path).replace("\\", "/")
    return normpath(path) not in _SIGN_IN_PAGES
