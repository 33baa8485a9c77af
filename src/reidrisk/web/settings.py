"""Settings: where the page is served, to whom, and how much it may hold."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field

from reidrisk import memory

USUAL_UPLOAD = 500 * 10**6
# A question is a few names and numbers; more is no question.
LARGEST_QUESTION = 1 << 20
MOST_HELD = 64
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Settings:
    """`token` is asked of every visitor where it is set; `session` of every question."""

    host: str = "127.0.0.1"
    token: str | None = None
    upload_limit: int = USUAL_UPLOAD
    memory_limit: int = field(default_factory=memory.usual_limit)
    most_held: int = MOST_HELD
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """Its name: cookies are shared between ports, so each page has one of its own."""
        return f"reidrisk-{hashlib.sha256(self.session.encode()).hexdigest()[:8]}"

    def serves(self, name: str) -> bool:
        """Whether a browser may call this page by such a name, without its port.

        The port doesn't matter, a tunnel may change it; a name that somebody else can point here
        does. Beyond loopback an address is no name, and this machine's own names are its own.
        """
        if name in LOOPBACK_NAMES or is_loopback(name):
            return True
        if is_loopback(self.host):
            return False
        return name == self.host or _is_address(name) or name in _own_names()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_names() -> set[str]:
    """As the machine calls itself; nobody is asked."""
    own = socket.gethostname().lower()
    return {own, f"{own}.local"}
