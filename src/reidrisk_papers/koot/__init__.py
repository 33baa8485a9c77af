"""Koot, Mandjes, van 't Noordende and de Laat (2011): are all k members of a group unique?

The paper asks it of 428 Dutch municipalities by age, and answers with one published number each,
κ, how far a municipality's ages are from equally likely.
"""

from __future__ import annotations
