"""The four papers rerun: what each reports, ours as published, ours improved, and why they differ.

    expected.toml ──┐
    (the paper's)   ├──▶ Figure ──▶ Reproduction ──▶ page · JSON · terminal
    figures.py ─────┘
    (ours)

One folder a paper. Whatever is computed uses reidrisk's public names alone, so that these folders
are also the longest example of using it; only pictures and tables are drawn with the report's own.
"""

from __future__ import annotations
