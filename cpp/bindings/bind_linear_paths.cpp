#include <cstdint>
#include <utility>

#include "bindings/common.hpp"
#include "linear/gram_path.hpp"
#include "linear/working_set.hpp"

namespace certus::bindings {
namespace {

template <class T>
using ColumnMajor = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

// The arrays of a table stay alive as long as the object that Python holds.
template <class T>
struct DenseArrays {
  ColumnMajor<const T> x;
  linear::DenseColumns<T> store() const { return {view(x)}; }
};

template <class T, class I>
struct SparseArrays {
  Vector<const I> starts, rows;
  Vector<const T> values;
  Index row_count;
  linear::CompressedColumns<T, I> store() const {
    return {{span(starts), span(rows), span(values)}, row_count};
  }
};

template <class Arrays>
struct Table {
  Arrays arrays;
  Vector<const double> root, mean, squares;
  double weight;
  auto centered() const {
    return linear::CenteredColumns<decltype(arrays.store())>{arrays.store(), span(mean), span(root),
                                                             span(squares), weight};
  }
};

// The penalties of a path and how accurately its points are to be solved.
struct PathArrays {
  Vector<const double> l1, l2;
  bool positive;
  double wanted;
  std::int64_t max_sweeps;
  bool random;
  std::uint64_t seed;
  std::int64_t max_rounds;
  linear::PathOptions options() const {
    return {span(l1), span(l2), positive, wanted, max_sweeps, random, seed, max_rounds};
  }
};

template <class Arrays>
void bind_table(nb::class_<Table<Arrays>> table) {
  using Self = Table<Arrays>;
  using Store = decltype(std::declval<Arrays>().store());
  table.def(
      "residual",
      [](const Self& self, Matrix<const double> target, Matrix<double> coef, bool center,
         Matrix<double> residual) {
        run_kernel([&](StopToken&) {
          linear::column_residual<Store>(
              self.centered(), {view(target).rows, view(target).data, view(coef).data, view(residual).data},
              center);
        });
      },
      nb::arg("target").noconvert(), nb::arg("coef").noconvert(), nb::arg("center"),
      nb::arg("residual").noconvert(), "residual := target - X coef.");
  table.def(
      "products",
      [](const Self& self, Matrix<const double> residual, int threads, Matrix<double> out) {
        run_kernel([&](StopToken& stop) {
          linear::column_products<Store>(self.centered(), view(residual), threads, stop, view(out));
        });
      },
      nb::arg("residual").noconvert(), nb::arg("threads"), nb::arg("out").noconvert(), "out := X'residual.");
  table.def(
      "path",
      [](const Self& self, Matrix<const double> target, bool center, const PathArrays& penalties, int threads,
         Matrix<double> coefs, Vector<double> gaps, Vector<double> objectives, Vector<std::int64_t> sweeps,
         Matrix<double> rounds) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          const auto columns = self.centered();
          linear::WorkingSetPath<Store>(columns, view(target), center, penalties.options(), threads, stop)
              .run({view(coefs), span(gaps), span(objectives), span(sweeps), view(rounds)});
        });
      },
      nb::arg("target").noconvert(), nb::arg("center"), nb::arg("penalties"), nb::arg("threads"),
      nb::arg("coefs").noconvert(), nb::arg("gaps").noconvert(), nb::arg("objectives").noconvert(),
      nb::arg("sweeps").noconvert(), nb::arg("rounds").noconvert(),
      "Solves a path of penalties with working sets.");
}

