"""One trainer for every torch module of the package, and what a learner does to use it.

A learner derives from `certus.neural.deep.learning.deep_learner.DeepLearner` and from the class of its task, and has
three things to say:

1. ``_build()``: the untrained module, made from the learner's parameters and from what ``fit`` found out about the data
   (widths, classes: fitted attributes that ``_state`` lists). It is called by ``fit``, and again when a loaded or
   copied learner first predicts, so it must depend on nothing else. Import torch and torch blocks inside of it.
2. An `Objective`: ``count`` examples, ``batch(rows)`` makes tensors of some of them, ``loss(module, batch)`` returns
   the weighted sum of their losses (a tensor with a gradient) and the sum of their weights, ``score()`` judges a
   finished epoch (larger is better; None: nothing is held out and the last epoch is kept). Models with players that
   are trained in turn (generator and discriminator) name ``phases`` and say which ``parameters`` each phase moves.
3. ``fit`` (with ``@fit_method``) reads its data, calls ``saw_table``, sets what ``_build`` needs, and ends with

       self._train(objective)              # weights_, n_iter_, best_iter_, loss_curve_, validation_scores_, report_

   Predictions (with ``@predict_method``) ask the trained module within

       with self._asking() as module:      # evaluation mode, no gradients, own threads; tensors by self._tensor(array)
           ...

Inside ``_build``, ``loss`` and ``score`` torch's global generator is the learner's own, seeded by ``random_state`` and
the number of the epoch, and put back afterwards, so dropout and first weights need no further care. Draw whatever else
is random from it, too, and let nothing random live on from one epoch to the next: then a resumed training equals an
uninterrupted one to the bit without saving more than weights and the optimizers' memory.
"""

from certus.neural.deep.training.objective import Objective
from certus.neural.deep.training.trainer import Trainer
from certus.neural.deep.training.training_options import TrainingOptions
from certus.neural.deep.training.weight_arrays import read_weights, write_weights

__all__ = ["Objective", "Trainer", "TrainingOptions", "read_weights", "write_weights"]
