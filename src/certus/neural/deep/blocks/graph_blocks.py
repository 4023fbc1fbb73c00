"""Layers of graphs in torch: any number of graphs at once, as one list of edges."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from certus.neural.deep.graphs.given_graph import GivenGraph


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """Several graphs side by side: nodes are numbered through, and no edge leads from one graph to another.

    Attributes
    ----------
    features : Tensor of shape (nodes, features)
        Rows of all graphs.
    hears, heard : int Tensor of shape (edges,)
        Node hears[e] hears node heard[e]; every node hears itself once more.
    weights : Tensor of shape (edges,)
        Weights of edges, 1 added for the node itself.
    graph : int Tensor of shape (nodes,)
        The graph of every node.
    n_graphs : int
        Graphs.
    """

    features: Tensor
    hears: Tensor
    heard: Tensor
    weights: Tensor
    graph: Tensor
    n_graphs: int

    def to(self, device: torch.device | str) -> GraphBatch:
        """The same on another device."""
        return replace(
            self,
            features=self.features.to(device),
            hears=self.hears.to(device),
            heard=self.heard.to(device),
            weights=self.weights.to(device),
            graph=self.graph.to(device),
        )


def batch_of(graphs: list[GivenGraph], dtype: torch.dtype = torch.float32) -> GraphBatch:
    """Graphs as one batch."""
    hears, heard, weights, first = [], [], [], 0
    for graph in graphs:
        own = np.arange(graph.n_nodes)
        row = np.repeat(own, np.diff(graph.edges.indptr))
        hears += [row + first, own + first]
        heard += [graph.edges.indices + first, own + first]
        weights += [graph.edges.data, np.ones(graph.n_nodes)]
        first += graph.n_nodes
    graph_of = np.repeat(np.arange(len(graphs)), [graph.n_nodes for graph in graphs])
    return GraphBatch(
        torch.as_tensor(np.concatenate([graph.features for graph in graphs])).to(dtype),
        torch.as_tensor(np.concatenate(hears).astype(np.int64)),
        torch.as_tensor(np.concatenate(heard).astype(np.int64)),
        torch.as_tensor(np.concatenate(weights)).to(dtype),
        torch.as_tensor(graph_of),
        len(graphs),
    )


def summed(rows: Tensor, groups: Tensor, count: int) -> Tensor:
    """Sums of the rows of every group."""
    return rows.new_zeros(count, *rows.shape[1:]).index_add(0, groups, rows)


def largest(rows: Tensor, groups: Tensor, count: int) -> Tensor:
    """Maxima of the rows of every group, feature by feature; no group is empty."""
    places = groups[:, None].expand_as(rows)
    return rows.new_full((count, rows.shape[1]), -torch.inf).scatter_reduce(0, places, rows, "amax")


def averaged(rows: Tensor, groups: Tensor, count: int) -> Tensor:
    """Means of the rows of every group; no group is empty."""
    return summed(rows, groups, count) / summed(rows.new_ones(len(rows), 1), groups, count)


class GraphConvolution(nn.Module):
    """D^(-1/2) (A + I) D^(-1/2) X W + b, where D has the degrees of A + I (Kipf, Welling 2017)."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)

    def forward(self, batch: GraphBatch, features: Tensor) -> Tensor:
        scale = summed(batch.weights, batch.hears, len(features)).rsqrt()
        strength = scale[batch.hears] * batch.weights * scale[batch.heard]
        sent = features @ self.linear.weight.T  # before the sum, which then has as many columns as the output
        return summed(strength[:, None] * sent[batch.heard], batch.hears, len(features)) + self.linear.bias


class MessagePassing(nn.Module):
    """Sum, mean or maximum of the features of every node's neighbors and its own."""

    def __init__(self, aggregate: str = "sum") -> None:
        super().__init__()
        self.aggregate = aggregate

    def forward(self, batch: GraphBatch, features: Tensor) -> Tensor:
        sent, count = features[batch.heard], len(features)
        if self.aggregate == "max":
            return largest(sent, batch.hears, count)
        total = summed(batch.weights[:, None] * sent, batch.hears, count)
        if self.aggregate == "mean":
            return total / summed(batch.weights[:, None], batch.hears, count)
        return total


class MessageLayer(nn.Module):
    """Messages, then one affine layer."""

    def __init__(self, n_in: int, n_out: int, aggregate: str) -> None:
        super().__init__()
        self.messages = MessagePassing(aggregate)
        self.linear = nn.Linear(n_in, n_out)

    def forward(self, batch: GraphBatch, features: Tensor) -> Tensor:
        return self.linear(self.messages(batch, features))


class GraphEncoder(nn.Module):
    """Layers of one kind with ReLU and dropout between them: features of nodes to vectors of nodes."""

    def __init__(self, n_in: int, sizes: tuple[int, ...], layer: str, dropout: float = 0.0) -> None:
        super().__init__()
        widths = (n_in, *sizes)
        self.layers = nn.ModuleList(
            GraphConvolution(before, after) if layer == "convolution" else MessageLayer(before, after, layer)
            for before, after in itertools.pairwise(widths)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: GraphBatch) -> Tensor:
        values = batch.features
        for number, layer in enumerate(self.layers):
            if number:
                values = self.dropout(torch.relu(values))
            values = layer(batch, values)
        return values


class GraphReader(nn.Module):
    """An encoder, one vector per graph out of those of its nodes, and scores of it."""

    def __init__(self, n_in: int, sizes: tuple[int, ...], n_out: int, layer: str, readout: str, dropout: float) -> None:
        super().__init__()
        self.encoder = GraphEncoder(n_in, sizes, layer, dropout)
        self.readout = {"sum": summed, "mean": averaged, "max": largest}[readout]
        self.dropout = nn.Dropout(dropout)
        self.scores = nn.Linear(sizes[-1], n_out)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Scores of every graph."""
        nodes = torch.relu(self.encoder(batch))
        return self.scores(self.dropout(self.readout(nodes, batch.graph, batch.n_graphs)))


class NodeReader(nn.Module):
    """An encoder, and scores of nodes."""

    def __init__(self, n_in: int, sizes: tuple[int, ...], n_out: int, layer: str, dropout: float) -> None:
        super().__init__()
        self.encoder = GraphEncoder(n_in, (*sizes, n_out), layer, dropout)

    def forward(self, batch: GraphBatch, nodes: Tensor) -> Tensor:
        """Scores of some nodes of the batch."""
        return self.encoder(batch)[nodes]


class EdgeReader(nn.Module):
    """An encoder, and log-odds of edges: a learned offset less the squared distance of the two vectors."""

    def __init__(self, n_in: int, sizes: tuple[int, ...], width: int, layer: str, dropout: float) -> None:
        super().__init__()
        self.encoder = GraphEncoder(n_in, (*sizes, width), layer, dropout)
        self.offset = nn.Parameter(torch.zeros(()))

    def forward(self, batch: GraphBatch, pairs: Tensor) -> Tensor:
        """Log-odds of pairs of nodes, (pairs, 2)."""
        vectors = self.encoder(batch)
        return self.offset - (vectors[pairs[:, 0]] - vectors[pairs[:, 1]]).square().sum(dim=1)
