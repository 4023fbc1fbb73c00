// A test harness of one page. TEST(name) { … } registers itself; CHECK and its relatives count failures and
// go on, so that one run shows all of them.
#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace certus::testing {

struct Test {
  const char* name;
  void (*run)();
};

std::vector<Test>& all_tests();

// Notes a failed check; may be called from any thread.
void fail(const char* file, int line, const std::string& what);

struct Registration {
  Registration(const char* name, void (*run)()) { all_tests().push_back({name, run}); }
};

template <class A, class B>
std::string both(const A& a, const B& b) {
  std::ostringstream text;
  text.precision(17);
  text << a << " and " << b;
  return text.str();
}

}  // namespace certus::testing

#define TEST(name)                                                                     \
  static void test_##name();                                                           \
  static const certus::testing::Registration registration_##name(#name, &test_##name); \
  static void test_##name()

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) certus::testing::fail(__FILE__, __LINE__, #condition); \
  } while (false)

#define CHECK_EQUAL(a, b)                                                                     \
  do {                                                                                        \
    const auto check_a = (a);                                                                 \
    const auto check_b = (b);                                                                 \
    if (!(check_a == check_b)) {                                                              \
      certus::testing::fail(__FILE__, __LINE__,                                               \
                            #a " == " #b ", got " + certus::testing::both(check_a, check_b)); \
    }                                                                                         \
  } while (false)

#define CHECK_CLOSE(a, b, tolerance)                                                         \
  do {                                                                                       \
    const auto check_a = (a);                                                                \
    const auto check_b = (b);                                                                \
    if (!(std::abs(check_a - check_b) <= (tolerance))) {                                     \
      certus::testing::fail(__FILE__, __LINE__,                                              \
                            #a " ~ " #b ", got " + certus::testing::both(check_a, check_b)); \
    }                                                                                        \
  } while (false)

#define CHECK_THROWS(expression, Exception, part_of_message)                       \
  do {                                                                             \
    std::string check_message = "nothing was thrown";                              \
    try {                                                                          \
      expression;                                                                  \
    } catch (const Exception& error) {                                             \
      check_message = error.what();                                                \
    }                                                                              \
    if (check_message.find(part_of_message) == std::string::npos) {                \
      certus::testing::fail(__FILE__, __LINE__, #expression ": " + check_message); \
    }                                                                              \
  } while (false)