template <class T>
void bind_dense_table(nb::module_& m, const char* name) {
  using Self = Table<DenseArrays<T>>;
  auto table = nb::class_<Self>(m, name);
  bind_table<DenseArrays<T>>(table);
  m.def(
      "column_table",
      [](ColumnMajor<const T> x, Vector<const double> root, bool center, int threads, Vector<double> mean,
         Vector<double> squares, double weight) {
        const DenseArrays<T> arrays{x};
        run_kernel([&](StopToken& stop) {
          linear::column_moments(arrays.store(), span(root), center, threads, stop, span(mean),
                                 span(squares));
        });
        return Self{arrays, root, Vector<const double>(mean), Vector<const double>(squares), weight};
      },
      nb::arg("x").noconvert(), nb::arg("root").noconvert(), nb::arg("center"), nb::arg("threads"),
      nb::arg("mean").noconvert(), nb::arg("squares").noconvert(), nb::arg("weight"),
      "A table by its columns; fills in their means and squared lengths.");
}

template <class T, class I>
void bind_sparse_table(nb::module_& m, const char* name) {
  using Self = Table<SparseArrays<T, I>>;
  auto table = nb::class_<Self>(m, name);
  bind_table<SparseArrays<T, I>>(table);
  m.def(
      "sparse_column_table",
      [](Vector<const I> starts, Vector<const I> rows, Vector<const T> values, Vector<const double> root,
         bool center, int threads, Vector<double> mean, Vector<double> squares, double weight) {
        const SparseArrays<T, I> arrays{starts, rows, values, static_cast<Index>(root.shape(0))};
        run_kernel([&](StopToken& stop) {
          linear::column_moments(arrays.store(), span(root), center, threads, stop, span(mean),
                                 span(squares));
        });
        return Self{arrays, root, Vector<const double>(mean), Vector<const double>(squares), weight};
      },
      nb::arg("starts").noconvert(), nb::arg("rows").noconvert(), nb::arg("values").noconvert(),
      nb::arg("root").noconvert(), nb::arg("center"), nb::arg("threads"), nb::arg("mean").noconvert(),
      nb::arg("squares").noconvert(), nb::arg("weight"), "A sparse table by its columns.");
}

}  // namespace

void bind_linear_paths(nb::module_& m) {
  nb::class_<PathArrays>(m, "PathPenalties")
      .def(
          "__init__",
          [](PathArrays* self, Vector<const double> l1, Vector<const double> l2, bool positive, double wanted,
             std::int64_t max_sweeps, bool random, std::uint64_t seed, std::int64_t max_rounds) {
            new (self) PathArrays{l1, l2, positive, wanted, max_sweeps, random, seed, max_rounds};
          },
          nb::arg("l1").noconvert(), nb::arg("l2").noconvert(), nb::arg("positive"), nb::arg("wanted"),
          nb::arg("max_sweeps"), nb::arg("random"), nb::arg("seed"), nb::arg("max_rounds"));
  bind_dense_table<double>(m, "DenseColumns64");
  bind_dense_table<float>(m, "DenseColumns32");
  bind_sparse_table<double, std::int32_t>(m, "SparseColumns64");
  bind_sparse_table<double, std::int64_t>(m, "SparseColumns64Long");
  bind_sparse_table<float, std::int32_t>(m, "SparseColumns32");
  bind_sparse_table<float, std::int64_t>(m, "SparseColumns32Long");
  m.def(
      "gram_path",
      [](Matrix<const double> gram, Matrix<const double> cross, double target_squares,
         const PathArrays& penalties, Matrix<double> coefs, Vector<double> gaps, Vector<double> objectives,
         Vector<std::int64_t> sweeps, Matrix<double> rounds) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          linear::solve_gram_path(view(gram), view(cross), target_squares, penalties.options(), stop,
                                  {view(coefs), span(gaps), span(objectives), span(sweeps), view(rounds)});
        });
      },
      nb::arg("gram").noconvert(), nb::arg("cross").noconvert(), nb::arg("target_squares"),
      nb::arg("penalties"), nb::arg("coefs").noconvert(), nb::arg("gaps").noconvert(),
      nb::arg("objectives").noconvert(), nb::arg("sweeps").noconvert(), nb::arg("rounds").noconvert(),
      "Solves a path of penalties on a Gram matrix.");
}

}  // namespace certus::bindings
