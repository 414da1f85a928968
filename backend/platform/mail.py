"""Send e-mail by SMTP."""

import smtplib
import ssl
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from backend.platform.errors import PlatformError
from backend.platform.network import is_loopback

_TIMEOUT_SECONDS = 20.0
_PORTS = {"smtp": 587, "smtps": 465}


def send_mail(smtp_url: str, sender: str, receiver: str, subject: str, text: str) -> None:
    """Send a message as plain text.

    Args:
        smtp_url: `smtps://` for TLS from the beginning, `smtp://` for STARTTLS. A server on a
            loopback address may be without TLS.

    Raises:
        PlatformError: the server does not answer, has no TLS, or refuses the message.
    """
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, receiver, subject
    message.set_content(text)
    try:
        with _connect(smtp_url) as server:
            server.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        raise PlatformError(f"The mail server refused a message: {error}") from error


def _connect(smtp_url: str) -> smtplib.SMTP:
    parts = urlsplit(smtp_url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    context = ssl.create_default_context()
    if parts.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            host, port, timeout=_TIMEOUT_SECONDS, context=context
        )
    else:
        server = smtplib.SMTP(host, port, timeout=_TIMEOUT_SECONDS)
        server.ehlo()
        if server.has_extn("starttls"):
            server.starttls(context=context)
        elif not is_loopback(host):
            server.close()
            raise smtplib.SMTPNotSupportedError("it does not support STARTTLS")
    if parts.username:
        server.login(unquote(parts.username), unquote(parts.password or ""))
    return server
