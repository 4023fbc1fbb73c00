#include "bindings/common.hpp"
#include "core/row_hashes.hpp"

namespace certus::bindings {
namespace {

void check(bool fits) {
  if (!fits) throw nb::value_error("The arrays' lengths do not fit together.");
}

template <class T>
void rows(StridedMatrix<const T> table, Vector<const std::uint64_t> keys, Vector<std::uint64_t> out,
          int threads) {
  check(keys.shape(0) == table.shape(1) && out.shape(0) == table.shape(0));
  run_kernel([&](StopToken& stop) { hash_rows(view(table), span(keys), span(out), threads, stop); });
}

template <class T, class I>
void sparse_rows(Vector<const T> values, Vector<const I> columns, Vector<const I> starts,
                 Vector<const std::uint64_t> keys, Vector<std::uint64_t> out, int threads) {
  check(columns.shape(0) == values.shape(0) && starts.shape(0) == out.shape(0) + 1);
  run_kernel([&](StopToken& stop) {
    hash_sparse_rows<T, I>(span(values), span(columns), span(starts), span(keys), span(out), threads, stop);
  });
}

template <class T>
void bind(nb::module_& m) {
  m.def("hash_rows", &rows<T>, nb::arg("table").noconvert(), nb::arg("keys").noconvert(),
        nb::arg("out").noconvert(), nb::arg("threads"), "A hash of every row; equal rows have equal ones.");
  m.def("hash_sparse_rows", &sparse_rows<T, std::int32_t>, nb::arg("values").noconvert(),
        nb::arg("columns").noconvert(), nb::arg("starts").noconvert(), nb::arg("keys").noconvert(),
        nb::arg("out").noconvert(), nb::arg("threads"), "The same for rows of a compressed sparse matrix.");
  m.def("hash_sparse_rows", &sparse_rows<T, std::int64_t>, nb::arg("values").noconvert(),
        nb::arg("columns").noconvert(), nb::arg("starts").noconvert(), nb::arg("keys").noconvert(),
        nb::arg("out").noconvert(), nb::arg("threads"));
}

}  // namespace

void bind_rows(nb::module_& m) {
  bind<float>(m);
  bind<double>(m);
}

}  // namespace certus::bindings
