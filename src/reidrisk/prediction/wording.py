"""What every prediction about a person takes for granted, by what is known of them."""

from __future__ import annotations

_VALUES = "Values that aren't strongly dependent are independent of each other."
_EXACT = "Exactly these values are known of the person, without error."

GRANTED: dict[str, tuple[str, ...]] = {
    "member": (
        "The person is in the table, so they are one of their crowd.",
        _EXACT,
        _VALUES,
    ),
    "paper": (
        "Somebody in the table has the tuple (TFRR eq. 12); that it is the person isn't used, "
        "which makes crowds too small.",
        _EXACT,
        _VALUES,
    ),
    "unknown": (
        "It isn't known whether the person is in the table, or whether anybody has the tuple.",
        _EXACT,
        _VALUES,
    ),
}
