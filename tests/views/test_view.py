from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reidrisk.searches.lattice import Lattice, Step, usual_size
from tests.views.brute import all_views, coarser, lattices


@given(lattices())
def test_bits_say_which_view_is_coarser(lattice: Lattice) -> None:
    views = all_views(lattice)
    bits = [lattice.bits(view) for view in views]
    assert [lattice.view(one) for one in bits] == views
    for one, view in zip(bits, views, strict=True):
        assert [lattice.names[j] for j, level in enumerate(view) if level] == list(
            lattice.columns(one)
        )
        for other, wider in zip(bits, views, strict=True):
            assert (one & ~other == 0) == coarser(view, wider)


@given(lattices())
def test_views_are_listed_once_and_counted(lattice: Lattice) -> None:
    listed = list(lattice.all_bits())
    assert sorted(listed) == sorted(map(lattice.bits, all_views(lattice)))
    assert lattice.views == len(listed)
    for first in range(lattice.attributes + 1):
        for most in range(lattice.attributes + 1):
            above = [
                view
                for view in all_views(Lattice(lattice.names, lattice.heights, lattice.attributes))
                if not any(view[:first]) and sum(level > 0 for level in view) <= most
            ]
            assert lattice.above(first, most) == len(above)


@given(lattices(), st.data())
def test_steps_and_next_bits(lattice: Lattice, data: st.DataObject) -> None:
    view = data.draw(st.sampled_from(all_views(lattice)))
    bits = lattice.bits(view)
    for more in lattice.next_bits(bits):
        up = lattice.view(bits | more)
        assert sum(up) == sum(view) + 1
        assert coarser(view, up)
    for raised, step in lattice.steps.items():
        assert lattice.raised(step) == raised
        assert lattice.view(raised)[step.attribute] == step.level
    assert lattice.view(lattice.from_on(0)) == lattice.heights


def test_how_many_attributes_are_usual() -> None:
    assert usual_size((1,) * 17) == 17
    assert usual_size((1,) * 41) == 4
    assert usual_size((1,) * 100) == 3
    assert usual_size((1,)) == 1


def test_many_attributes_need_no_more_than_whole_numbers() -> None:
    lattice = Lattice.of_knowledge([f"c{j}" for j in range(300)], 2)
    assert lattice.views == 300 + 300 * 299 // 2
    assert lattice.columns(lattice.raised(Step(299, 1))) == ("c299",)
