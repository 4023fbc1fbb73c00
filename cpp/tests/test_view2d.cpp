#include "core/view2d.hpp"

#include "tests/check.hpp"

namespace certus {

TEST(view_reads_rows_and_columns) {
  double values[] = {0, 1, 2, 3, 4, 5};
  const View2D<double> view(values, 2, 3);
  CHECK_EQUAL(view(1, 2), 5.0);
  CHECK_EQUAL(view.row(1)[0], 3.0);
  CHECK_EQUAL(view.col(2)[view.row_stride], 5.0);
  view(0, 1) = 7;
  CHECK_EQUAL(values[1], 7.0);
}

TEST(view_of_a_part_and_transposed) {
  const int values[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const View2D<const int> view(values, 4, 2);
  const auto part = view.rows_from(1, 2);
  CHECK_EQUAL(part.rows, Index{2});
  CHECK_EQUAL(part(0, 0), 2);
  CHECK_EQUAL(part(1, 1), 5);
  const auto turned = view.transposed();
  CHECK_EQUAL(turned.rows, Index{2});
  CHECK_EQUAL(turned(1, 3), view(3, 1));
  CHECK(view.row_major() && !view.col_major());
  CHECK(turned.col_major() && !turned.row_major());
}

TEST(a_writable_view_serves_as_a_read_only_one) {
  float values[] = {1, 2};
  const View2D<float> writable(values, 1, 2);
  const View2D<const float> read_only = writable;
  CHECK_EQUAL(read_only(0, 1), 2.0f);
}

TEST(overlapping_and_reversed_rows_are_not_for_blas) {
  double values[6] = {};
  CHECK(!View2D<double>(values, 3, 2, 0, 1).row_major());       // one row, broadcast
  CHECK(!View2D<double>(values + 4, 3, 2, -2, 1).row_major());  // rows from the last to the first
  CHECK(View2D<double>(values, 1, 2, 0, 1).row_major());        // a single row has no stride
  CHECK(View2D<double>(values, 3, 1, 2, 5).row_major());        // a single column: nothing to be contiguous
  CHECK(View2D<double>(values, 2, 3, 3, 1).row_major());
}

}  // namespace certus
