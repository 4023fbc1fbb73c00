#include "kernels/gram.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "kernels/gram_ops.hpp"

namespace certus::kernels {
namespace {

constexpr Index tile = 256;  // a tile of the matrix (half a megabyte) stays in the second-level cache

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

bool uses_products(GramKind kind) { return kind <= GramKind::arc_cosine; }

// One tile of the matrix: rows first_row ... and columns first_col ... .
struct Tile {
  Index first_row, rows, first_col, cols;
};

// Touches a tile of a fresh matrix row by row. Where memory is scarce the system takes its time to hand out
// fresh pages, and a tile lies on many: here Ctrl-C is heard between two of them. False if it was.
bool touch(View2D<double> out, const Tile& place, StopToken& stop) {
  for (Index r = 0; r < place.rows; ++r) {
    if (stop.poll()) return false;
    out(place.first_row + r, place.first_col) = 0.0;
  }
  return true;
}

// Runs body(tile, worker) over all tiles, or over those on and above the diagonal, which are then mirrored.
// `fresh`: what the matrix holds is of no meaning.
template <class Body>
void over_tiles(View2D<double> out, bool symmetric, bool fresh, int threads, StopToken& stop, Body&& body) {
  const Index down = block_count(out.rows, tile), across = block_count(out.cols, tile);
  parallel_for(down * across, threads, stop, [&](Index block, int worker) {
    const Index i = block / across, j = block % across;
    if (symmetric && j < i) return;
    const Tile place{i * tile, std::min(tile, out.rows - i * tile), j * tile,
                     std::min(tile, out.cols - j * tile)};
    const Tile mirror{place.first_col, place.cols, place.first_row, place.rows};
    if (fresh && (!touch(out, place, stop) || (symmetric && !touch(out, mirror, stop)))) return;
    body(place, worker);
    if (!symmetric) return;
    for (Index r = 0; r < place.rows; ++r) {
      const double* line = out.row(place.first_row + r) + place.first_col;
      for (Index c = i == j ? r + 1 : 0; c < place.cols; ++c) {
        out(place.first_col + c, place.first_row + r) = line[c];
      }
    }
  });
}

// The arc-cosine kernel (Cho and Saul 2009) from the cosine and the product of the norms.
double arc_cosine(double cosine, double size, int order) {
  const double angle = std::acos(cosine), rest = std::numbers::pi - angle;
  if (order == 0) return rest / std::numbers::pi;
  const double sine = std::sqrt((1.0 - cosine) * (1.0 + cosine));
  if (order == 1) return size * (sine + rest * cosine) / std::numbers::pi;
  return size * size * (3.0 * sine * cosine + rest * (1.0 + 2.0 * cosine * cosine)) / std::numbers::pi;
}

double cosine_of(double product, double size) {
  return size > 0.0 ? std::clamp(product / size, -1.0, 1.0) : 0.0;
}

double power(double base, int degree) {
  double result = 1.0;
  for (int left = degree; left > 0; left >>= 1) {
    if (left & 1) result *= base;
    base *= base;
  }
  return result;
}

// One line of products x.z (for the Gaussian: 2 gamma x.z, with norms scaled alike) becomes kernel values.
void map_line(double* line, double norm, const double* norms, Index n, const GramFunction& function) {
  switch (function.kind) {
    case GramKind::polynomial:
      for (Index j = 0; j < n; ++j) {
        line[j] = power(function.gamma * line[j] + function.offset, function.degree);
      }
      break;
    case GramKind::exponential:
      for (Index j = 0; j < n; ++j) line[j] = std::exp(function.gamma * line[j]);
      break;
    case GramKind::gaussian:
      gram_ops().gaussian(line, norms, norm, n);
      break;
    case GramKind::tanh:
      for (Index j = 0; j < n; ++j) line[j] = std::tanh(function.gamma * line[j] + function.offset);
      break;
    case GramKind::arc_cosine:
      for (Index j = 0; j < n; ++j) {
        const double size = std::sqrt(norm) * std::sqrt(norms[j]);
        line[j] = arc_cosine(cosine_of(line[j], size), size, function.degree);
      }
      break;
    default:
      break;
  }
}

// A Gaussian has 1 and an arc-cosine kernel the angle 0 on the diagonal, whatever rounding says.
void set_diagonal(double* line, const Tile& place, Index row, double norm, const GramFunction& function) {
  const Index offset = row - place.first_col;
  if (offset < 0 || offset >= place.cols) return;
  if (function.kind == GramKind::gaussian) line[offset] = 1.0;
  if (function.kind == GramKind::arc_cosine) {
    line[offset] = arc_cosine(norm > 0.0 ? 1.0 : 0.0, norm, function.degree);
  }
}

// Rows as a contiguous copy; for the Gaussian shifted by `center`, which keeps small distances accurate, and
// scaled by sqrt(gamma).
struct Rows {
  std::vector<double> values, norms;

