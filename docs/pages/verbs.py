"""Write docs/verbs/: one page per verb, its example run: python -m docs.pages.verbs."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from docs.pages.verb_files import write_files

FOLDER = Path(__file__).parents[1] / "verbs"
NOTE = (
    "<!-- Made by `python -m docs.pages.verbs`, which runs the example; do not edit by hand. The files of the "
    "example are "
    "made by `python -m docs.pages.verb_files FOLDER`. -->"
)


@dataclass(frozen=True)
class Verb:
    """A page: the question, when to ask it, an example, how to read the answer, and the same in Python."""

    name: str
    question: str
    when: str
    command: str
    reading: str
    python: str


VERBS = (
    Verb(
        "plan",
        "How many labeled rows do I need to promise an error?",
        "Before labels are paid for. The answer depends on how many errors will be seen, so there is a line for each.",
        "certus plan --error 0.05 --errors 3",
        "A promise of at most 5 % error needs 59 rows if the model makes no error on them, and more with every "
        "error. "
        "`--true-error 0.03` adds the chance of success, `--pilot 2 60` takes it from an earlier look at other rows.",
        "certus.plan(0.05)",
    ),
    Verb(
        "certify",
        "How wrong can these predictions, or this model, be?",
        "With rows that served neither training nor any choice. Rows that the model was trained on are refused; "
        "looks at "
        "the same rows are counted ([looks.md](../looks.md)), since a later look promises less.",
        "certus certify held_out.csv --target left --model model.certus --looks none",
        "The error comes first, then recall and precision of every label. Each line holds with its confidence; "
        "`--jointly` "
        "makes all hold together. `--at-most 0.1` turns it into a gate: exit 1 if that is not proven. Without a "
        "model, "
        "`--prediction COLUMN` names a column with predictions of any model. Numbers need `--loss absolute --range "
        "0 100`: "
        "a mean without a range cannot be bounded from a sample.",
        "certus.certify(model, X_held_out, y_held_out)",
    ),
    Verb(
        "compare",
        "Is A really better than B on these rows?",
        "When two models were scored on the same rows. It says who is better, or that nobody can tell and about how "
        "many "
        "rows could.",
        "certus compare predictions.csv --target left --prediction a --prediction b",
        "The p-value is exact (McNemar's test of the rows on which they differ); the interval bounds the difference "
        "of the "
        "errors. With more than two columns the p-values are corrected. `--scores` and `--test` compare scores of "
        "folds, which "
        "are an estimate.",
        'certus.compare({"a": predictions_a, "b": predictions_b}, y_true=y)',
    ),
    Verb(
        "select",
        "Which of several candidates is best, and what does having looked cost?",
        "When the best of several columns is to be taken and its error promised on the same rows.",
        "certus select predictions.csv --target left --prediction a --prediction b",
        "The bound pays for every candidate. `--tried 20` counts candidates that were scored on these rows before "
        "and are "
        "not given any more. The shortlist names those that cannot be told from the best.",
        'certus.select({"a": predictions_a, "b": predictions_b}, y_true=y)',
    ),
    Verb(
        "guard",
        "Which threshold keeps a rate that was promised?",
        "When rows are flagged by a score: at least this share of the positives, at most that share of false "
        "alarms. If no "
        "threshold can be promised on these rows, it says so (exit 1), and how many rows could.",
        "certus guard predictions.csv --target left --score score --positive yes --recall 0.9",
        "Rows with a score of at least the threshold are flagged. Several rates (`--precision`, `--false-alarm`, "
        "`--alarm-rate`) hold together.",
        'certus.guard(scores, y, recall=0.9, positive="yes")',
    ),
    Verb(
        "conformal",
        "Which values, or labels, cannot be ruled out for a new row?",
        "When one prediction is not enough: an interval around a number, or a set of labels, that contains the "
        "truth as "
        "often as asked.",
        "certus conformal spending.csv --target spent --prediction guess --confidence 0.9",
        "The first line holds on average over calibration sets, the second for this very set. The width is the "
        "other half "
        "of the answer. `--apply new.csv -o intervals.csv --key customer` gives intervals to new rows; `--label "
        "yes=p_yes "
        "--label no=p_no` makes sets of labels from probabilities; `--group COLUMN` promises in every group.",
        "certus.conformal(y_pred=guesses, y_cal=truth, confidence=0.9)",
    ),
    Verb(
        "stream",
        "What can be learned from rows as they come, and how much worse is it than the best in hindsight?",
        "When rows keep coming, or do not fit in memory: every row is predicted first and learned then. CSV or JSON "
        "lines, a file that grows or a pipe.",
        "certus stream predictions.csv --target left --learner perceptron --state stream.certus",
        "Errors are those of the predictions made before each label, so that nothing was learned from a row when "
        "it was judged; the interval holds at every look. `--state` remembers what was learned: the same command "
        "on the grown table goes on, also after a kill, and ends at the same bits. `--learner square` or `vaw` "
        "predicts numbers. A row that cannot be read stops the command (exit 2) or is counted (`--on-bad-row "
        "skip`). `--predictions FILE` keeps the predictions, `--model FILE.certus` the model for `certus predict`. "
        "[online.md](../online.md) has the learners and their accounts.",
        "certus.online.OnlinePerceptron().run(X, y)",
    ),
    Verb(
        "monitor",
        "Has a deployed model become worse?",
        "When true values arrive later. The alarm has a known chance of ever being false, however often one looks.",
        "certus monitor predictions.csv --target left --prediction a --state watch.json --threshold 0.2",
        "The file `--state` remembers what was counted: the same command on the grown table goes on. The reference "
        "is a "
        "limit (`--threshold`), held-out rows (`--reference FILE`), or counts (`--errors 15 --of-rows 500`). Exit 1 "
        "at an alarm. "
        "[monitoring.md](../monitoring.md) has the guarantees.",
        "certus.monitor(y_true=held_out, y_pred=predictions)",
    ),
    Verb(
        "check",
        "Does a certificate hold?",
        "When a model comes from somebody else. *recounted*: the rows were given and are the certified ones; "
        "*consistent*: "
        "the arithmetic holds, the counts are the author's; *contradicted*. Exit 0, 0 and 1; `--require recounted` "
        "makes "
        "*consistent* 1.",
        "certus check model.certus",
        "Every certificate is derived again by a second route. With a table (`certus check model.certus "
        "held_out.csv --target "
        "left`) the rows are counted too, as far as they are those of the certificate. `certus study --audit-rows "
        "FILE` "
        "writes such rows.",
        'certus.load("model.certus").report_.check()',
    ),
    Verb(
        "predict",
        "What does the model say about new rows?",
        "With a table of any size, in any format that a study reads; `-` is standard input.",
        "certus predict model.certus new.csv --key customer",
        "Models of a study also write `set`, or `lower` and `upper`, and `flag`, which names absurd numbers that "
        "were taken "
        "as missing. The table is read in the types that the model learned. Of a folder of tables "
        "(`certus predict model.certus sales/ -o predictions/`) every file is predicted into a file of its name; run "
        "again after an interruption, the command goes on where it stopped. `certus certify sales/ --target y --model "
        "model.certus` judges a folder like the one table that its files make.",
        'certus.load("model.certus").predict(X)',
    ),
    Verb(
        "info",
        "What is in a model file?",
        "Before it is used: what it predicts, from which columns, where it comes from, whether it contains training "
        "rows, and "
        "which certificates it carries. Nothing in the file can run.",
        "certus info model.certus",
        "[model-files.md](../model-files.md) says what the file is made of.",
        'certus.load("model.certus").report_',
    ),
)


@contextlib.contextmanager
def example_folder() -> Iterator[Path]:
    """A folder with the files of the examples, as the current one, for output of 100 columns."""
    before, width = Path.cwd(), os.environ.get("COLUMNS")
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        os.chdir(folder)
        os.environ["COLUMNS"] = "100"
        try:
            yield Path(folder)
        finally:
            os.chdir(before)
            os.environ.pop("COLUMNS") if width is None else os.environ.update(COLUMNS=width)


def said(command: str) -> str:
    """What a command prints in the current folder, on standard output and then on standard error."""
    from certus.cli.app import app

    done = CliRunner().invoke(app, shlex.split(command)[1:], prog_name="certus")
    printed = done.stdout + done.stderr
    if done.exit_code not in (0, 1):
        raise RuntimeError(f"{command}: exit {done.exit_code}: {printed}")
    return "\n".join(line.rstrip() for line in printed.strip().splitlines())


def comparable(text: str) -> str:
    """A page without what differs from machine to machine: versions, sizes of files, and last digits."""
    varying = r"written with|.*bytes, schema|.*objective is within"
    kept = [line for line in text.splitlines() if not re.match(varying, line)]
    return re.sub(r"\d+\.\d{4}\d+(e-?\d+)?", "#", "\n".join(kept))


def page(verb: Verb) -> str:
    """The page of a verb; the current folder must hold the files of the example."""
    example = f"```text\n$ {verb.command}\n{said(verb.command)}\n```"
    python = f"In Python: `{verb.python}`; `help(certus.{verb.name})` lists every parameter."
    if verb.name in ("predict", "info", "stream"):
        python = f"In Python: `{verb.python}`."
    options = f"`certus {verb.name} --help` lists every option, `--json` prints one document for programs."
    parts = [f"# certus {verb.name}", NOTE, f"**{verb.question}** {verb.when}", example, verb.reading, python, options]
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """The list of the verbs."""
    lines = [f"- [{verb.name}]({verb.name}.md): {verb.question}" for verb in VERBS]
    first = "- [study](../study.md): What can be learned from a table, and how sure is it?"
    head = "One page per command, each with an example that was run. What the guarantees mean: "
    more = f"{head}[which-guarantee.md](../which-guarantee.md)."
    return "\n".join(["# The verbs", "", NOTE, "", more, "", first, *lines]) + "\n"


if __name__ == "__main__":
    with example_folder():
        pages = {verb.name: page(verb) for verb in VERBS}
    for name, text in pages.items():
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
    (FOLDER / "README.md").write_text(index(), encoding="utf-8")
