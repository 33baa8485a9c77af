"""The `reidrisk` command: three doors, one for each kind of user."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from reidrisk.cli.exit_status import ended, open_standard_streams
from reidrisk.cli.output import hide_passwords_of, say_text
from reidrisk.cli.process_setup import within_memory, without_spinning_threads
from reidrisk.version import __version__

# door → {command: (module, one line)}; modules are imported only when their command runs.
DOORS: dict[str, dict[str, tuple[str, str]]] = {
    "I hold the records": {
        "columns": ("columns_command", "What is in a table; the --columns line to copy."),
        "measure": ("measure_command", "Crowd sizes of a table and every measure of them."),
        "attack": ("attack_command", "A simulated attack: who is picked out, knowing what."),
        "search": ("search_command", "Dangerous combinations: by risk, by ratio, by cost."),
        "generalise": (
            "generalise_command",
            "The least change that makes a table safe; writes it.",
        ),
        "publish": ("publish_command", "Counts of a table that may be shared."),
    },
    "I hold only statistics": {
        "compile": ("compile_command", "A statistics file from small tables of counts or shares."),
        "check": ("check_command", "Does a statistics file agree with itself?"),
        "predict": ("predict_command", "Every measure of a table, from its statistics alone."),
        "person": ("person_command", "One person: how many share their tuple; from a table too."),
        "people": ("people_command", "The same for a whole file of people."),
    },
    "I am planning a collection": {
        "group": ("group_command", "Are all members of a group unique? Exact, and as published."),
        "plan": ("plan_command", "What one more question, or a coarser one, costs."),
    },
    "Everyone": {
        "report": ("report_command", "One page to look at: figures, meaning, pictures."),
        "serve": ("serve_command", "The local page: tick attributes, see the crowd shrink."),
        "reproduce": ("reproduce_command", "The four papers' tables and figures, next to ours."),
        "demo": ("demo_command", "The tour, on a table it generates: no file needed."),
    },
}


class UnknownCommand(click.UsageError):
    """A command that isn't there; the hint names the one that was likely meant."""

    def __init__(self, name: str, there: Sequence[str], context: click.Context) -> None:
        super().__init__(f"there is no command {name!r}", context)
        near = difflib.get_close_matches(name.casefold(), there, n=1, cutoff=0.6)
        meant = f"did you mean {near[0]!r}? " if near else ""
        self.hint = f"{meant}see: reidrisk --help"


class Doors(click.Group):
    """Lists the commands by the kind of user they are for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the doors."""
        return [name for commands in DOORS.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command when it is asked for."""
        for commands in DOORS.values():
            if cmd_name in commands:
                module = import_module(f"reidrisk.cli.{commands[cmd_name][0]}")
                command: click.Command = module.command
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A command that isn't there gets the name of one that is."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise UnknownCommand(args[0], self.list_commands(ctx), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One block a door."""
        for door, commands in DOORS.items():
            with formatter.section(door):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])


@click.group(
    cls=Doors,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: reidrisk demo",
    invoke_without_command=True,
)
@click.version_option(__version__, "-V", "--version", prog_name="reidrisk")
@click.pass_context
def reidrisk(context: click.Context) -> None:
    """Can someone be picked out of this?

    Measures re-identification risk: how many people share each tuple of quasi-identifiers
    (their crowd), and who is alone. Nothing leaves this machine.
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
    ended(lambda: reidrisk.main(given, prog_name="reidrisk", standalone_mode=False), given)
