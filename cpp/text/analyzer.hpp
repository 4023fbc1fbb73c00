// From a text to its terms: words, runs of words, or runs of characters.
//
// A text comes as the code units in which Python keeps it (one, two or four bytes each). Its characters are
// mapped (`Characters`) and written as UTF-8 into one buffer, in which every term is a slice:
//   words     tokens of at least `min_letters` word characters that are not stop words, joined by one space,
//   so
//             that a run of n words is a slice too; for n = min_n .. max_n all runs from left to right
//   chars     two or more white characters in a row become one space; runs of n characters
//   inside    runs of n characters of each white-separated piece with a space before and behind it; a piece
//             that is shorter than n counts once
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/view2d.hpp"
#include "text/characters.hpp"
#include "text/term_table.hpp"

namespace certus::text {

struct Text {
  const void* units = nullptr;
  Index length = 0;
  int width = 1;  // bytes per unit: 1, 2 or 4
};

enum class Unit : int { words = 0, chars = 1, inside_words = 2 };

struct Analysis {
  Characters characters;
  Unit unit = Unit::words;
  int min_letters = 2;
  std::uint32_t min_n = 1;
  std::uint32_t max_n = 1;
  const TermTable* stop_words = nullptr;
};

// Cuts one text after the other; keeps its buffers.
class Analyzer {
 public:
  explicit Analyzer(const Analysis& analysis);

  // Calls take(std::string_view) for every term of the text, in order.
  template <class Take>
  void terms(const Text& text, Take&& take) {
    read(text);
    switch (rule_.unit) {
      case Unit::words:
      case Unit::chars:
        return runs(take);
      case Unit::inside_words:
        return pieces(take);
    }
  }

 private:
  struct Slice {
    std::uint32_t begin;
    std::uint32_t end;
  };

  void read(const Text& text);
  template <class Character>
  void read_words(const Character* units, Index length);
  template <class Character>
  void read_characters(const Character* units, Index length);
  void end_word(std::size_t& begin, char*& at, Index& letters);
  void end_white(char*& at, std::uint32_t white, Index count);
  char* room(char* at, Index characters_left);
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return {buffer_.data() + begin, end - begin};
  }

  // Runs of n = min_n .. max_n slices.
  template <class Take>
  void runs(Take& take) const {
    const auto count = static_cast<std::uint32_t>(slices_.size());
    for (std::uint32_t n = rule_.min_n; n <= std::min(rule_.max_n, count); ++n)
      for (std::uint32_t i = 0; i + n <= count; ++i) take(slice(slices_[i].begin, slices_[i + n - 1].end));
  }

  // The slices are characters; a piece runs from a space to the next one, both included.
  template <class Take>
  void pieces(Take& take) const {
    for (const Slice& piece : pieces_) {
      const std::uint32_t length = piece.end - piece.begin;
      for (std::uint32_t n = rule_.min_n; n <= rule_.max_n; ++n) {
        if (n >= length) {
          take(slice(slices_[piece.begin].begin, slices_[piece.end - 1].end));
          break;
        }
        for (std::uint32_t i = piece.begin; i + n <= piece.end; ++i)
          take(slice(slices_[i].begin, slices_[i + n - 1].end));
      }
    }
  }

  const Analysis& rule_;
  unsigned char plain_[128];  // the letter that an ASCII character becomes; kSeparator if none
  std::vector<char> buffer_;
  std::vector<Slice> slices_;  // words, or characters
  std::vector<Slice> pieces_;  // ranges of characters
};

}  // namespace certus::text
