"""Security headers of pages: the sources that they may load, and the sites that may frame them."""

from starlette.datastructures import MutableHeaders

# Pages load only files of this installation.
_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; "
)


def protect(headers: MutableHeaders, path: str) -> None:
    """Set the security headers of a page. Other sites may frame only embedded figures."""
    ancestors = "*" if path.lstrip("/").startswith("embed/") else "'none'"
    headers["Content-Security-Policy"] = f"{_POLICY}frame-ancestors {ancestors}"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "strict-origin-when-cross-origin"
