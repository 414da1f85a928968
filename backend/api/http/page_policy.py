"""What pages may load, and who may show them in a frame."""

from starlette.datastructures import MutableHeaders

# Pages run only what this installation serves.
_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; "
)


def protect(headers: MutableHeaders, path: str) -> None:
    """Sets the security headers of a page; only figures made for it stand in others' frames."""
    ancestors = "*" if path.lstrip("/").startswith("embed/") else "'none'"
    headers["Content-Security-Policy"] = f"{_POLICY}frame-ancestors {ancestors}"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "strict-origin-when-cross-origin"
