// What becomes of each character of a text, and which of them make words.
//
// The tables are filled from Python, whose `str.lower`, `re` and `unicodedata` say what is true: code points
// 0 .. 0x10FFFF in pages of 256, equal pages stored once. A character becomes another one (its lowercase
// letter), nothing (an accent that is dropped) or several (a ligature). One rule needs more than the
// character, the Greek capital sigma at the end of a word: texts that have it come in lowercase already.
#pragma once

#include <cstdint>
#include <span>

namespace certus::text {

inline constexpr std::uint8_t kWord = 1;   // \w of Python's re
inline constexpr std::uint8_t kSpace = 2;  // \s
inline constexpr std::int32_t kSequence = -(1 << 30);

struct Characters {
  std::span<const std::uint16_t> pages;  // page of code points c / 256; characters beyond are not asked for
  std::span<const std::int32_t> shifts;  // page * 256 + c % 256: what to add to c, or kSequence - place
  std::span<const std::uint8_t> kinds;   // kWord, kSpace; of the character as it is, not as it becomes
  std::span<const std::uint32_t> sequences;  // at a place: how many code points, then these

  std::size_t cell(std::uint32_t c) const { return std::size_t{pages[c >> 8]} << 8 | (c & 255); }
  std::uint8_t kind(std::uint32_t c) const { return kinds[cell(c)]; }

  // Calls take(code point) for everything that c becomes.
  template <class Take>
  void map(std::uint32_t c, Take&& take) const {
    const std::int32_t shift = shifts[cell(c)];
    if (shift > kSequence) {
      take(static_cast<std::uint32_t>(static_cast<std::int32_t>(c) + shift));
      return;
    }
    const auto place = static_cast<std::size_t>(kSequence - shift);
    const std::size_t count = sequences[place];
    for (std::size_t k = 1; k <= count; ++k) take(sequences[place + k]);
  }
};

// Appends a code point in UTF-8; a lone surrogate in the same way, so that the order of the bytes is that of
// the code points. Needs room for four bytes.
inline char* put_utf8(std::uint32_t c, char* at) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) {
    *at++ = byte(c);
  } else if (c < 0x800) {
    *at++ = byte(0xC0 | c >> 6);
    *at++ = byte(0x80 | (c & 63));
  } else if (c < 0x10000) {
    *at++ = byte(0xE0 | c >> 12);
    *at++ = byte(0x80 | (c >> 6 & 63));
    *at++ = byte(0x80 | (c & 63));
  } else {
    *at++ = byte(0xF0 | c >> 18);
    *at++ = byte(0x80 | (c >> 12 & 63));
    *at++ = byte(0x80 | (c >> 6 & 63));
    *at++ = byte(0x80 | (c & 63));
  }
  return at;
}

}  // namespace certus::text
