#include "core/quantity/quantity.h"

#include <cstddef>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

__extension__ using Int128 = __int128;

constexpr Int128 kMaxInt128 = ~(Int128{1} << 127);
constexpr Int128 kNano = 1'000'000'000;
constexpr Int128 kMaxBinary = Int128{std::numeric_limits<int64_t>::max()} * kNano;
constexpr Int128 kMaxDecimal = Int128{100'000'000'000} * 1'000'000'000 * 1'000'000'000 * kNano;

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

struct Suffix {
  Quantity::Format format = Quantity::Format::kDecimalSi;
  int exponent = 0;  // Of 2 for kBinarySi, else of 10.
};

std::optional<Suffix> ParseSuffix(absl::string_view text) {
  using Format = Quantity::Format;
  if (text.empty()) return Suffix{};
  if (text.size() == 1) {
    const size_t at = absl::string_view("num_kMGTPE").find(text[0]);
    if (at == absl::string_view::npos || text[0] == '_') return std::nullopt;
    return Suffix{Format::kDecimalSi, (static_cast<int>(at) - 3) * 3};
  }
  if (text.size() == 2 && text[1] == 'i') {
    const size_t at = absl::string_view("KMGTPE").find(text[0]);
    if (at == absl::string_view::npos) return std::nullopt;
    return Suffix{Format::kBinarySi, (static_cast<int>(at) + 1) * 10};
  }
  int exponent = 0;
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  // SimpleAtoi would take spaces, too.
  if (!IsDigit(text.back()) || absl::ascii_isspace(static_cast<unsigned char>(text[1])) ||
      !absl::SimpleAtoi(text.substr(1), &exponent)) {
    return std::nullopt;
  }
  return Suffix{Format::kDecimalExponent, exponent};
}

// A number cut into its digits; "0012.50" is "12" and "50".
struct Digits {
  absl::string_view whole;
  absl::string_view fraction;
};

absl::string_view TakeDigits(absl::string_view* text) {
  size_t length = 0;
  while (length < text->size() && IsDigit((*text)[length])) ++length;
  const absl::string_view digits = text->substr(0, length);
  text->remove_prefix(length);
  return digits;
}

// The two parts of a number at the front of *text, which is advanced past it.
std::optional<Digits> TakeNumber(absl::string_view* text) {
  Digits digits;
  digits.whole = TakeDigits(text);
  if (!text->empty() && text->front() == '.') {
    text->remove_prefix(1);
    digits.fraction = TakeDigits(text);
  }
  if (digits.whole.empty() && digits.fraction.empty()) return std::nullopt;
  while (!digits.whole.empty() && digits.whole.front() == '0') digits.whole.remove_prefix(1);
  return digits;
}

// whole.fraction * 10^exponent billionths, rounded up; nothing above kMaxDecimal.
std::optional<Int128> ScaleDecimal(const Digits& digits, int64_t exponent) {
  // As one row of digits, of which the first `kept` are whole billionths.
  const int64_t count = static_cast<int64_t>(digits.whole.size() + digits.fraction.size());
  const int64_t kept = static_cast<int64_t>(digits.whole.size()) + exponent + 9;
  Int128 value = 0;
  bool round_up = false;
  for (int64_t i = 0; i < count; ++i) {
    const size_t at = static_cast<size_t>(i);
    const char digit =
        at < digits.whole.size() ? digits.whole[at] : digits.fraction[at - digits.whole.size()];
    if (i < kept) {
      if (value > (kMaxDecimal - (digit - '0')) / 10) return std::nullopt;
      value = value * 10 + (digit - '0');
    } else if (digit != '0') {
      round_up = true;
    }
  }
  for (int64_t i = count; value != 0 && i < kept; ++i) {
    if (value > kMaxDecimal / 10) return std::nullopt;
    value *= 10;
  }
  return value + (round_up ? 1 : 0);
}

// whole.fraction * 2^exponent in billionths, rounded up and capped at kMaxBinary.
Int128 ScaleBinary(const Digits& digits, int exponent) {
  const Int128 unit = (Int128{1} << exponent) * kNano;
  Int128 value = 0;
  for (const char digit : digits.whole) {
    value = value * 10 + (digit - '0');
    if (value > kMaxBinary / unit) return kMaxBinary;
  }
  value *= unit;

  // From the last digit to the first; a remainder at any of them is one of the whole.
  Int128 part = 0;
  bool round_up = false;
  for (auto digit = digits.fraction.rbegin(); digit != digits.fraction.rend(); ++digit) {
    part += (*digit - '0') * unit;
    round_up |= part % 10 != 0;
    part /= 10;
  }
  value += part + (round_up ? 1 : 0);
  return value > kMaxBinary ? kMaxBinary : value;
}

// Removes all factors `base` from *value, which is not zero; how many there were, at most `most`.
int RemoveFactors(Int128* value, int base, int most) {
  int removed = 0;
  for (; removed < most && *value % base == 0; ++removed) *value /= base;
  return removed;
}

std::string Print(Int128 value) {
  const bool negative = value < 0;
  std::string reversed;
  // The lowest value has no positive counterpart; digits are taken from either side of zero alike.
  for (; value != 0; value /= 10) {
    const int digit = static_cast<int>(value % 10);
    reversed.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  if (negative) reversed.push_back('-');
  return std::string(reversed.rbegin(), reversed.rend());
}

absl::Status NotAQuantity(absl::string_view text, absl::string_view why) {
  constexpr size_t kMostQuoted = 64;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::Utf8SafeCEscape(text.substr(0, kMostQuoted)),
                   text.size() > kMostQuoted ? "...\" " : "\" ", why));
}

}  // namespace

