"""A network as SVG, with marginals as bars and evidence marked, and as DOT."""

from __future__ import annotations

import html
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from certus.graphical.networks.drawing.layered_layout import layered_layout

_MOST_NODES, _MOST_STATES = 500, 12
_ROW, _HEAD, _BAR, _GAP, _LAYER = 14.0, 22.0, 60.0, 24.0, 46.0
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.s{font-size:10px}.n{fill:#fff;stroke:#4477aa}.e{fill:#fff3c4;stroke:#aa7700}"
    ".b{fill:#4477aa}.p{fill:none;stroke:#777}"
)


def svg_of(network: Any, marginals: Mapping[str, Any] | None, evidence: Mapping[str, Any] | None) -> str:
    """The picture; nodes in ``evidence`` are marked, nodes in ``marginals`` show a bar per state."""
    if len(network.nodes) > _MOST_NODES:
        raise ValueError(
            f"The network must have at most {_MOST_NODES} nodes to be drawn, got {len(network.nodes)}.\n"
            "Hint: to_dot() writes networks of any size for other programs."
        )
    shown = {name: _rows(network, name, marginals or {}, evidence or {}) for name in network.nodes}
    widths = [_width(name, rows) for name, rows in shown.items()]
    heights = [_HEAD + _ROW * len(rows) for rows in shown.values()]
    layout = layered_layout(network._dag, widths, _GAP)
    depth = max((level for _x, level in layout.centers), default=0) + 1
    tallest = [
        max((heights[v] for v, (_x, level) in enumerate(layout.centers) if level == row), default=_HEAD)
        for row in range(depth)
    ]
    tops = [_GAP / 2 + sum(tallest[:row]) + _LAYER * row for row in range(depth)]
    parts = []
    for (parent, child), bends in layout.bends.items():
        x, level = layout.centers[parent]
        points = [(x, tops[level] + heights[parent])]
        for bend_x, bend_level in bends:
            points += [(bend_x, tops[bend_level]), (bend_x, tops[bend_level] + tallest[bend_level])]
        x, level = layout.centers[child]
        parts.append(_edge([*points, (x, tops[level] - 5.0)]))
    for node, (name, rows) in enumerate(shown.items()):
        x, level = layout.centers[node]
        box = (x - widths[node] / 2, tops[level], widths[node], heights[node])
        parts.append(_box(name, rows, box, observed=name in (evidence or {})))
    right = max((x + widths[v] / 2 for v, (x, _level) in enumerate(layout.centers)), default=0.0) + _GAP
    bottom = tops[-1] + tallest[-1] + _GAP / 2 if tops else _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right:.0f}" height="{bottom:.0f}" '
        f'viewBox="{-_GAP / 2:.0f} 0 {right:.0f} {bottom:.0f}"><style>{_STYLE}</style>'
        '<defs><marker id="a" markerWidth="7" markerHeight="6" refX="5" refY="3" orient="auto">'
        '<path d="M0,0 L7,3 L0,6 z" fill="#777"/></marker></defs>' + "".join(parts) + "</svg>\n"
    )


def _rows(
    network: Any, name: str, marginals: Mapping[str, Any], evidence: Mapping[str, Any]
) -> list[tuple[str, float]]:
    """Texts and lengths of the bars of a node."""
    if name in evidence:
        return [(_short(str(evidence[name])), 1.0)]
    if name not in marginals:
        return []
    found = [(_short(str(state)), float(p)) for state, p in zip(network.states(name), marginals[name], strict=True)]
    return found[:_MOST_STATES]


def _short(text: str) -> str:
    return text if len(text) <= 16 else text[:15] + "…"


def _width(name: str, rows: list[tuple[str, float]]) -> float:
    labels = max((6.0 * len(text) for text, _p in rows), default=0.0)
    return max(16.0 + 7.2 * len(name), labels + _BAR + 60.0 if rows else 0.0)


def _edge(points: list[tuple[float, float]]) -> str:
    """A smooth line from point to point, upright at each."""
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (y0 + y1) / 2
        path += f" C{x0:.1f},{middle:.1f} {x1:.1f},{middle:.1f} {x1:.1f},{y1:.1f}"
    return f'<path class="p" d="{path}" marker-end="url(#a)"/>'


def _box(name: str, rows: list[tuple[str, float]], box: tuple[float, float, float, float], *, observed: bool) -> str:
    x, y, width, height = box
    kind = "e" if observed else "n"
    parts = [
        f'<g><rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="5"/>'
        f'<text x="{x + width / 2:.1f}" y="{y + 15:.1f}" text-anchor="middle">{html.escape(name)}</text>'
    ]
    for place, (text, share) in enumerate(rows):
        base = y + _HEAD + _ROW * place + 9.0
        bar = x + width - _BAR - 42.0
        parts.append(
            f'<text class="s" x="{x + 8:.1f}" y="{base:.1f}">{html.escape(text)}</text>'
            f'<rect class="b" x="{bar:.1f}" y="{base - 8:.1f}" width="{_BAR * share:.1f}" height="9"/>'
            f'<text class="s" x="{x + width - 36:.1f}" y="{base:.1f}">{share:.3f}</text>'
        )
    return "".join(parts) + "</g>"


def dot_of(network: Any) -> str:
    """The graph in the language of Graphviz."""
    quoted = {name: '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in network.nodes}
    lines = [f"  {quoted[name]};" for name in network.nodes]
    lines += [f"  {quoted[parent]} -> {quoted[child]};" for parent, child in network.edges]
    return "\n".join(["digraph {", *lines, "}"]) + "\n"
