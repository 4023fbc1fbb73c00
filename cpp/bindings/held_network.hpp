// The arrays of a Bayesian network, held for compiled code.
#pragma once

#include "bindings/common.hpp"
#include "graphical/network_model.hpp"

namespace certus::bindings {

// Arrays that a model in C++ points into; whoever holds it keeps them alive.
struct HeldNetwork {
  Vector<const std::int64_t> cards, parent_begins, parents, table_begins;
  Vector<const double> values;

  HeldNetwork(Vector<const std::int64_t> cards_, Vector<const std::int64_t> parent_begins_,
              Vector<const std::int64_t> parents_, Vector<const std::int64_t> table_begins_,
              Vector<const double> values_)
      : cards(cards_),
        parent_begins(parent_begins_),
        parents(parents_),
        table_begins(table_begins_),
        values(values_) {}

  graphical::NetworkModel model() const {
    return {span(cards), span(parent_begins), span(parents), span(table_begins), span(values)};
  }
};

}  // namespace certus::bindings