absl::StatusOr<Quantity> Quantity::Parse(absl::string_view text) {
  absl::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  const std::optional<Digits> digits = TakeNumber(&rest);
  const std::optional<Suffix> suffix = ParseSuffix(rest);
  if (!digits.has_value() || !suffix.has_value()) {
    return NotAQuantity(text, "is not a quantity such as 2, 500m or 1.5Gi");
  }

  std::optional<Int128> nano;
  if (suffix->format == Format::kBinarySi) {
    nano = ScaleBinary(*digits, suffix->exponent);
  } else {
    nano = ScaleDecimal(*digits, suffix->exponent);
  }
  if (!nano.has_value()) return NotAQuantity(text, "is too large");
  Format format = suffix->format;
  // As the original does, to avoid confusion.
  if (format == Format::kBinarySi && *nano > 0 && *nano < kNanoPerUnit) format = Format::kDecimalSi;
  return Quantity(negative ? -*nano : *nano, format);
}

int64_t Quantity::Scaled(int64_t nano_per_step) const {
  const Int128 away = nano_ % nano_per_step == 0 ? 0 : (nano_ < 0 ? -1 : 1);
  const Int128 steps = nano_ / nano_per_step + away;
  if (steps > std::numeric_limits<int64_t>::max()) return std::numeric_limits<int64_t>::max();
  if (steps < std::numeric_limits<int64_t>::min()) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(steps);
}

std::string Quantity::ToString() const {
  if (IsZero()) return "0";
  const bool whole = nano_ % kNanoPerUnit == 0;
  const Int128 units = nano_ / kNanoPerUnit;
  if (format_ == Format::kBinarySi && whole && (units <= -1024 || units >= 1024)) {
    constexpr const char* kSuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    Int128 mantissa = units;
    const int suffix = RemoveFactors(&mantissa, 1024, 6);
    return absl::StrCat(Print(mantissa), kSuffixes[suffix]);
  }

  Int128 mantissa = nano_;
  int exponent = RemoveFactors(&mantissa, 10, std::numeric_limits<int>::max()) - 9;
  for (; exponent % 3 != 0; --exponent) mantissa *= 10;
  const std::string number = Print(mantissa);
  if (exponent == 0) return number;
  if (format_ == Format::kDecimalExponent || exponent > 18) {
    return absl::StrCat(number, "e", exponent);
  }
  return absl::StrCat(number, std::string(1, "num_kMGTPE"[exponent / 3 + 3]));
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (IsZero()) format_ = other.format_;
  if (__builtin_add_overflow(nano_, other.nano_, &nano_) || nano_ < -kMaxInt128) {
    nano_ = other.nano_ > 0 ? kMaxInt128 : -kMaxInt128;
  }
  return *this;
}

Quantity& Quantity::operator*=(int64_t factor) {
  const bool negative = IsNegative() != (factor < 0);
  if (__builtin_mul_overflow(nano_, Nano{factor}, &nano_) || nano_ < -kMaxInt128) {
    nano_ = negative ? -kMaxInt128 : kMaxInt128;
  }
  return *this;
}

}  // namespace podferry
