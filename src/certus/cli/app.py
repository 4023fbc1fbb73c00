"""The command ``certus``: a table of commands, each loaded only when it is called.

Help and version import neither the learners nor scikit-learn, so that they appear at once.
"""

from __future__ import annotations

import importlib
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import certus
from certus.cli.failures import INTERRUPTED, guarded, tell
from certus.cli.spelling import modern

# Command -> what it answers. The module of a command is ``certus.cli.commands.<name>``.
COMMANDS = {
    "study": "Take a table through all six steps: task, data, features, learners, training, evaluation.",
    "predict": "Use a saved model on a table.",
    "certify": "How wrong can these predictions be?",
    "plan": "How many labeled rows do I need to promise an error?",
    "compare": "Is A really better than B on these rows?",
    "select": "The best of several candidates, with the price of having looked.",
    "guard": "Thresholds that keep a named rate, or proof that none does on these rows.",
    "conformal": "Prediction sets and intervals.",
    "stream": "Learn from a growing table or a pipe, row by row, with the regret so far.",
    "monitor": "Watch a deployed model: alarm with a known chance of being false.",
    "network": "Bayesian networks in files: learn, ask, check, convert, draw.",
    "check": "Verify the certificates of a saved model again.",
    "info": "Describe a saved model.",
    "learners": "List the catalogue of learners.",
}


# Plain help: drawing boxes would import more than all the rest of it takes.
_PLAIN: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["--help", "-h"]},
}


class Commands(TyperGroup):
    """Knows commands by name and summary, which is enough for help, and imports a module only to run it."""

    def __init__(self, **options: Any) -> None:
        stand_ins = {name: TyperCommand(name, help=summary) for name, summary in COMMANDS.items()}
        super().__init__(**{**options, "commands": stand_ins})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _stand_in, rest = super().resolve_command(ctx, args)
        return name, load_command(name), rest


class SingleCommand(TyperCommand):
    """A command that still understands old spellings of its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, modern(args))


def load_command(name: str | None) -> Any:
    """The command, built from the typed function in its module, or the group of its functions."""
    module = importlib.import_module(f"certus.cli.commands.{name}")
    if hasattr(module, "COMMANDS"):
        group = typer.Typer(help=module.__doc__, no_args_is_help=True, **_PLAIN)
        for own, function in module.COMMANDS.items():
            group.command(own, help=function.__doc__)(guarded(function))
        return typer.main.get_command(group)
    single = typer.Typer(**_PLAIN)
    single.command(name, help=module.command.__doc__, cls=SingleCommand)(guarded(module.command))
    return typer.main.get_command(single)


app = typer.Typer(cls=Commands, no_args_is_help=True, **_PLAIN)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"certus {certus.__version__}")
        raise typer.Exit


@app.callback(
    help="Machine learning in which every answer comes with its guarantee.",
    epilog="Exit codes: 0 success, 1 a demanded promise does not hold, 2 wrong use or bad input.",
)
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and exit."""
    try:
        app(prog_name="certus")
    except KeyboardInterrupt:  # while a command was being imported
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(tell(error))
