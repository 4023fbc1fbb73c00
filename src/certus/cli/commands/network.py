"""Learn, ask, check, convert and draw Bayesian networks in files (BIF, XMLBIF, NET, UAI, JSON, XDSL)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from certus.cli import options
from certus.cli.output import print_json, print_table, print_text

File = Annotated[Path, typer.Argument(help="A network: .bif, .xmlbif, .net, .uai, .json or .xdsl.", show_default=False)]
Evidence = Annotated[
    list[str] | None,
    typer.Option(metavar="NODE=STATE", help="What is known; once per node.", show_default=False),
]
Targets = Annotated[list[str], typer.Option("--target", help="A node; once per node.", show_default=False)]
Search = Literal["hill_climb", "exact", "chow_liu", "tan", "pc", "order_mcmc"]
Score = Literal["bic", "aic", "bdeu", "k2", "loglik"]
Method = Literal["exact", "rejection", "weighting", "loopy", "mean_field", "gibbs"]


def _read(file: Path, *, with_numbers: bool = False) -> Any:
    """The network of a file; with continuous nodes only for commands that can take them."""
    from certus.graphical import BayesianNetwork, read_network

    network = read_network(file)
    if not with_numbers and not isinstance(network, BayesianNetwork):
        raise ValueError(
            f"{file} must be a network of discrete nodes for this, got one with continuous nodes.\n"
            "Hint: info, query, sample and convert take those, too."
        )
    return network


def _known(network: Any, given: list[str] | None) -> dict[str, Any]:
    """Evidence by labels: ``node=state``, where the label is looked up by its text."""
    found = {}
    for item in given or ():
        name, sign, text = item.rpartition("=")
        while sign and name not in network.nodes and "=" in name:  # signs may belong to the state
            name, _sign, rest = name.rpartition("=")
            text = f"{rest}={text}"
        if not sign:
            raise ValueError(f"evidence must be written as NODE=STATE, got {item!r}.")
        if name in getattr(network, "continuous", ()):
            found[name] = _number(name, text)
            continue
        states = {str(state): state for state in network.states(name)}
        if text not in states:
            raise ValueError(f"The state of {name!r} must be one of {', '.join(map(repr, states))}, got {text!r}.")
        found[name] = states[text]
    return found


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"The evidence on {name!r} must be a number, got {text!r}.") from None


def info(file: File, json: options.Json = False) -> None:
    """Say what is in a file: nodes, edges, parameters, kind, and how wide exact inference is."""
    network = _read(file, with_numbers=True)
    facts: dict[str, Any] = {"nodes": len(network.nodes), "edges": len(network.edges)}
    if hasattr(network, "continuous"):
        facts |= {"continuous": len(network.continuous), "parameters": network.n_parameters}
    else:
        facts |= _discrete_facts(network)
    if json:
        print_json({**facts, "names": list(network.nodes)})
        return
    print_table(("", file.name), list(facts.items()))


def _discrete_facts(network: Any) -> dict[str, Any]:
    from certus.graphical import JunctionTree

    facts: dict[str, Any] = {
        "entries": network.n_entries,
        "parameters": network.n_parameters,
        "kind": network.kind,
        "rescaled_rows": sum(network.rescaled.values()),
    }
    try:
        tree = JunctionTree(network)
        return {**facts, "width": tree.width, "cells": tree.cells}
    except MemoryError as error:
        return {**facts, "too_wide": str(error).splitlines()[0]}


def lint(file: File, json: options.Json = False) -> None:
    """Remark on zeros, nearly certain or equal rows, useless states, rescaled rows, and better orders."""
    found = _read(file).lint()
    if json:
        print_json([finding._asdict() for finding in found])
        return
    print_table(("kind", "node", "remark"), [(item.kind, item.node or "", item.message) for item in found])


def query(
    file: File,
    target: Targets,
    evidence: Evidence = None,
    method: Annotated[Method, typer.Option(help="How to compute it.")] = "exact",
    json: options.Json = False,
) -> None:
    """Give the probabilities of nodes, given evidence; of continuous ones mean and covariance."""
    network = _read(file, with_numbers=True)
    if hasattr(network, "continuous"):
        _query_with_numbers(network, target, _known(network, evidence), method, json)
        return
    answer = network.query(target, _known(network, evidence), method=method, random_state=0)
    if json:
        print_json(
            {
                "target": target if len(target) > 1 else target[0],
                "states": [list(network.states(name)) for name in target]
                if len(target) > 1
                else list(network.states(target[0])),
                "probabilities": answer.values.tolist(),
                "log_evidence": answer.log_evidence,
                "certificate": answer.certificate.to_dict(),
            }
        )
        return
    import numpy as np

    rows = [
        (*(network.states(name)[at] for name, at in zip(target, cell, strict=True)), f"{answer.values[cell]:.6g}")
        for cell in np.ndindex(*answer.values.shape)
    ]
    print_table((*target, "probability"), rows)
    print_text(str(answer.certificate))


def _query_with_numbers(network: Any, target: list[str], known: dict[str, Any], method: str, json: bool) -> None:
    if method != "exact":
        raise ValueError(f"--method must be exact for a network with continuous nodes, got {method!r}.")
    answer = network.query(target, known)
    discrete = [name for name in target if name in network.discrete]
    certificate = answer.certificate
    if json:
        print_json(
            {
                "target": target if len(target) > 1 else target[0],
                "states": {name: list(network.states(name)) for name in discrete},
                "probabilities": answer.values.tolist() if discrete else None,
                "continuous": list(answer.names),
                "mean": answer.mean.tolist(),
                "covariance": answer.covariance.tolist(),
                "log_evidence": answer.log_evidence,
                "certificate": None if certificate is None else certificate.to_dict(),
            }
        )
        return
    import numpy as np

    if discrete:
        cells = np.ndindex(*answer.values.shape)
        rows = [
            (*(network.states(v)[k] for v, k in zip(discrete, cell, strict=True)), f"{answer.values[cell]:.6g}")
            for cell in cells
        ]
        print_table((*discrete, "probability"), rows)
    if answer.names:
        spreads = np.sqrt(np.diagonal(answer.covariance))
        moments = zip(answer.names, answer.mean, spreads, strict=True)
        print_table(("node", "mean", "sd"), [(name, f"{mean:.6g}", f"{sd:.6g}") for name, mean, sd in moments])
    if certificate is not None:
        print_text(str(certificate))


def mpe(
    file: File,
    evidence: Evidence = None,
    best: Annotated[int, typer.Option(help="How many assignments, best first.", min=1)] = 1,
    json: options.Json = False,
) -> None:
    """Give the most probable states of all nodes, given evidence."""
    network = _read(file)
    found = network.explanations(best, _known(network, evidence))
    if json:
        print_json([{"assignment": each.assignment, "log_probability": each.log_probability} for each in found])
        return
    columns = ("node", *(f"{each.log_probability:.6g}" for each in found))
    print_table(columns, [(name, *(each.assignment[name] for each in found)) for name in network.nodes])
    print_text(str(found[0].certificate))


def separate(
    file: File,
    a: Annotated[list[str], typer.Option("--a", help="A node of the first set; once per node.", show_default=False)],
    b: Annotated[list[str], typer.Option("--b", help="A node of the second set; once per node.", show_default=False)],
    given: Annotated[list[str] | None, typer.Option(help="A node that is known; once per node.")] = None,
    json: options.Json = False,
) -> None:
    """Say whether nodes are independent by the graph, with an open path or what closes each one."""
    found = _read(file).separation(a, b, given or [])
    if json:
        blocks = [{"path": block.path, "node": block.node, "rule": block.rule} for block in found.blocks]
        print_json({"separated": found.separated, "path": found.path, "blocks": blocks, "complete": found.complete})
        return
    print_text(str(found))


def sample(
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", help="CSV or Parquet to write.", show_default=False)],
    rows: Annotated[int, typer.Option(help="How many rows.", min=0)] = 1000,
    evidence: Evidence = None,
    seed: Annotated[int, typer.Option(help="Of the random numbers.", min=0)] = 0,
) -> None:
    """Draw rows, given evidence if there is any."""
    network = _read(file, with_numbers=True)
    table = network.sample(rows, evidence=_known(network, evidence), random_state=seed)
    table.write_parquet(output) if output.suffix == ".parquet" else table.write_csv(output)
    print_text(f"{rows} rows in {output}")


def convert(
    file: File, output: Annotated[Path, typer.Argument(help="The file to write, by its ending.", show_default=False)]
) -> None:
    """Write a network in another format."""
    from certus.graphical import write_network

    write_network(_read(file, with_numbers=True), output)
    print_text(f"{output}")


def draw(
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", help=".svg or .dot to write.", show_default=False)],
    evidence: Evidence = None,
    marginals: Annotated[bool, typer.Option("--marginals", help="Show probabilities as bars.")] = False,
) -> None:
    """Draw a network; with --marginals the probabilities, given evidence if there is any."""
    if output.suffix not in (".svg", ".dot"):
        raise ValueError(f"--output must end with .svg or .dot, got {output}.")
    network = _read(file)
    known = _known(network, evidence)
    if output.suffix == ".dot":
        text = network.to_dot()
    else:
        text = network.to_svg(network.marginals(known) if marginals else None, known)
    output.write_text(text, encoding="utf-8")
    print_text(f"{output}")


def learn(
    table: Annotated[Path, typer.Argument(help="Rows: CSV, Parquet, a workbook ...", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The network to write.", show_default=False)],
    method: Annotated[Search, typer.Option(help="How the structure is searched.")] = "hill_climb",
    score: Annotated[Score, typer.Option(help="What is maximized.")] = "bic",
    max_parents: Annotated[int | None, typer.Option(help="Most parents of a node.", min=0)] = None,
    target: Annotated[str | None, typer.Option(help="The class: of tan, and what numbers are cut by.")] = None,
    alpha: Annotated[float, typer.Option(help="Imaginary counts of every entry.", min=0.0)] = 1.0,
    seed: Annotated[int, typer.Option(help="Of the new starts.", min=0)] = 0,
    json: options.Json = False,
) -> None:
    """Learn a network from a table: its structure from complete rows, its tables from all."""
    import polars as pl

    from certus.graphical import Discretizer, learn_structure, learn_tables, write_network
    from certus.tables import read_table

    frame = read_table(table)
    if target is not None and target not in frame.columns:
        raise ValueError(f"--target must be one of {', '.join(map(repr, frame.columns))}, got {target!r}.")
    numbers = [name for name in frame.columns if frame[name].dtype.is_numeric() and name != target]
    if numbers:
        labels = None if target is None else frame[target].cast(pl.String).fill_null("").to_numpy()
        cut = Discretizer(method="quantile" if labels is None else "mdl").fit(frame.select(numbers), labels)
        frame = frame.with_columns(cut.intervals(frame.select(numbers)))
    frame = frame.select(pl.all().cast(pl.String))
    complete = frame.drop_nulls()
    if not len(complete):
        raise ValueError(
            f"{table} must have rows without missing cells, got {len(frame)} rows with gaps.\n"
            "Hint: leave out columns that are mostly empty."
        )
    found = learn_structure(
        complete, method=method, score=score, max_parents=max_parents, target=target, random_state=seed
    )
    # States that occur in rows with missing cells alone are states, too.
    states = {name: frame[name].drop_nulls().unique().sort().to_list() for name in frame.columns}
    structure = type(found.network)({name: found.network.parents(name) for name in states}, states)
    learned = learn_tables(structure, frame, alpha=alpha)
    write_network(learned.network, output)
    if json:
        certificates = [each.to_dict() for each in (*found.report, *learned.report)]
        edges = [list(edge) for edge in learned.network.edges]
        print_json({"edges": edges, "score": found.score, "upper_bound": found.upper_bound, "report": certificates})
        return
    print_table(("parent", "child"), list(learned.network.edges))
    print_text(f"{found.report}\n{learned.report}\n{output}")


COMMANDS = {
    "learn": learn,
    "info": info,
    "lint": lint,
    "query": query,
    "mpe": mpe,
    "separate": separate,
    "sample": sample,
    "convert": convert,
    "draw": draw,
}