  Rows(View2D<const double> table, const std::vector<double>& center, double scale)
      : values(at(table.rows * table.cols)), norms(at(table.rows)) {
    for (Index i = 0; i < table.rows; ++i) {
      double* copy = values.data() + i * table.cols;
      double norm = 0.0;
      for (Index k = 0; k < table.cols; ++k) {
        copy[k] = (table(i, k) - center[at(k)]) * scale;
        norm += copy[k] * copy[k];
      }
      norms[at(i)] = norm;
    }
  }
};

std::vector<double> center_of(View2D<const double> table, GramKind kind) {
  std::vector<double> center(at(table.cols), 0.0);
  if (kind != GramKind::gaussian) return center;
  for (Index i = 0; i < table.rows; ++i) {
    for (Index k = 0; k < table.cols; ++k) {
      center[at(k)] += table(i, k) / static_cast<double>(table.rows);
    }
  }
  return center;
}

void gram_of_products(View2D<const double> left, View2D<const double> right, bool symmetric,
                      const GramFunction& function, int threads, StopToken& stop, View2D<double> out) {
  const bool gaussian = function.kind == GramKind::gaussian;
  const std::vector<double> center = center_of(right, function.kind);
  const double scale = gaussian ? std::sqrt(function.gamma) : 1.0;
  const Rows a(left, center, scale);
  const Rows b = symmetric ? Rows(View2D<const double>(), center, scale) : Rows(right, center, scale);
  const Rows& other = symmetric ? a : b;
  const Index width = left.cols;
  over_tiles(out, symmetric, true, threads, stop, [&](const Tile& place, int) {
    double* corner = out.row(place.first_row) + place.first_col;
    gemm_nt(place.rows, place.cols, width, gaussian ? 2.0 : 1.0, a.values.data() + place.first_row * width,
            width, other.values.data() + place.first_col * width, width, 0.0, corner, out.row_stride);
    for (Index r = 0; r < place.rows; ++r) {
      double* line = corner + r * out.row_stride;
      const double norm = a.norms[at(place.first_row + r)];
      map_line(line, norm, other.norms.data() + place.first_col, place.cols, function);
      if (symmetric) set_diagonal(line, place, place.first_row + r, norm, function);
    }
  });
}

// Matern kernels of smoothness 1/2, 3/2 and 5/2 (Rasmussen and Williams 2006, 4.17) from squared distances.
void matern_line(double* line, Index n, double inverse_length, int degree) {
  const double factor = std::sqrt(2.0 * degree + 1.0) * inverse_length;
  for (Index j = 0; j < n; ++j) {
    const double t = factor * std::sqrt(line[j]);
    const double polynomial = degree == 0 ? 1.0 : degree == 1 ? 1.0 + t : 1.0 + t + t * t / 3.0;
    line[j] = polynomial * std::exp(-t);
  }
}

// What one worker needs for a tile of a kernel of coordinates.
struct Scratch {
  std::vector<double> columns, levels, row;
};

void coordinate_line(double* line, Scratch& scratch, Index width, Index n, const GramFunction& function) {
  const GramOps& ops = gram_ops();
  const double *x = scratch.row.data(), *columns = scratch.columns.data();
  switch (function.kind) {
    case GramKind::laplacian:
      ops.laplacian(line, x, columns, tile, width, n, function.gamma);
      break;
    case GramKind::matern:
      ops.squared_distance(line, x, columns, tile, width, n);
      matern_line(line, n, function.gamma, function.degree);
      break;
    case GramKind::all_subsets:
      ops.all_subsets(line, x, columns, tile, width, n);
      break;
    case GramKind::anova:
      ops.anova(line, x, columns, tile, width, n, function.degree, scratch.levels.data());
      break;
    case GramKind::minimum:
      ops.minimum(line, x, columns, tile, width, n);
      break;
    default:
      ops.spline(line, x, columns, tile, width, n);
      break;
  }
}

void gram_of_coordinates(View2D<const double> left, View2D<const double> right, bool symmetric,
                         const GramFunction& function, int threads, StopToken& stop, View2D<double> out) {
  const Index width = left.cols;
  std::vector<Scratch> scratch(at(std::max(threads, 1)));
  over_tiles(out, symmetric, true, threads, stop, [&](const Tile& place, int worker) {
    Scratch& own = scratch[at(worker)];
    own.columns.resize(at(width * tile));
    own.row.resize(at(width));
    if (function.kind == GramKind::anova) own.levels.resize(at((function.degree + 1) * tile));
    for (Index j = 0; j < place.cols; ++j) {
      for (Index k = 0; k < width; ++k) own.columns[at(k * tile + j)] = right(place.first_col + j, k);
    }
    for (Index r = 0; r < place.rows && !stop.poll(); ++r) {
      for (Index k = 0; k < width; ++k) own.row[at(k)] = left(place.first_row + r, k);
      coordinate_line(out.row(place.first_row + r) + place.first_col, own, width, place.cols, function);
    }
  });
}

}  // namespace

void gram(View2D<const double> left, View2D<const double> right, bool symmetric, const GramFunction& function,
          int threads, StopToken& stop, View2D<double> out) {
  if (uses_products(function.kind)) {
    gram_of_products(left, right, symmetric, function, threads, stop, out);
  } else {
    gram_of_coordinates(left, right, symmetric, function, threads, stop, out);
  }
}

void map_products(View2D<double> products, std::span<const double> left_norms,
                  std::span<const double> right_norms, bool symmetric, const GramFunction& function,
                  int threads, StopToken& stop) {
  const double scale = function.kind == GramKind::gaussian ? function.gamma : 1.0;
  std::vector<double> norms(right_norms.begin(), right_norms.end());
  for (double& norm : norms) norm *= scale;
  over_tiles(products, symmetric, false, threads, stop, [&](const Tile& place, int) {
    for (Index r = 0; r < place.rows; ++r) {
      const Index row = place.first_row + r;
      const double norm = left_norms[at(row)] * scale;
      double* line = products.row(row) + place.first_col;
      if (function.kind == GramKind::gaussian) {
        for (Index j = 0; j < place.cols; ++j) line[j] *= 2.0 * scale;
      }
      map_line(line, norm, norms.data() + place.first_col, place.cols, function);
      if (symmetric) set_diagonal(line, place, row, norm, function);
    }
  });
}

}  // namespace certus::kernels
