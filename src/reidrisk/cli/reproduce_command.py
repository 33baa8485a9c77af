"""`reidrisk reproduce tfrr|r3a|koot|attack|all -o FOLDER`."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import click

from reidrisk.cli.arguments import command_again
from reidrisk.cli.options import force_option, json_option, seed_option
from reidrisk.cli.output import ProgressBar, bold, say, say_text

WHAT, WHY = 38, " " * 8


@click.command(
    "reproduce",
    epilog="\b\nExample:\n  reidrisk reproduce attack --quick -o out",
)
@click.argument("papers", nargs=-1, required=True, metavar="tfrr|r3a|koot|attack|all")
@click.option("-o", "--output", metavar="FOLDER", help="Where to write the page and its pictures.")
@click.option("--quick", is_flag=True, help="Use generated data; takes under five minutes.")
@click.option("--data", metavar="FOLDER", help="The folder with the public tables.")
@seed_option
@json_option
@click.option("--verbose", is_flag=True, help="Show how long each figure took, and why it differs.")
@click.option("--quiet", is_flag=True, help="Don't show progress.")
@force_option
@click.pass_context
def command(
    context: click.Context,
    /,
    papers: tuple[str, ...],
    output: str | None,
    quick: bool,
    data: str | None,
    seed: int,
    as_json: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Rerun the papers this tool builds on, and compare each of their values with ours.

    FOLDER/reproduction.html has, for each figure, the paper's value, ours by the published method,
    ours improved, and why they differ; reproduction.json has the same as data, pictures/ the
    charts. A figure whose public table isn't in --data is marked as not run. The page needs:
    pip install 'reidrisk[report]'.
    """
    reproduce = _rerunning()
    if output is not None:
        _refuse_unwritable(output)
    with ProgressBar(wanted=not quiet and not as_json) as bar:
        comparison = reproduce(
            papers, quick=quick, data=data, seed=seed, command=command_again(context), progress=bar
        )
        page = None if output is None else comparison.save(output)
    if as_json:
        say_text(comparison.to_json())
    else:
        _print(comparison, page, verbose)


def _rerunning() -> Any:
    """The reruns are a package of their own, beside the product in a clone of its repository."""
    try:
        from reidrisk_papers.rerunning import reproduce
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("reidrisk_papers"):
            raise
        from reidrisk.errors import InputError

        raise InputError(
            "the code that reruns the papers isn't part of this installation",
            "it is in the repository: clone it, run make demo, then .venv/bin/reidrisk reproduce",
        ) from None
    return reproduce


def _refuse_unwritable(output: str) -> None:
    """Before an hour of work, not after."""
    from reidrisk.errors import UnwritableOutput
    from reidrisk.output_files import refuse_unwritable
    from reidrisk.reports import refuse_without_libraries
    from reidrisk_papers.reproduction import DATA, PAGE

    refuse_without_libraries()
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableOutput(f"{output!r} can't be a folder: {error.strerror}") from None
    for name in (PAGE, DATA):
        refuse_unwritable(Path(output) / name)


def _print(comparison: Any, page: Path | None, verbose: bool) -> None:
    for each in comparison.papers:
        say(bold(each.paper.title))
        for figure in each.figures:
            _print_figure(figure, verbose)
        say("")
    say_text(textwrap.fill(comparison.summary(), 92))
    if comparison.not_run:
        say(
            "--quick runs all of them on generated data; docs/papers.md says where to get the "
            "tables."
        )
    if page is not None:
        say(f"\n  The page: {page}")


def _print_figure(figure: Any, verbose: bool) -> None:
    took = f"  ({figure.seconds:.1f} s)" if verbose else ""
    say(f"\n  {figure.reported.title}{took}")
    if figure.not_run:
        say(f"    not run: {figure.not_run}")
        return
    say_text(_aligned("", ("the paper", "ours", "improved")))
    for line in figure.lines:
        what, paper, published, improved, _, why = line.told
        *before, last = textwrap.wrap(what, WHAT)
        for text in before:
            say(f"    {text}")
        mark = {True: "=", False: "≠", None: ""}[line.agrees]
        say_text(_aligned(last, (paper, published, improved), mark))
        unanswered = line.expected.given and line.ours.published is None
        if why and (verbose or unanswered or line.agrees is False):
            say_text(textwrap.fill(why, 92, initial_indent=WHY, subsequent_indent=WHY))


def _aligned(what: str, cells: tuple[str, str, str], mark: str = "") -> str:
    """One line; a long remark of the paper pushes the rest to the right."""
    paper, *ours = cells
    return (
        f"    {what:<{WHAT}} {paper:>20} {' '.join(f'{cell:>18}' for cell in ours)} {mark}".rstrip()
    )
