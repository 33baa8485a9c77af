"""The guard: every request passes it before anything else sees it, and every answer after.

- Host: a page that was pointed here by somebody else's name (DNS rebinding) gets 421.
- Origin and Sec-Fetch-Site: what another site's page sends gets 403.
- Token: where one is set, who hasn't shown it gets 401; it is compared in constant time.
- Session: a question that changes or costs something says the word that only our page knows,
  in a header that other sites can't set without asking first; otherwise 403.
- Answers may load nothing from elsewhere, run no script but ours, and be framed by nobody.

Whatever fails behind it is told by where it failed, never by its own words: they may quote a
record.

Settings: where the page is served, to whom, and how much it may hold.
"""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reidrisk import machine
from reidrisk.errors import where_it_failed

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
    memory_limit: int = field(default_factory=machine.usual_limit)
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


SESSION_HEADER = "x-reidrisk-session"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class Guard:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        began = False

        async def guarded(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            answer = self.refusal(scope) or self.app
            await answer(scope, receive, guarded)
        except Exception as error:
            if not began:
                told = {"kind": "fault", "message": f"reidrisk failed: {where_it_failed(error)}"}
                fault = JSONResponse(
                    {"error": told | {"hint": "this is an error in reidrisk; please report it"}},
                    500,
                )
                await fault(scope, receive, guarded)

    def refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that goes no further; None lets it pass."""
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or not self.settings.serves(_name(headers["host"])):
            return PlainTextResponse("This page isn't served under that name.", 421)
        if _from_elsewhere(scope, headers):
            return PlainTextResponse("That request came from another site.", 403)
        if self.settings.token is not None:
            refused = self._without_token(scope, headers)
            if refused is not None:
                return refused
        if scope["method"] not in ("GET", "HEAD") and not _same(
            headers.get(SESSION_HEADER, ""), self.settings.session
        ):
            return PlainTextResponse("That request didn't come from this page.", 403)
        return None

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        """Whoever shows the token gets a cookie, and an address without it."""
        held = _cookie(headers, self.settings.cookie)
        if held is not None and _same(held, self.settings.session):
            return None
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        shown = asked.get("token", [""])[0]
        if scope["path"] == "/" and _same(shown, self.settings.token or ""):
            entered = RedirectResponse("/", 303)
            entered.set_cookie(
                self.settings.cookie, self.settings.session, httponly=True, samesite="strict"
            )
            return entered
        return PlainTextResponse(
            "This page needs its token: open the address that `reidrisk serve` printed.", 401
        )


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _from_elsewhere(scope: Scope, headers: Headers) -> bool:
    """By Origin, which has to be this page's own, and by what browsers say of the request."""
    origin = headers.get("origin")
    if origin is not None and origin != f"{scope.get('scheme', 'http')}://{headers['host']}":
        return True
    site = headers.get("sec-fetch-site", "none")
    if site in ("none", "same-origin"):
        return False
    # A link to the page may stand anywhere; what it opens can't be read or framed from there.
    opened = headers.get("sec-fetch-mode") == "navigate"
    alone = headers.get("sec-fetch-dest") == "document"
    return not (opened and alone and scope["method"] == "GET" and scope["path"] == "/")


def _same(shown: str, expected: str) -> bool:
    return bool(expected) and secrets.compare_digest(shown.encode(), expected.encode())


def _cookie(headers: Headers, name: str) -> str | None:
    held = SimpleCookie()
    try:
        held.load(headers.get("cookie", ""))
    except CookieError:
        return None
    return held[name].value if name in held else None
