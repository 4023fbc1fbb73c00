#include <vector>

#include "bindings/common.hpp"
#include "text/hashed_rows.hpp"
#include "text/row_weights.hpp"
#include "text/term_counter.hpp"

namespace certus::bindings {
namespace {

using text::Analysis;
using text::HashedRows;
using text::TermCounter;
using text::Text;

constexpr Py_ssize_t kLongest = Py_ssize_t{1} << 28;  // characters of one text: its terms have 32-bit places
constexpr Py_UCS4 kSigma = 0x3A3;
constexpr std::size_t kPages = 0x110000 / 256;

// An analysis with what it refers to.
struct OwnedAnalysis {
  Analysis rule;
  text::TermTable stop_words;
  bool lowercase = false;
};

bool is_text(PyObject* object) {
#if PY_VERSION_HEX < 0x030C0000
  return PyUnicode_Check(object) && PyUnicode_READY(object) == 0;
#else
  return PyUnicode_Check(object);
#endif
}

// Views of the strings of a list, which must stay alive; what had to be made for them is kept beside.
struct Texts {
  std::vector<Text> views;
  std::vector<nb::object> made;

  Texts(const nb::list& list, const OwnedAnalysis& analysis) {
    const bool narrow = analysis.rule.characters.pages.size() < kPages;
    views.reserve(list.size());
    for (nb::handle each : list) {
      nb::object object = nb::borrow(each);
      if (!is_text(object.ptr())) throw nb::type_error("texts must be strings");
      const Py_ssize_t length = PyUnicode_GET_LENGTH(object.ptr());
      if (length > kLongest) throw nb::value_error("a text has more than 2^28 characters");
      if (narrow && PyUnicode_KIND(object.ptr()) > 1)
        throw nb::value_error("the tables of characters are too short");
      // The one letter whose lowercase form depends on its neighbors.
      if (analysis.lowercase && PyUnicode_KIND(object.ptr()) > 1 &&
          PyUnicode_FindChar(object.ptr(), kSigma, 0, length, 1) >= 0) {
        object = object.attr("lower")();
        made.push_back(object);
      }
      views.push_back({PyUnicode_DATA(object.ptr()), static_cast<Index>(PyUnicode_GET_LENGTH(object.ptr())),
                       static_cast<int>(PyUnicode_KIND(object.ptr()))});
    }
  }
};

nb::object term_of(std::string_view term) {
  PyObject* made = PyUnicode_DecodeUTF8(term.data(), static_cast<Py_ssize_t>(term.size()), "surrogatepass");
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

nb::tuple first_that_is_no_text(const nb::list& list) {
  int width = 1;
  Py_ssize_t row = 0;
  for (nb::handle each : list) {
    if (!is_text(each.ptr())) return nb::make_tuple(row, width);
    width = std::max(width, static_cast<int>(PyUnicode_KIND(each.ptr())));
    ++row;
  }
  return nb::make_tuple(-1, width);
}

nb::list terms_of(const TermCounter& counter, const Vector<const std::int64_t>& columns) {
  nb::list found;
  for (std::uint32_t id = 0; id < counter.table().size(); ++id)
    if (columns(id) >= 0) found.append(term_of(counter.table()[id]));
  return found;
}

void bind_analysis(nb::module_& m) {
  nb::class_<OwnedAnalysis>(m, "TextAnalysis", "How texts are cut into terms.")
      .def(
          "__init__",
          [](OwnedAnalysis* self, Vector<const std::uint16_t> pages, Vector<const std::int32_t> shifts,
             Vector<const std::uint8_t> kinds, Vector<const std::uint32_t> sequences, bool lowercase,
             int unit, int min_letters, std::uint32_t min_n, std::uint32_t max_n,
             const nb::list& stop_words) {
            new (self) OwnedAnalysis;
            self->lowercase = lowercase;
            for (nb::handle word : stop_words) {
              const auto bytes = nb::cast<nb::bytes>(word);
              const std::string_view term(bytes.c_str(), bytes.size());
              self->stop_words.add(term, text::hash_bytes(term));
            }
            self->rule = {{span(pages), span(shifts), span(kinds), span(sequences)},
                          static_cast<text::Unit>(unit),
                          min_letters,
                          min_n,
                          max_n,
                          self->stop_words.size() ? &self->stop_words : nullptr};
          },
          nb::arg("pages").noconvert(), nb::arg("shifts").noconvert(), nb::arg("kinds").noconvert(),
          nb::arg("sequences").noconvert(), nb::arg("lowercase"), nb::arg("unit"), nb::arg("min_letters"),
          nb::arg("min_n"), nb::arg("max_n"), nb::arg("stop_words"), nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>());
  m.def("first_that_is_no_text", &first_that_is_no_text, nb::arg("texts"),
        "The place of the first element that is no string, or -1; and the bytes per character of the widest "
        "before.");
}

template <class Value, class Place>
void bind_unloading(nb::class_<TermCounter>& counter, nb::class_<HashedRows>& hashed) {
  counter.def(
      "unload",
      [](TermCounter& self, Vector<const std::int64_t> columns, Vector<Place> starts, Vector<Place> indices,
         Vector<Value> values, int threads) {
        run_kernel([&](StopToken& stop) {
          self.unload<Value, Place>(span(columns), span(starts), span(indices), span(values), threads, stop);
        });
      },
      nb::arg("columns").noconvert(), nb::arg("starts").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("values").noconvert(), nb::arg("threads"),
      "The table with term t in column columns[t]; what was counted is given up.");
  hashed.def(
      "unload",
      [](HashedRows& self, Vector<Place> starts, Vector<Place> indices, Vector<Value> values) {
        const WithoutGil released;
        self.unload<Value, Place>(span(starts), span(indices), span(values));
      },
      nb::arg("starts").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
      "The table as sorted rows; what was counted is given up.");
}

template <class Value, class Place>
void bind_weights(nb::module_& m) {
  m.def(
      "weigh_rows",
      [](Vector<Value> values, Vector<const Place> columns, Vector<const Place> starts,
         Vector<const Value> weights, int norm, int threads) {
        run_kernel([&](StopToken& stop) {
          text::weigh_rows<Value, Place>(span(values), span(columns), span(starts), span(weights),
                                         static_cast<text::Norm>(norm), threads, stop);
        });
      },
      nb::arg("values").noconvert(), nb::arg("columns").noconvert(), nb::arg("starts").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("norm"), nb::arg("threads"),
      "Multiply columns by weights (none if empty) and divide rows by their norm, in place.");
}

template <class Counter>
auto add_texts() {
  return [](Counter& self, const OwnedAnalysis& analysis, const nb::list& texts, int threads) {
    const Texts found(texts, analysis);
    run_kernel([&](StopToken& stop) { self.add(analysis.rule, found.views, threads, stop); });
  };
}

nb::class_<TermCounter> bind_counter(nb::module_& m) {
  return nb::class_<TermCounter>(m, "TermCounter", "Counts the terms of texts.")
      .def(nb::init<>())
      .def("forget_terms", &TermCounter::forget_terms, "Give up the table of terms; their numbers stay.")
      .def("add", add_texts<TermCounter>(), nb::arg("analysis"), nb::arg("texts"), nb::arg("threads"),
           "Count further texts; nobody may change the list meanwhile.")
      .def_prop_ro("rows", &TermCounter::rows)
      .def_prop_ro("n_terms", &TermCounter::terms)
      .def("terms", &terms_of, nb::arg("columns").noconvert(),
           "The terms whose column is not negative, in the order in which they first came.")
      .def(
          "ranks",
          [](const TermCounter& self, Vector<std::int64_t> out, int threads) {
            run_kernel([&](StopToken& stop) { self.ranks(span(out), threads, stop); });
          },
          nb::arg("out").noconvert(), nb::arg("threads"), "The place of every term in the order of all.")
      .def(
          "totals",
          [](const TermCounter& self, Vector<std::int64_t> rows, Vector<std::int64_t> sums) {
            run_kernel([&](StopToken& stop) { self.totals(span(rows), span(sums), stop); });
          },
          nb::arg("rows").noconvert(), nb::arg("sums").noconvert(), "Rows that have each term, and its sum.")
      .def(
          "entries",
          [](const TermCounter& self, Vector<const std::int64_t> columns) {
            return run_kernel([&](StopToken& stop) { return self.entries(span(columns), stop); });
          },
          nb::arg("columns").noconvert(), "Entries of the table with term t in column columns[t].");
}

}  // namespace

void bind_text(nb::module_& m) {
  bind_analysis(m);
  auto counter = bind_counter(m);
  auto hashed = nb::class_<HashedRows>(m, "HashedRows", "Counts hashed terms of texts.")
                    .def(nb::init<std::uint32_t, bool>(), nb::arg("columns"), nb::arg("signs"))
                    .def("add", add_texts<HashedRows>(), nb::arg("analysis"), nb::arg("texts"),
                         nb::arg("threads"), "Count further texts; nobody may change the list meanwhile.")
                    .def_prop_ro("rows", &HashedRows::rows)
                    .def_prop_ro("entries", &HashedRows::entries);
  bind_unloading<std::int32_t, std::int32_t>(counter, hashed);
  bind_unloading<std::int64_t, std::int32_t>(counter, hashed);
  bind_unloading<float, std::int32_t>(counter, hashed);
  bind_unloading<double, std::int32_t>(counter, hashed);
  bind_unloading<std::int32_t, std::int64_t>(counter, hashed);
  bind_unloading<std::int64_t, std::int64_t>(counter, hashed);
  bind_unloading<float, std::int64_t>(counter, hashed);
  bind_unloading<double, std::int64_t>(counter, hashed);
  bind_weights<float, std::int32_t>(m);
  bind_weights<double, std::int32_t>(m);
  bind_weights<float, std::int64_t>(m);
  bind_weights<double, std::int64_t>(m);
}

}  // namespace certus::bindings
