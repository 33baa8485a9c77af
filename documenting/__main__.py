"""`python -m documenting`: write the made parts of the reference anew."""

from __future__ import annotations

from documenting.examples import ROOT
from documenting.pages import pages, write

for page in pages():
    print(f"{page.relative_to(ROOT)}: {'changed' if write(page) else 'as it was'}")
