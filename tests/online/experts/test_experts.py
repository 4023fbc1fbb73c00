"""What experts' learners predict: worked tables, identities, twins, the protocol, and input that is none."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import rel_entr

import certus
from certus.guarantees import CertificateError, Ledger
from certus.online import (
    AdaHedge,
    AggregatingAlgorithm,
    FixedShare,
    FlooredWeights,
    Halving,
    Hedge,
    MetaExperts,
    Specialists,
    Squint,
    VariableShare,
    WeightedAverage,
    WeightedMajority,
    best_switching,
    c_regret,
    force_double_loss,
    force_halvings,
)
from certus.online.experts.readable_forecasts import project_above
from tests.online.experts.streams import ALLOCATIONS, FORECASTERS, VOTERS, coins, vote_stream

TABLE = np.array([[0.5, 0.75, -1.5, 0.75], [3, -1.5, 3, -1.3], [2, -1, 2, 1.5], [1, -2, -4, 1.5]])
LABELS = np.array([0.75, -1.5, 2.0, 1.0])


def test_table_of_four_experts():
    """Losses of the experts, of the played predictions 0, 1.5, 1.5, .75, and of the best expert, the fourth."""
    model = WeightedAverage(value_range=(-4.0, 4.0))
    model.run(TABLE, LABELS)
    assert (64 * model.losses_).round(4).tolist() == [20.3125, 18.0, 50.3125, 0.54]
    assert ((np.array([0, 1.5, 1.5, 0.75]) - LABELS) ** 2).sum() == 9.875
    assert model.ledger_.comparator == pytest.approx(0.54)
    assert model.ledger_.bound == pytest.approx(64 * 2 * math.log(4))


def test_cumulative_loss_of_a_table_of_votes():
    """Three days of predictions 0, 1, 1 against labels 1, 0, 1: losses 1, 1, 0."""
    votes, labels, said = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1]], [1, 0, 1], [0, 1, 1]
    assert [int(a != b) for a, b in zip(said, labels, strict=True)] == [1, 1, 0]
    model = WeightedMajority()
    played = model.run(votes, labels)
    assert model.ledger_.loss == (played != labels).sum()
    assert model.ledger_.comparator == 0.0  # the second expert is never wrong
    assert model.ledger_.regret == model.ledger_.loss


def test_halving_trace():
    """Eight experts: a tie predicts 1, four survive, three, one; two mistakes, at most lg 8."""
    model = Halving()
    trace = [([1, 1, 0, 0, 1, 1, 0, 0], 0), ([0, 0, 0, 1, 0, 0, 1, 1], 1), ([0, 0, 0, 1, 0, 0, 0, 0], 1)]
    said, survivors = [], []
    for votes, label in trace:
        said.append(model.predict_one(votes))
        model.learn_one(votes, label)
        survivors.append((np.flatnonzero(model.expert_mistakes_ == 0) + 1).tolist())
    assert said == [1.0, 1.0, 0.0]
    assert survivors == [[3, 4, 7, 8], [4, 7, 8], [4]]
    assert model.ledger_.mistakes == 2
    assert model.ledger_.mistake_bound == 3.0


def test_progress_of_the_log_loss_is_an_identity():
    """L(y, p) - sum u_i L(y, x_i) = d(u, v) - d(u, v'), for every u in the simplex."""
    rng = np.random.default_rng(0)
    advice, labels = rng.uniform(0.01, 0.99, (50, 6)), rng.integers(0, 2, 50)
    model = WeightedAverage("log")
    u = rng.dirichlet(np.ones(6))
    v = np.full(6, 1 / 6)
    for x, y in zip(advice, labels, strict=True):
        p = model.predict_one(x)
        model.learn_one(x, y)
        after = model.weights
        lost = -np.log(np.where(y, x, 1 - x))
        gain = -math.log(p if y else 1 - p) - u @ lost
        assert gain == pytest.approx(rel_entr(u, v).sum() - rel_entr(u, after).sum(), abs=1e-12)
        v = after


def test_soft_labels_of_the_log_loss():
    """L(y, p) = y ln(y/p) + (1-y) ln((1-y)/(1-p)) is the relative entropy of (y, 1-y) and (p, 1-p)."""
    model = WeightedAverage("log")
    model.run([[0.2, 0.6]], [0.3])
    wanted = [rel_entr([0.3, 0.7], [p, 1 - p]).sum() for p in (0.2, 0.6)]
    assert model.losses_ == pytest.approx(wanted, rel=1e-14)
    assert model.ledger_.loss == pytest.approx(rel_entr([0.3, 0.7], [0.4, 0.6]).sum())


def test_progress_of_hedge():
    """v.l - u.l <= (d(u,v) - d(u,v'))/eta + (eta/2) sum v_i l_i^2, and added up the second-order bound."""
    rng = np.random.default_rng(1)
    model, eta, u, total = Hedge(5, eta=0.7), 0.7, np.eye(5)[2], 0.0
    for lost in rng.random((40, 5)):
        v = model.weights
        paid = model.observe(lost)
        gain = (rel_entr(u, v).sum() - rel_entr(u, model.weights).sum()) / eta
        assert paid == pytest.approx(v @ lost, abs=1e-15)
        assert paid - u @ lost <= gain + eta / 2 * (v @ lost**2) + 1e-14
        total += v @ lost**2
    assert model.ledger_.lines[0].facts["squares"] == pytest.approx(total, rel=1e-12)
    wanted = math.log(5) / eta + min(eta / 2 * total, eta * 40 / 8)
    assert model.ledger_.bound == pytest.approx(wanted, rel=1e-11)


def test_losses_of_any_range():
    """Losses in [0, B]: eta = sqrt(8 ln n/T)/B, and a regret of at most B sqrt(T ln n/2)."""
    rng = np.random.default_rng(2)
    losses = 30.0 * (rng.random((400, 8)) < 0.5)
    wide, unit = Hedge(8, horizon=400, loss_range=(0.0, 30.0)), Hedge(8, horizon=400)
    assert wide.run(losses) == pytest.approx(30 * unit.run(losses / 30), rel=1e-12)
    assert wide.ledger_.bound <= 30 * math.sqrt(400 * math.log(8) / 2) * (1 + 1e-12)
    assert wide.ledger_.regret <= wide.ledger_.bound


def test_regret_per_trial_vanishes():
    rng = np.random.default_rng(3)
    table = (rng.random((20_000, 4)) < [0.5, 0.45, 0.5, 0.5]).astype(float)
    model, per_trial = AdaHedge(4), []
    for part in np.split(table, [200, 2000]):
        model.run(part)
        per_trial.append(model.ledger_.bound / model.trials_)
    assert per_trial[0] > 2 * per_trial[1] > 4 * per_trial[2]


@pytest.mark.parametrize("loss", ["square", "log"])
@pytest.mark.parametrize("prediction", ["average", "vovk"])
def test_fixed_share_is_the_mixture_of_all_sequences(loss, prediction):
    rng = np.random.default_rng(4)
    advice, labels = rng.uniform(0.05, 0.95, (7, 3)), rng.integers(0, 2, 7).astype(float)
    fixed = FixedShare(0.15, loss=loss, prediction=prediction).run(advice, labels)
    meta = MetaExperts(0.15, loss=loss, prediction=prediction)
    assert fixed == pytest.approx(meta.run(advice, labels), abs=1e-12)
    assert len(meta.last) == 3**7


def test_prior_of_the_sequences_and_their_number():
    n, trials, alpha = 3, 6, 0.2
    masses, with_two = 0.0, 0
    for sequence in itertools.product(range(n), repeat=trials):
        switches = sum(a != b for a, b in itertools.pairwise(sequence))
        masses += (1 / n) * (1 - alpha) ** (trials - 1 - switches) * (alpha / (n - 1)) ** switches
        with_two += switches == 2
    assert masses == pytest.approx(1.0, abs=1e-12)
    assert with_two == n * (n - 1) ** 2 * math.comb(trials - 1, 2) == 120


def test_best_switching_by_enumeration():
    losses = np.random.default_rng(5).random((6, 3))
    for switches in range(6):
        least = min(
            sum(losses[t, i] for t, i in enumerate(sequence))
            for sequence in itertools.product(range(3), repeat=6)
            if sum(a != b for a, b in itertools.pairwise(sequence)) <= switches
        )
        loss, sequence = best_switching(losses, switches)
        assert loss == pytest.approx(least, abs=1e-12)
        assert losses[np.arange(6), sequence].sum() == pytest.approx(loss, abs=1e-12)
        assert (np.diff(sequence) != 0).sum() <= switches


def test_live_sequences_are_those_of_dynamic_programming():
    model = VariableShare(0.1, switches=4)
    advice, labels = coins(model, 6, experts=5, trials=50)
    model.run(advice, labels)
    losses = (advice - labels[:, None]) ** 2
    for switches in range(5):
        assert model.ledger_.switching(switches).comparator == pytest.approx(best_switching(losses, switches)[0])


def test_experiment_with_three_shifts():
    """Means of ten runs of 800 trials, 64 experts, 3 shifts, within three standard errors of the known ones."""
    makers = {
        "vovk": (
            AggregatingAlgorithm,
            lambda: FixedShare(0.024, prediction="vovk"),
            lambda: VariableShare(0.024, prediction="vovk"),
        ),
        "average": (WeightedAverage, lambda: FixedShare(0.024), lambda: VariableShare(0.024)),
    }
    wanted = {"vovk": (51.4, 23.2, 20.9), "average": (48.4, 43.2, 40.5)}
    losses = {kind: np.zeros((10, 3)) for kind in makers}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        advice = rng.uniform(0.0, 0.5, (800, 64))
        for part, best in enumerate(rng.permutation(64)[:4]):
            advice[200 * part : 200 * part + 200, best] = rng.uniform(0.0, math.sqrt(1 / 40), 200)
        for kind, rules in makers.items():
            for column, make in enumerate(rules):
                model = make()
                model.run(advice, np.zeros(800))
                losses[kind][seed, column] = model.ledger_.loss
    for kind, table in losses.items():
        error = table.std(axis=0, ddof=1) / math.sqrt(10)
        assert (abs(table.mean(axis=0) - wanted[kind]) <= 3 * error).all(), kind
        assert (np.diff(table, axis=1) < 0).all()  # static > fixed > variable, in every run


def test_weights_above_a_floor_are_the_nearest_by_relative_entropy():
    """Optimality: free weights share one factor, raised ones had less."""
    v, floor = np.array([0.6, 0.3, 0.06, 0.03, 0.01]), 0.05
    w = project_above(v, floor)
    free = w > floor
    assert w.sum() == pytest.approx(1.0)
    assert np.ptp((w / v)[free]) < 1e-12
    assert ((w / v)[~free] >= (w / v)[free].max()).all()
    model = FlooredWeights(0.25, loss="log")
    for _ in range(30):
        model.learn_one([0.9, 0.1, 0.1, 0.1, 0.1], 1.0)
    assert model.weights.min() == pytest.approx(0.05)


def test_specialists_sleep():
    """The weight of those awake together stays; who joins late is compared from its first trial on."""
    nan = math.nan
    model = Specialists("log")
    model.run([[0.9, 0.2, nan], [0.9, 0.2, nan]], [1.0, 1.0])
    before = model.weights
    assert before[2] == pytest.approx(1 / 3)
    model.learn_one([nan, 0.4, 0.9], 1.0)
    assert model.weights[1:].sum() == pytest.approx(before[1:].sum())
    assert model.weights[0] == pytest.approx(before[0])
    assert model.losses_[2] == pytest.approx(-math.log(0.9))
    late = model.aside_[2]
    assert late <= math.log(3)


def test_adversaries():
    for make in (Halving, lambda: WeightedMajority(0.5), lambda: WeightedAverage()):
        for experts in (1, 2, 5, 16, 33):
            stream = force_halvings(make(), experts)
            assert stream.mistakes == experts.bit_length() - 1
            if stream.mistakes:
                assert (stream.advice == stream.labels[:, None]).all(axis=0).any()
        stream = force_double_loss(make(), 101)
        losses = (stream.advice != stream.labels[:, None]).astype(float)
        assert stream.mistakes == 101
        assert c_regret(losses, 101.0, 1.9) >= 101 - 1.9 * 50.5
    model = WeightedMajority(1 - math.sqrt(math.log(2) / 101))
    model.run(stream.advice, stream.labels)
    assert c_regret(losses, model.ledger_.loss, 2.0) <= 3 * math.sqrt(101 * math.log(2)) + 3


def test_randomized_majority_expects_what_it_says():
    """The mean of 400 runs is near the expected number, which does not depend on the draws."""
    advice, labels = vote_stream(1, experts=8, trials=40)
    runs = [WeightedMajority(0.7, randomized=True, random_state=seed) for seed in range(400)]
    for model in runs:
        model.run(advice, labels)
    mistakes = np.array([model.ledger_.mistakes for model in runs])
    expected = {model.ledger_.loss for model in runs}
    assert len(expected) == 1
    assert abs(mistakes.mean() - expected.pop()) <= 4 * mistakes.std() / 20
    assert runs[0].ledger_.report()["regret"].kind == "expectation"


LEARNERS = {**FORECASTERS, **VOTERS}


def stream_of(name):
    if name in VOTERS:
        return vote_stream(2, experts=6, trials=30)
    model = FORECASTERS[name]()
    return coins(model, 7, experts=200 if name == "average-prior" else 6, trials=30)


@pytest.mark.parametrize("name", LEARNERS)
def test_one_by_one_in_batches_and_whole_are_one_model(name, tmp_path):
    make, (advice, labels) = LEARNERS[name], stream_of(name)
    whole, ones, parts = make(), make(), make()
    predictions = whole.run(advice, labels)
    one_by_one = []
    for x, y in zip(advice, labels, strict=True):
        one_by_one.append(ones.predict_one(x))
        ones.learn_one(x, y)
    in_parts = [parts.run(advice[:7], labels[:7])]
    certus.save(parts, tmp_path / "half.certus")
    parts = certus.load(tmp_path / "half.certus")
    in_parts.append(parts.run(advice[7:], labels[7:]))
    fitted = make().fit(advice, labels)
    assert predictions.tolist() == one_by_one == np.concatenate(in_parts).tolist()
    for model in (ones, parts, fitted):
        assert model.ledger_.to_json() == whole.ledger_.to_json()
        assert model.predict(advice[:3]).tolist() == whole.predict(advice[:3]).tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_ledgers_are_those_of_their_twins(name):
    advice, labels = stream_of(name)
    model = LEARNERS[name]()
    model.run(advice, labels)
    ledger = model.ledger_
    assert ledger.check((advice, labels))
    assert model.report_.check()
    assert Ledger.from_json(ledger.to_json()).check((advice, labels))
    other = labels.copy()
    other[3] = advice.max() + labels.min() - other[3] if name in VOTERS else labels.max() + labels.min() - other[3]
    with pytest.raises(CertificateError):
        ledger.check((advice, other))


@pytest.mark.parametrize("name", ALLOCATIONS)
def test_allocations_in_batches_saved_and_checked(name, tmp_path):
    table = np.random.default_rng(8).random((40, 6))
    whole, ones = ALLOCATIONS[name](6, 40), ALLOCATIONS[name](6, 40)
    paid = whole.run(table)
    ones.run(table[:11])
    certus.save(ones, tmp_path / "some.certus")
    ones = certus.load(tmp_path / "some.certus")
    again = [ones.observe(row) for row in table[11:]]
    assert paid[11:].tolist() == again
    assert ones.weights.tolist() == whole.weights.tolist()
    assert whole.weights.sum() == pytest.approx(1.0)
    assert whole.ledger_.check(table)
    assert ones.ledger_.to_json() == whole.ledger_.to_json()
    with pytest.raises(CertificateError):
        whole.ledger_.check(table[::-1] * 0.9)


def test_weights_before_the_first_trial():
    for name, make in ALLOCATIONS.items():
        assert make(4, 10).weights.tolist() == [0.25] * 4, name
    with pytest.raises(ValueError, match="no expert gave advice"):
        WeightedAverage().weights


def test_losses_far_apart_lose_no_weight_for_good():
    """An expert 10 000 behind that recovers must lead again: weights are kept as logarithms."""
    table = np.zeros((40_000, 2))
    table[:10_000, 0] = 1.0
    table[10_000:, 1] = 1.0
    model = Hedge(2, eta=1.0)
    model.run(table)
    assert model.weights[0] == 1.0
    assert model.ledger_.regret <= model.ledger_.bound


def test_a_loss_outside_its_range_voids_and_all_else_goes_on():
    model = Hedge(2, eta=0.5)
    model.run([[0.5, 0.2], [0.3, 4.0]])
    ledger = model.ledger_
    assert [(fallen.line, fallen.trial) for fallen in ledger.void] == [("regret", 2)]
    assert math.isfinite(ledger.bound)  # the second-order part needs the lower end only
    model.observe([-1.0, 0.0])
    assert model.ledger_.bound == math.inf
    assert model.ledger_.regret == pytest.approx(model.ledger_.loss - model.losses_.min())
    forecaster = WeightedAverage()
    forecaster.run([[0.5, 0.2], [0.5, 7.0]], [1.0, 1.0])
    assert str(forecaster.ledger_.void[0]) == "regret: void since trial 2 (7 is outside [0, 1])"
    assert forecaster.ledger_.bound == math.inf
    assert forecaster.ledger_.check(([[0.5, 0.2], [0.5, 7.0]], [1.0, 1.0]))
    assert AdaHedge(2).run([[-50.0, 10.0]]).tolist() == [-20.0]


def state_of(model):
    return {name: np.copy(value) for name, value in vars(model).items() if name.endswith("_") and name != "report_"}


BAD = [
    (WeightedAverage, ([0.5, math.nan], 1.0), "advice of expert 1 in trial 2 must be finite, got nan"),
    (WeightedAverage, ([0.5], 1.0), "advice must come from 2 experts as before, got 1"),
    (WeightedAverage, ([0.5, 0.5], math.inf), "y of trial 2 must be finite"),
    (lambda: WeightedAverage("log"), ([0.5, 1.5], 1.0), r"advice of expert 1 in trial 2 must be in \[0, 1\]"),
    (lambda: WeightedAverage("log"), ([0.0, 0.0], 1.0), "in trial 2 every expert with weight gave probability 0"),
    (lambda: AggregatingAlgorithm("absolute"), ([0.1, 0.5], 0.5), "y in trial 2 must be 0 or 1"),
    (WeightedMajority, ([0.5, 1.0], 1.0), "advice of expert 0 in trial 2 must be 0 or 1, got 0.5"),
    (Halving, ([0.0, 1.0], 2.0), "y in trial 2 must be 0 or 1, got 2"),
    (Specialists, ([math.nan, math.nan], 1.0), "in trial 2 no expert is awake"),
    (lambda: FixedShare(0.1), (["a", "b"], 1.0), "advice must be one number per expert"),
]


@pytest.mark.parametrize(("make", "bad", "message"), BAD)
def test_bad_trials_are_refused_and_change_nothing(make, bad, message):
    model = make()
    model.learn_one([0.0, 1.0] if isinstance(model, (WeightedMajority, Halving)) else [0.4, 0.6], 1.0)
    before = state_of(model)
    with pytest.raises(ValueError, match=message) as raised:
        model.learn_one(*bad)
    assert "Hint" in str(raised.value)
    after = state_of(model)
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_bad_parameters_and_shapes():
    for alpha in (-0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match="alpha"):
            FixedShare(alpha).learn_one([0.1, 0.2], 1.0)
    with pytest.raises(ValueError, match="AdaHedge"):
        Hedge(3).observe([0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="n_experts"):
        AdaHedge(0).observe([0.1])
    with pytest.raises(ValueError, match="at least one expert"):
        WeightedAverage().learn_one([], 1.0)
    with pytest.raises(ValueError, match="at least one trial"):
        WeightedAverage().fit(np.zeros((0, 3)), [])
    with pytest.raises(ValueError, match="one label per trial"):
        WeightedAverage().run([[0.1, 0.2]], [1.0, 0.0])
    with pytest.raises(ValueError, match="learn_one takes the advice of one trial"):
        WeightedAverage().learn_one([[0.1, 0.2]], 1.0)
    with pytest.raises(ValueError, match="prior must have one weight per expert"):
        WeightedAverage(prior=[1.0, 2.0, 3.0]).learn_one([0.1, 0.2], 1.0)
    with pytest.raises(ValueError, match="value_range"):
        WeightedAverage(value_range=(1.0, 0.0)).learn_one([0.1, 0.2], 1.0)
    with pytest.raises(ValueError, match="observe takes the losses of one trial"):
        Squint(2).observe([[0.1, 0.2]])
    with pytest.raises(ValueError, match="must come from 2 experts"):
        Squint(2).run([[0.1, 0.2, 0.3]])
    with pytest.raises(ValueError, match="losses of trial 2, expert 0"):
        best_switching([[0.0, 1.0], [math.nan, 0.0]], 1)
    with pytest.raises(ValueError, match="cannot grow"):
        MetaExperts(0.1).run(np.zeros((30, 3)), np.zeros(30))


def test_extreme_parameters():
    """Weights far below the largest still break ties; constants are accurate for a beta near 1."""
    votes, labels = vote_stream(5, experts=6, trials=60)
    for beta in (1e-300, 1e-9, 0.999999):
        model = WeightedMajority(beta)
        model.run(votes, labels)
        assert model.ledger_.check((votes, labels))
    for alpha in (0.0, 1.0):
        for make in (FixedShare, VariableShare, FlooredWeights):
            model = make(alpha, switches=2)
            advice, outcomes = coins(model, 3, experts=4, trials=20)
            model.run(advice, outcomes)
            assert model.ledger_.check((advice, outcomes))
    assert WeightedAverage().run(np.zeros((0, 3)), []).shape == (0,)
    assert Hedge(3, eta=1.0).run(np.zeros((0, 3))).shape == (0,)
    with pytest.raises(ValueError, match="value_range"):
        WeightedAverage(value_range=(-1e200, 1e200)).learn_one([0.1, 0.2], 1.0)
    far = FixedShare(0.0)
    far.run(np.repeat([[1.0, 0.0], [0.0, 1.0]], [2000, 4000], axis=0), np.zeros(6000))
    assert far.ledger_.regret <= far.ledger_.bound  # who was 2000 behind leads again


def test_one_expert_alone():
    for name, make in FORECASTERS.items():
        if name == "average-prior":
            continue
        model = make()
        model.run([[0.25]] * 4, [0.0] * 4)
        assert model.ledger_.regret == pytest.approx(0.0, abs=1e-12) or name == "vovk-absolute"
        assert model.ledger_.regret <= model.ledger_.bound + 1e-12
    assert AdaHedge(1).run([[0.3]] * 3).tolist() == [0.3] * 3
