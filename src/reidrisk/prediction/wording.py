"""What every prediction about a person takes for granted, by what is known and what is used."""

from __future__ import annotations

_EXACT = "Exactly these values are known of the person, without error."

GRANTED: dict[str, tuple[str, ...]] = {
    "member": ("The person is in the table, so they are one of their crowd.", _EXACT),
    "paper": (
        "Somebody in the table has the tuple (TFRR eq. 12); that it is the person isn't used, "
        "which makes crowds too small.",
        _EXACT,
    ),
    "unknown": (
        "It isn't known whether the person is in the table, or whether anybody has the tuple.",
        _EXACT,
    ),
}

HOW: dict[str, str] = {
    "tree": "Values depend on each other only through the pair tables used.",
    "pairwise": "Values are as independent as the pair tables allow.",
    "groups": "Values that aren't strongly dependent are independent of each other.",
    "pair": "Values other than the surest strongly dependent pair are independent.",
    "paper": "Values other than the surest strongly dependent pair are independent, and draws are "
    "with replacement (TFRR eqs. 10 and 11).",
    "independent": "Values are independent of each other.",
}

MODELS: dict[str, str] = {
    "tree": "recursive hypergeometric along a tree of pair tables",
    "pairwise": "pairwise",
    "groups": "recursive hypergeometric with groups",
    "pair": "recursive hypergeometric with one pair",
    "paper": "binomial, as printed",
    "independent": "recursive hypergeometric",
}
MIXTURE = (
    "Some of these values' counts are hidden: the figures are a mixture over what they may be, the "
    "range is from the one to the other end of it."
)
