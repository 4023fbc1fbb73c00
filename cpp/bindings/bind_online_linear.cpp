#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bindings/common.hpp"
#include "online/linear_stream.hpp"
#include "online/name_hash.hpp"

namespace certus::bindings {
namespace {

using online::Options;

constexpr double largest = 1e50;  // squares of sums of larger entries could overflow

// The arrays of a learner, which Python holds, behind calls that cost little for one row.
class OnlineLinear {
 public:
  OnlineLinear(const Options& options, double constant, Matrix<double> vectors, Matrix<double> numbers,
               Matrix<double> matrix)
      : options_(options), constant_(constant), vectors_(vectors), numbers_(numbers), matrix_(matrix) {}

  Index learn_dense(Matrix<const double> x, Vector<const double> targets, Vector<const double> shares,
                    Matrix<double> scores) {
    const online::DenseRows rows(view(x), constant_);
    return run_kernel([&](StopToken& stop) {
      return online::learn_rows(rows, span(targets), span(shares), options_, state(), stop, view(scores));
    });
  }
  Index learn_sparse(Vector<const std::int32_t> starts, Vector<const std::int32_t> columns,
                     Vector<const double> values, Vector<const double> targets, Vector<const double> shares,
                     Matrix<double> scores) {
    const online::SparseRows rows({span(starts), span(columns), span(values)}, width(), constant_);
    return run_kernel([&](StopToken& stop) {
      return online::learn_rows(rows, span(targets), span(shares), options_, state(), stop, view(scores));
    });
  }
  void score_dense(Matrix<const double> x, Matrix<double> scores) {
    const online::DenseRows rows(view(x), constant_);
    run_kernel([&](StopToken& stop) { online::score_rows(rows, options_, state(), stop, view(scores)); });
  }
  void score_sparse(Vector<const std::int32_t> starts, Vector<const std::int32_t> columns,
                    Vector<const double> values, Matrix<double> scores) {
    const online::SparseRows rows({span(starts), span(columns), span(values)}, width(), constant_);
    run_kernel([&](StopToken& stop) { online::score_rows(rows, options_, state(), stop, view(scores)); });
  }
  // One row given as a dict of numbers. False, and nothing learned, if a name is not in the table or a
  // value is anything else: the caller then finds out what to do.
  bool learn_dict(nb::dict names, int bits, nb::dict x, double target, Vector<double> scores) {
    if (!read(names, bits, x)) return false;
    StopToken never;
    const View2D<double> out(scores.data(), 1, static_cast<Index>(scores.size()));
    online::learn_rows(row(), std::span<const double>(&target, 1), {}, options_, state(), never, out);
    return true;
  }
  bool score_dict(nb::dict names, int bits, nb::dict x, Vector<double> scores) {
    if (!read(names, bits, x)) return false;
    StopToken never;
    const View2D<double> out(scores.data(), 1, static_cast<Index>(scores.size()));
    online::score_rows(row(), options_, state(), never, out);
    return true;
  }

 private:
  Index width() const { return static_cast<Index>(vectors_.shape(1)) - 1; }
  online::State state() { return {view(vectors_), view(numbers_), view(matrix_)}; }
  online::SparseRows row() const { return {{starts_, columns_, values_}, width(), constant_}; }

