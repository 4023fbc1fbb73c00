"""Parts in torch give what the modules in NumPy give with the same weights, and what they promise about order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from certus.neural import modules
from certus.neural.deep.blocks import attention_blocks, graph_blocks, seq2seq_blocks, transformer_blocks
from certus.neural.deep.graphs.given_graph import read_graph

CLOSE = 1e-5
RNG = np.random.default_rng(0)
X, MEMORY = RNG.normal(size=(2, 5, 8)), RNG.normal(size=(2, 7, 8))


def tensor(values: Any) -> Any:
    return torch.as_tensor(np.asarray(values), dtype=torch.float32)


def copy_dense(linear: Any, dense: Any) -> None:
    linear.weight.data = tensor(dense.parameters["weights"].T)
    linear.bias.data = tensor(dense.parameters["bias"])


def same(ours: Any, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours.detach().numpy(), theirs, rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool) -> None:
    theirs = modules.Attention(causal=causal)
    mixed = theirs.forward(X, X, MEMORY[:, :5])
    weights = attention_blocks.attention_weights(tensor(X), tensor(X), causal=causal)
    same(weights, theirs.weights)
    same(weights @ tensor(MEMORY[:, :5]), mixed)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("memory", [None, MEMORY], ids=["own", "memory"])
def test_multi_head_attention(causal: bool, memory: Any) -> None:
    theirs = modules.MultiHeadAttention(8, 2, causal, random_state=0)
    ours = attention_blocks.MultiHeadAttention(8, 2, causal=causal)
    for name, dense in theirs.children().items():
        copy_dense(getattr(ours, name), dense)
    same(ours(tensor(X), None if memory is None else tensor(memory)), theirs.forward(X, memory))


def test_feed_forward_and_positions() -> None:
    theirs, ours = modules.FeedForward(8, 16, random_state=0), attention_blocks.FeedForward(8, 16)
    copy_dense(ours[0], theirs.inner)
    copy_dense(ours[2], theirs.outer)
    same(ours(tensor(X)), theirs.forward(X))
    same(attention_blocks.position_codes(300, 7, tensor(X)), modules.PositionalEncoding(7).code(300))


def test_an_encoder_block_is_its_modules() -> None:
    block = transformer_blocks.EncoderBlock(8, 2).eval()
    attention, network = modules.MultiHeadAttention(8, 2, random_state=0), modules.FeedForward(8, 32, random_state=1)
    for name, dense in attention.children().items():
        copy_dense(getattr(block.own, name), dense)
    copy_dense(block.network[0], network.inner)
    copy_dense(block.network[2], network.outer)
    norm = modules.LayerNorm(8)
    middle = X + attention.forward(norm.forward(X))
    same(block(tensor(X)), middle + network.forward(norm.forward(middle)))


def test_lstm() -> None:
    theirs, ours = modules.LSTM(8, 6, random_state=0), torch.nn.LSTM(8, 6, batch_first=True)
    ours.weight_ih_l0.data = tensor(theirs.parameters["input_weights"].T)
    ours.weight_hh_l0.data = tensor(theirs.parameters["hidden_weights"].T)
    ours.bias_ih_l0.data = tensor(theirs.parameters["bias"])
    ours.bias_hh_l0.data.zero_()
    same(ours(tensor(X))[0], theirs.forward(X))


def test_attention_of_a_recurrent_decoder() -> None:
    net = seq2seq_blocks.RecurrentSeq2Seq(5, 5, 8, 1, attention=True)
    dense, theirs = modules.Dense(8, 8, random_state=0), modules.Attention()
    copy_dense(net.query, dense)
    theirs.forward(dense.forward(X), MEMORY, MEMORY)
    ours = net.weights(tensor(X), tensor(MEMORY), torch.ones(2, 7, dtype=torch.bool))
    same(ours, theirs.weights)


def graph_of(nodes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    A = np.triu(random.random((nodes, nodes)) * (random.random((nodes, nodes)) < 0.5), 1)
    return A + A.T, random.normal(size=(nodes, 3))


GRAPHS = [graph_of(nodes, seed) for seed, nodes in enumerate((5, 1, 8))]


def batch() -> Any:
    return graph_blocks.batch_of([read_graph(graph, "test") for graph in GRAPHS])


def test_graph_convolution() -> None:
    theirs, ours = modules.GraphConvolution(3, 4, random_state=0), graph_blocks.GraphConvolution(3, 4)
    copy_dense(ours.linear, theirs.linear)
    given = batch()
    same(ours(given, given.features), np.concatenate([theirs.forward(A, F) for A, F in GRAPHS]))


@pytest.mark.parametrize("aggregate", ["sum", "mean", "max"])
def test_message_passing(aggregate: str) -> None:
    theirs, given = modules.MessagePassing(aggregate), batch()
    ours = graph_blocks.MessagePassing(aggregate)(given, given.features)
    same(ours, np.concatenate([theirs.forward(A, F) for A, F in GRAPHS]))


@pytest.mark.parametrize("layer", ["convolution", "sum", "mean", "max"])
def test_relabelled_nodes_get_the_same_vectors(layer: str) -> None:
    A, F = GRAPHS[0]  # A, B, C, D, E
    order = [1, 3, 0, 4, 2]  # B, D, A, E, C
    net = graph_blocks.GraphEncoder(3, (6, 4), layer).eval()
    straight = net(graph_blocks.batch_of([read_graph((A, F), "test")]))
    other = net(graph_blocks.batch_of([read_graph((A[np.ix_(order, order)], F[order]), "test")]))
    same(other, straight.detach().numpy()[order])


# ---- masks and order ------------------------------------------------------------------------------------------------
def test_rows_of_attention_add_up_to_one_and_leave_padding_out() -> None:
    present = torch.ones(2, 5, dtype=torch.bool)
    present[1, 3:] = False
    weights = attention_blocks.MultiHeadAttention(8, 4).weights(tensor(X), present=present)
    same(weights.sum(-1), np.ones((2, 4, 5)))
    assert (weights[1, ..., 3:] == 0).all()
    assert (weights[1, ..., :3] > 0).all()
    causal = attention_blocks.MultiHeadAttention(8, 4, causal=True).weights(tensor(X))
    same(causal.sum(-1), np.ones((2, 4, 5)))
    assert (causal.triu(1) == 0).all()


def test_without_positions_a_permuted_sequence_gives_permuted_outputs() -> None:
    order = [3, 0, 4, 1, 2]
    bare = transformer_blocks.TransformerEncoder(8, 2, 2, positions=False).eval()
    same(bare(tensor(X[:, order])), bare(tensor(X)).detach().numpy()[:, order])
    placed = transformer_blocks.TransformerEncoder(8, 2, 2).eval()
    moved = placed(tensor(X[:, order])) - placed(tensor(X))[:, order]
    assert moved.abs().max() > 0.05


def networks() -> list[Any]:
    torch.manual_seed(0)
    return [
        seq2seq_blocks.RecurrentSeq2Seq(9, 9, 8, 2, attention=True).eval(),
        seq2seq_blocks.RecurrentSeq2Seq(9, 9, 8, 1, attention=False).eval(),
        seq2seq_blocks.TransformerSeq2Seq(9, 9, 8, 2, 2).eval(),
    ]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_later_symbol_never_changes_an_earlier_output(which: int) -> None:
    net = networks()[which]
    source, shifted = torch.tensor([[3, 4, 5]]), torch.tensor([[1, 2, 3, 4, 5, 6]])
    before = net(source, shifted)
    for place in range(6):
        changed = shifted.clone()
        changed[0, place] = 8
        after = net(source, changed)
        assert torch.equal(after[:, :place], before[:, :place])
        assert not torch.equal(after[:, place:], before[:, place:])


@pytest.mark.parametrize("which", [0, 1, 2])
def test_padding_changes_nothing(which: int) -> None:
    net = networks()[which]
    short, long = torch.tensor([[3, 4, 0, 0]]), torch.tensor([[5, 6, 7, 8]])
    shifted = torch.tensor([[1, 2, 3]])
    together = net(torch.cat([short, long]), shifted.repeat(2, 1))
    same(together[:1], net(short[:, :2], shifted).detach().numpy())


@pytest.mark.parametrize("which", [0, 1, 2])
def test_decoding_takes_the_likeliest_next_symbol_again_and_again(which: int) -> None:
    net = networks()[which]
    with torch.no_grad():
        net.scores.bias[1] -= 0.3  # so that some end later than others
        source = torch.randint(1, 9, (12, 4), generator=torch.Generator().manual_seed(1))
        written = net.write(source, 6)
        for row in range(12):
            said = [1]
            while len(said) < 7:
                following = int(net(source[row : row + 1], torch.tensor([said]))[0, -1, 1:].argmax()) + 1
                if following == 1:
                    break
                said.append(following)
            found = written[row][written[row] > 0].tolist()
            assert found == said[1:]
