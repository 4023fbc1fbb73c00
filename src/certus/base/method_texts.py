"""What the methods that learners have in common take and return; `certus.base.docstrings` fills it in."""

ARGUMENTS = """
X : table of shape (n_samples, n_features)
    Rows, in any form that ``fit`` accepts.
y : array-like of shape (n_samples,)
    Their labels or target values.
sample_weight : float or array-like of shape (n_samples,), default=None
    Weight of each row: 0 removes it, 2 counts it twice.
check_input : bool, default=True
    False skips the checks, for callers that have made them; trees then need a float32 array or CSR matrix.
classes : array-like of shape (n_classes,), default=None
    All labels that may ever come; needed at the first call.
params, fit_params
    Further parameters for the parts of this learner, if metadata routing is enabled.
"""

# What a learner without targets says of them.
UNUSED = """
y : ignored
    There for compatibility.
"""

_TRAINING = """
X : array-like of shape (n_samples, n_features)
    Training rows.
"""

SECTIONS = {
    "fit": {"": "Learn from training rows.", "Parameters": _TRAINING, "Returns": "self\n    The fitted learner."},
    "partial_fit": {
        "": "Learn from a further batch of rows.",
        "Parameters": _TRAINING.replace("Training rows", "The batch"),
        "Returns": "self\n    The learner.",
    },
    "fit_predict": {"Parameters": _TRAINING, "Returns": "ndarray of shape (n_samples,)"},
    "fit_transform": {"Parameters": _TRAINING, "Returns": "ndarray of shape (n_samples, n_features_out)"},
    "predict": {"": "Predict a value for each row.", "Returns": "ndarray of shape (n_samples,)"},
    "predict_proba": {
        "": "Probabilities of the classes for each row.",
        "Returns": "ndarray of shape (n_samples, n_classes)\n    In the order of ``classes_``; every row sums to 1.",
    },
    "predict_log_proba": {
        "": "Logarithm of `predict_proba`.",
        "Returns": "ndarray of shape (n_samples, n_classes)\n    In the order of ``classes_``.",
    },
    "decision_function": {
        "": "Scores of the classes for each row.",
        "Returns": "ndarray of shape (n_samples,) or (n_samples, n_classes)\n"
        "    For two classes one number, above 0 where the second class is predicted.",
    },
    "score": {"Returns": "float"},
    "transform": {"Returns": "ndarray of shape (n_samples, n_features_out)"},
    "get_metadata_routing": {
        "": "Which metadata is passed on to which part.",
        "Returns": "MetadataRouter\n    The routing.",
    },
}


def parameters_of(method: str, *, takes_sparse: bool) -> str:
    """The section Parameters of a method that says nothing of them itself."""
    text = SECTIONS.get(method, {}).get("Parameters", "")
    return text.replace("X : array-like", "X : {array-like, sparse matrix}") if takes_sparse else text
