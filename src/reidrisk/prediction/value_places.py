"""Value places: many records' texts become places among an attribute's values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.conditioned import Given
from reidrisk.statistics.settling import SettledAttribute

NOWHERE = -1
Places = NDArray[np.int64]


class ValuePlaces:
    """Looks each different text up once; a text that isn't listed has no place (−1).

    Where values are lumped together it is one of them. Under `member` and `paper` a value that
    nobody holds has no place either: nobody with it is in the table.
    """

    def __init__(self, attribute: SettledAttribute, given: Given) -> None:
        self.attribute = attribute
        self._empty_seen = False
        self._nobody = given != "unknown"
        self._place: dict[str | None, int] = {}
        self._dictionary: tuple[tuple[int, ...], Places, Any] | None = None
        self.forgiven = self.lumped = self.unlisted = self.without = 0

    def of(self, column: Any) -> Places:
        """The place of each record's text."""
        import pyarrow as pa

        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        places = np.append(self._places(coded.dictionary), self._placed(None))
        indices = coded.indices
        missing = len(coded.dictionary)
        self._empty_seen |= coded.null_count > 0
        if coded.null_count:
            indices = indices.cast(pa.int64()).fill_null(missing)
        found: Places = places[indices.to_numpy(zero_copy_only=False)]
        return found

    def _places(self, dictionary: Any) -> Places:
        # The same dictionary comes with every batch, each time as another object.
        which = len(dictionary), *(held.address for held in dictionary.buffers() if held)
        if self._dictionary is None or self._dictionary[0] != which:
            texts = dictionary.to_pylist()
            found = np.array([self._placed(text) for text in texts], dtype=np.int64)
            # Held on to, so that no other dictionary can come to lie where it was.
            self._dictionary = (which, found, dictionary)
        return self._dictionary[1]

    def _placed(self, text: str | None) -> int:
        if text not in self._place:
            self._place[text] = self._looked_up(text)
        return self._place[text]

    def _looked_up(self, text: str | None) -> int:
        place = self._found(text)
        if place != NOWHERE and self._nobody and not self.attribute.expected_counts[place]:
            place = NOWHERE
        self.unlisted += place == NOWHERE and text is not None
        self.without += place == NOWHERE and text is None
        return place

    def _found(self, text: str | None) -> int:
        if text is None:
            return self.attribute.place.get(None, NOWHERE)
        match = self.attribute.known.match(text)
        if match is not None:
            self.forgiven += match.how != "exact"
            return self.attribute.place[match.value]
        if self.attribute.lumped:
            self.lumped += 1
            return len(self.attribute.values)
        return NOWHERE

    def said(self) -> list[str]:
        """Sentences with numbers, no values."""
        name, told = self.attribute.name, []
        if self.forgiven:
            told.append(f"{name}: {self.forgiven:,} values were matched by spelling or band.")
        if self.lumped:
            told.append(
                f"{name}: {self.lumped:,} values that aren't listed are taken as among those "
                "lumped together."
            )
        if self.unlisted:
            told.append(f"{name}: {self.unlisted:,} values aren't listed; their rows are empty.")
        if self.without and self._empty_seen:
            told.append(
                f"{name}: all people in the statistics have a value; rows without are empty."
            )
        return told
