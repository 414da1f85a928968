"""Security headers of pages: the sources that they may load, and the sites that may frame them."""

from collections.abc import Sequence

from starlette.datastructures import MutableHeaders

# Pages load only files of this installation.
_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; "
)


def protect(headers: MutableHeaders, path: str, scripts: Sequence[str] = ()) -> None:
    """Set the security headers of a page. Other sites may frame only embedded figures.

    Args:
        scripts: digests of the scripts inside the page, such as `sha256-…`.
    """
    ancestors = "*" if path.lstrip("/").startswith("embed/") else "'none'"
    policy = _POLICY
    if scripts:
        digests = " ".join(f"'{digest}'" for digest in scripts)
        policy += f"script-src 'self' {digests}; "
    headers["Content-Security-Policy"] = f"{policy}frame-ancestors {ancestors}"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "strict-origin-when-cross-origin"
