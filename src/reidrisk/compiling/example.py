"""Small tables to start from: made up, as an office would publish them."""

from __future__ import annotations

from pathlib import Path

from reidrisk.errors import UnwritableOutput
from reidrisk.writing import refuse_unwritable, whole_file

_TABLES = {
    "age.csv": "age,people\n18-24,2000\n25-44,4500\n45-64,2500\n65+,1000\nTotal,10000\n",
    "sex.csv": "sex,per cent\nfemale,52.0\nmale,48.0\n",
    "age_by_sex.csv": (
        "age,female,male,Total\n18-24,1180,820,2000\n25-44,2300,2200,4500\n"
        "45-64,1200,1300,2500\n65+,520,480,1000\nTotal,5200,4800,10000\n"
    ),
}


def write_example_tables(folder: Path) -> list[Path]:
    """An attribute, one in per cent, and a cross-table of both, into a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableOutput(f"{folder} can't be made: {error.strerror}") from None
    written = [folder / name for name in _TABLES]
    for path in written:
        refuse_unwritable(path)
    for path in written:
        with whole_file(path) as beside:
            beside.write_text(_TABLES[path.name], encoding="utf-8")
    return written
