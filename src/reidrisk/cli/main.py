"""The `reidrisk` command: its commands, grouped by what the user has."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from reidrisk.cli.output import hide_passwords_of, say_text
from reidrisk.cli.process import (
    exit_with,
    open_standard_streams,
    within_memory,
    without_spinning_threads,
)
from reidrisk.machine import sorting_fast
from reidrisk.version import __version__

# group → {command: (module, one line)}; modules are imported only when their command runs.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "With records": {
        "columns": ("columns_command", "Profile a table; ends with the --columns line to copy."),
        "measure": ("measure_command", "Crowd sizes (k-anonymity, uniques) and every risk."),
        "population": (
            "population_command",
            "Of those alone in a sample, who is in the population?",
        ),
        "link": ("link_command", "Who in a register could be whom in a released table?"),
        "attack": ("attack_command", "Simulate an attacker who knows some columns."),
        "learn": ("learn_command", "What would be learnt of people in a crowd (l-diversity)."),
        "search": ("search_command", "Find dangerous combinations of columns."),
        "generalise": ("generalise_command", "Recode a table just enough to be safe; write it."),
        "releases": (
            "releases_command",
            "What tables published one after the other reveal together.",
        ),
        "publish": ("publish_command", "Write counts instead of records, with a protection."),
    },
    "With statistics only": {
        "compile": ("compile_command", "Build a statistics file from small tables of counts."),
        "check": ("check_command", "Check a statistics file for consistency."),
        "predict": ("predict_command", "Predict every risk of a table from its statistics."),
        "person": ("person_command", "How many people share one person's values; also in a table."),
        "people": ("people_command", "Score a whole file of people against statistics."),
    },
    "Planning a survey": {
        "group": ("group_command", "How likely are all members of a group to be unique?"),
        "plan": ("plan_command", "What one more question, or a coarser one, does to the risk."),
    },
    "For everybody": {
        "report": ("report_command", "One page of figures, charts and what they mean."),
        "serve": ("serve_command", "A page in your browser: tick columns, watch crowds shrink."),
        "reproduce": ("reproduce_command", "Rerun the four papers' tables and figures."),
        "demo": ("demo_command", "A guided tour on a generated city; no file needed."),
    },
}

# Commands that count records, which is sorting; those that compute laws sort little.
COUNTING = {
    "columns", "measure", "attack", "search", "generalise", "publish", "person", "people", "group",
    "report", "serve", "reproduce", "releases",
}  # fmt: skip

# What somebody of the field may type → what does it here. Written without hyphens.
FIELD_WORDS = {
    "uniques|unique|uniqueness|sampleuniques": "'measure'",
    "kanonymity|kanon|k|equivalenceclasses|classes|risk|prosecutor|marketer": "'measure'",
    "journalist|journalistrisk|kmap|populationuniques|popuniques|tau1|ewens|pitman|zayatz|snb|dankar"
    "|individualrisk|indivrisk|householdrisk|sample": "'population'",
    "suda|suda2|msu|minimaluniques|specialuniques": "'attack --unique-up-to 3'",
    "linkage|recordlinkage|reidentify|match": "'link'",
    "anonymise|anonymize|recode|globalrecoding|generalisation|mask|sdc": "'generalise'",
    "suppress|suppression": "'publish --exact' (counts) or 'generalise --suppress' (records)",
    "cellsuppression": "'publish --exact'",
    "republish|republication|differencing|increments|longitudinal": "'releases'",
    "tabulate|frequencies|crosstab|rounding|randomrounding|cellkey": "'publish'",
    "dp|differentialprivacy|noise|epsilon": "'publish --epsilon'",
    "recordsuppression": "'generalise --suppress'",
    "estimate|model": "'predict'",
    "page|gui|ui|web|browser": "'serve'",
    "tour|example|tutorial": "'demo'",
    "ldiversity|tcloseness": "'measure' (k-anonymity only: attribute disclosure isn't measured)",
    "help": "'--help' or 'COMMAND --help'",
}
WORDS_PAGE = "docs/words.md"


def command_for(word: str, names: Sequence[str]) -> str:
    """The command, quoted, that a word of the field or a misspelt name is likely to mean; or ""."""
    plain = re.sub(r"[^a-z0-9]", "", word.casefold())
    for words, command in FIELD_WORDS.items():
        if plain in words.split("|"):
            return command
    near = difflib.get_close_matches(word.casefold(), names, n=1, cutoff=0.6)
    return repr(near[0]) if near else ""


class UnknownCommand(click.UsageError):
    """A command that doesn't exist; the hint names the one that was likely meant."""

    def __init__(self, name: str, names: Sequence[str], context: click.Context) -> None:
        super().__init__(f"there is no command {name!r}", context)
        meant = command_for(name, names)
        suggestion = f"did you mean {meant}? " if meant else ""
        self.hint = f"{suggestion}see: reidrisk --help"


class GroupedCommands(click.Group):
    """Lists the commands by what the user has."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the groups."""
        return [name for commands in GROUPS.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command when it is needed."""
        for commands in GROUPS.values():
            if cmd_name in commands:
                if cmd_name in COUNTING:
                    # Before numpy is imported: afterwards it is too late.
                    sorting_fast()
                module = import_module(f"reidrisk.cli.{commands[cmd_name][0]}")
                command: click.Command = module.command
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest a command in place of one that doesn't exist."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise UnknownCommand(args[0], self.list_commands(ctx), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One block per group."""
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])


@click.group(
    cls=GroupedCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nStart with: reidrisk demo"
    f"\nWords of the field (SUDA, journalist risk, …) and ours: {WORDS_PAGE}",
    invoke_without_command=True,
)
@click.version_option(__version__, "-V", "--version", prog_name="reidrisk")
@click.pass_context
def reidrisk(context: click.Context) -> None:
    """Can someone be picked out of this?

    Measures re-identification risk: how many people share each combination of quasi-identifiers
    (their crowd, or equivalence class), and who is alone (unique). Nothing leaves this machine.
    """
    if context.invoked_subcommand is None:
        say_text(context.get_help())


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit status."""
    open_standard_streams()
    without_spinning_threads()
    given = list(sys.argv[1:] if arguments is None else arguments)
    hide_passwords_of(given)
    if arguments is None:
        # A process of its own, which nobody else's work is done in.
        within_memory(given)
    exit_with(lambda: reidrisk.main(given, prog_name="reidrisk", standalone_mode=False), given)
