"""Figure 4: what seeing ages in bands does to κ."""

from __future__ import annotations

from typing import Any

import numpy as np

from reidrisk.reports import Picture
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.koot.kappa_line import kappas
from reidrisk_papers.koot.towns import Towns, large, towns
from reidrisk_papers.pictures import Curve, curves
from reidrisk_papers.setting import Setting


def figure_4(setting: Setting) -> Rerun:
    """κ in bands of 1, 2 and 5 years."""
    held = towns(setting)
    bands = {width: _in_bands(held, width, 95) for width in (1, 2, 5)}
    even = {width: _in_bands(held, width, 90) for width in (1, 2, 5)}
    why = (
        "95 ages leave a last band of one year at width 2, which looks like unevenness; with 90 "
        "ages all bands are equal, and κ falls everywhere. κ of different N can't be compared as "
        "it stands."
    )
    ours = {
        f"kappa_{w}": Ours(float(np.median(bands[w])), float(np.median(even[w]))) for w in bands
    }
    for width in (2, 5):
        as_printed, divided = (float(np.mean(each[width] < each[1])) for each in (bands, even))
        ours[f"falls_{width}"] = Ours(as_printed, divided, why if width == 2 else "")
    order = np.argsort(bands[1])
    parts = [
        Curve(f"bands of {width}", [(float(i), float(k)) for i, k in enumerate(found[order])])
        for width, found in bands.items()
    ]
    picture = Picture(
        lambda width: curves(parts, "towns, by κ of single ages", "κ", width),
        "κ of each town for single ages and bands of two and five years.",
        "Ages 0 to 94, as in the paper.",
    )
    return Rerun(ours, held.data, [picture])


def _in_bands(held: Towns, width: int, ages: int) -> Any:
    how = {} if width == 1 else {"bands": {"age": width}}
    return kappas(large(held.group(["age"], 8, ages=ages, **how)))
