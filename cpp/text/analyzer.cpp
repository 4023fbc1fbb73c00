#include "text/analyzer.hpp"

#include <algorithm>
#include <cstddef>

namespace certus::text {
namespace {

constexpr std::ptrdiff_t kSlack = 128;   // the longest thing that one character becomes has 18 code points
constexpr unsigned char kSeparator = 0;  // an ASCII character that belongs to no word
constexpr unsigned char kOther = 255;    // one that becomes several, or no ASCII character

}  // namespace

Analyzer::Analyzer(const Analysis& analysis) : rule_(analysis), buffer_(4096) {
  for (std::uint32_t c = 0; c < 128; ++c) {
    std::uint32_t becomes = 0, count = 0;
    rule_.characters.map(c, [&](std::uint32_t m) { becomes = m, ++count; });
    const bool plain = count == 1 && becomes < 128;
    const bool letter = plain && (rule_.characters.kind(becomes) & kWord);
    plain_[c] = letter ? static_cast<unsigned char>(becomes) : plain ? kSeparator : kOther;
  }
}

// Every character to come needs a byte at least; whoever writes more asks again.
char* Analyzer::room(char* at, Index characters_left) {
  const auto used = at - buffer_.data();
  const auto needed = static_cast<std::size_t>(used + characters_left + kSlack);
  if (needed > buffer_.size()) buffer_.resize(std::max(needed, 2 * buffer_.size()));
  return buffer_.data() + used;
}

void Analyzer::read(const Text& text) {
  slices_.clear();
  pieces_.clear();
  const auto read_as = [&]<class Character>(const Character* units) {
    rule_.unit == Unit::words ? read_words(units, text.length) : read_characters(units, text.length);
  };
  if (text.width == 1) {
    read_as(static_cast<const std::uint8_t*>(text.units));
  } else if (text.width == 2) {
    read_as(static_cast<const std::uint16_t*>(text.units));
  } else {
    read_as(static_cast<const std::uint32_t*>(text.units));
  }
}

void Analyzer::end_word(std::size_t& begin, char*& at, Index& letters) {
  const auto end = static_cast<std::size_t>(at - buffer_.data());
  const bool kept = letters >= rule_.min_letters &&
                    !(rule_.stop_words && rule_.stop_words->contains({buffer_.data() + begin, end - begin}));
  if (kept) {
    slices_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    *at++ = ' ';
    begin = end + 1;
  } else {
    at = buffer_.data() + begin;
  }
  letters = 0;
}

template <class Character>
void Analyzer::read_words(const Character* units, Index length) {
  char* at = room(buffer_.data(), length);
  std::size_t begin = 0;
  Index letters = 0;
  for (Index i = 0; i < length; ++i) {
    const std::uint32_t c = units[i];
    const unsigned char letter = c < 128 ? plain_[c] : kOther;
    if (letter == kSeparator) {
      if (letters > 0) end_word(begin, at, letters);
      continue;
    }
    if (letter != kOther) {
      *at++ = static_cast<char>(letter);
      ++letters;
      continue;
    }
    at = room(at, length - i);
    rule_.characters.map(c, [&](std::uint32_t m) {
      if (rule_.characters.kind(m) & kWord) {
        at = put_utf8(m, at);
        ++letters;
      } else if (letters > 0) {
        end_word(begin, at, letters);
      }
    });
    at = room(at, length - i);
  }
  if (letters > 0) end_word(begin, at, letters);
}

// A single white character stays what it is between characters; pieces begin and end with a space.
void Analyzer::end_white(char*& at, std::uint32_t white, Index count) {
  const auto begin = static_cast<std::uint32_t>(at - buffer_.data());
  at = count == 1 && rule_.unit == Unit::chars ? put_utf8(white, at) : put_utf8(' ', at);
  slices_.push_back({begin, static_cast<std::uint32_t>(at - buffer_.data())});
}

template <class Character>
void Analyzer::read_characters(const Character* units, Index length) {
  const bool inside = rule_.unit == Unit::inside_words;
  char* at = room(buffer_.data(), length);
  Index whites = inside ? 1 : 0;  // as if a space came first
  std::uint32_t white = ' ', piece = 0;
  const auto take = [&](std::uint32_t m) {
    if (rule_.characters.kind(m) & kSpace) {
      if (inside && whites == 0) {  // the space that ends a piece
        end_white(at, ' ', 1);
        pieces_.push_back({piece, static_cast<std::uint32_t>(slices_.size())});
      }
      white = m;
      ++whites;
      return;
    }
    if (whites > 0) {
      piece = static_cast<std::uint32_t>(slices_.size());
      end_white(at, white, whites);
      whites = 0;
    }
    const auto begin = static_cast<std::uint32_t>(at - buffer_.data());
    at = put_utf8(m, at);
    slices_.push_back({begin, static_cast<std::uint32_t>(at - buffer_.data())});
  };
  for (Index i = 0; i < length; ++i) {
    at = room(at, 2 * (length - i));
    rule_.characters.map(units[i], take);
  }
  if (inside && whites == 0) take(' ');
  if (!inside && whites > 0) end_white(at, white, whites);
}

}  // namespace certus::text
