// Runs all C++ tests, or those whose name contains the first argument; the exit code is 0 when none failed.
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>

#include "tests/check.hpp"
#include "tests/reference_blas.hpp"

namespace certus::testing {
namespace {

std::mutex failure_mutex;
int failures = 0;

}  // namespace

std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

void fail(const char* file, int line, const std::string& what) {
  const std::scoped_lock lock(failure_mutex);
  ++failures;
  std::fprintf(stderr, "  %s:%d: %s\n", file, line, what.c_str());
}

void run(const Test& test) {
  const int before = failures;
  try {
    test.run();
  } catch (const std::exception& error) {
    fail(test.name, 0, std::string("threw ") + error.what());
  }
  std::printf("%-6s %s\n", failures == before ? "ok" : "FAILED", test.name);
  std::fflush(stdout);
}

}  // namespace certus::testing

int main(int count, char** arguments) {
  using namespace certus::testing;
  fill_blas_with_reference();
  int ran = 0;
  for (const Test& test : all_tests()) {
    if (count > 1 && std::strstr(test.name, arguments[1]) == nullptr) continue;
    run(test);
    ++ran;
  }
  std::printf("%d tests, %d failed checks\n", ran, failures);
  return failures == 0 && ran > 0 ? 0 : 1;
}