  bool read(const nb::dict& names, int bits, const nb::dict& x) {
    columns_.clear();
    values_.clear();
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(x.ptr(), &at, &key, &value)) {
      const bool number = PyFloat_Check(value) || PyLong_Check(value);
      const double entry = number ? PyFloat_AsDouble(value) : NAN;
      const Index column = number ? column_of(names, bits, key) : -1;
      if (column < 0 || column >= width() || !(std::abs(entry) <= largest)) {
        PyErr_Clear();
        return false;
      }
      columns_.push_back(static_cast<std::int32_t>(column));
      values_.push_back(entry);
    }
    if (bits > 0) merge();
    starts_ = {0, static_cast<std::int32_t>(columns_.size())};
    return true;
  }
  static Index column_of(const nb::dict& names, int bits, PyObject* key) {
    if (bits == 0) {
      PyObject* found = PyDict_GetItemWithError(names.ptr(), key);
      return found == nullptr ? -1 : static_cast<Index>(PyLong_AsLong(found));
    }
    Py_ssize_t size = 0;
    const char* text = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, &size) : nullptr;
    return text == nullptr ? -1 : online::hashed_column({text, static_cast<std::size_t>(size)}, bits);
  }
  // Names that share a column: their values are added.
  void merge() {
    order_.clear();
    for (std::size_t k = 0; k < columns_.size(); ++k) order_.emplace_back(columns_[k], values_[k]);
    std::stable_sort(order_.begin(), order_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    columns_.clear();
    values_.clear();
    for (const auto& [column, value] : order_) {
      if (!columns_.empty() && columns_.back() == column) {
        values_.back() += value;
      } else {
        columns_.push_back(column);
        values_.push_back(value);
      }
    }
  }

  Options options_;
  double constant_;
  Matrix<double> vectors_, numbers_, matrix_;
  std::vector<std::int32_t> starts_, columns_;
  std::vector<double> values_;
  std::vector<std::pair<std::int32_t, double>> order_;
};

Options make_options(int rule, Loss loss, double eta, double radius, double factor, double threshold,
                     bool squared, bool conservative, bool classifies) {
  return {static_cast<online::Rule>(rule),
          loss,
          eta,
          radius,
          factor,
          threshold,
          squared,
          conservative,
          classifies};
}

}  // namespace

void bind_online_linear(nb::module_& m) {
  nb::class_<Options>(m, "OnlineOptions")
      .def(
          "__init__",
          [](Options* self, int rule, Loss loss, double eta, double radius, double factor, double threshold,
             bool squared, bool conservative, bool classifies) {
            new (self) Options(
                make_options(rule, loss, eta, radius, factor, threshold, squared, conservative, classifies));
          },
          nb::arg("rule"), nb::arg("loss"), nb::arg("eta"), nb::arg("radius"), nb::arg("factor"),
          nb::arg("threshold"), nb::arg("squared"), nb::arg("conservative"), nb::arg("classifies"));
  nb::class_<OnlineLinear>(m, "OnlineLinear")
      .def(nb::init<const Options&, double, Matrix<double>, Matrix<double>, Matrix<double>>(),
           nb::arg("options"), nb::arg("constant"), nb::arg("vectors").noconvert(),
           nb::arg("numbers").noconvert(), nb::arg("matrix").noconvert())
      .def("learn_dense", &OnlineLinear::learn_dense, nb::arg("x").noconvert(),
           nb::arg("targets").noconvert(), nb::arg("shares").noconvert(), nb::arg("scores").noconvert())
      .def("learn_sparse", &OnlineLinear::learn_sparse, nb::arg("starts").noconvert(),
           nb::arg("columns").noconvert(), nb::arg("values").noconvert(), nb::arg("targets").noconvert(),
           nb::arg("shares").noconvert(), nb::arg("scores").noconvert())
      .def("score_dense", &OnlineLinear::score_dense, nb::arg("x").noconvert(), nb::arg("scores").noconvert())
      .def("score_sparse", &OnlineLinear::score_sparse, nb::arg("starts").noconvert(),
           nb::arg("columns").noconvert(), nb::arg("values").noconvert(), nb::arg("scores").noconvert())
      .def("learn_dict", &OnlineLinear::learn_dict, nb::arg("names"), nb::arg("bits"), nb::arg("x"),
           nb::arg("target"), nb::arg("scores").noconvert())
      .def("score_dict", &OnlineLinear::score_dict, nb::arg("names"), nb::arg("bits"), nb::arg("x"),
           nb::arg("scores").noconvert());
  m.def("online_fields", [](int rule) { return online::fields(static_cast<online::Rule>(rule)); });
  m.def("online_hashed_column",
        [](const std::string& name, int bits) { return online::hashed_column(name, bits); });
}

}  // namespace certus::bindings
