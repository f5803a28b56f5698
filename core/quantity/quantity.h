// An amount of a resource as Kubernetes writes it ("500m", "1.5Gi", "1e3") and counts it: parsing,
// rounding and the canonical form follow k8s.io/apimachinery/pkg/api/resource, except that
//   * a text without any digit (".", "Ki"), which it takes for zero, is an error,
//   * amounts beyond 1e29 are an error (it has no limit but memory),
//   * what is printed is always canonical (it repeats some texts as they were written).
// Held exactly, as a 128-bit number of billionths. Like there, a finer fraction is rounded away
// from zero, and a text with a binary suffix is capped at 2^63-1. A plain value; any thread.

#ifndef PODFERRY_CORE_QUANTITY_QUANTITY_H_
#define PODFERRY_CORE_QUANTITY_QUANTITY_H_

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

class Quantity {
 public:
  // How it was written, and is printed: 1500M, 1536Mi, 15e8.
  enum class Format { kDecimalSi, kBinarySi, kDecimalExponent };

  // Zero.
  constexpr Quantity() = default;
  static constexpr Quantity FromInt(int64_t value, Format format = Format::kDecimalSi) {
    return Quantity(Nano{value} * kNanoPerUnit, format);
  }
  static constexpr Quantity FromMilli(int64_t milli, Format format = Format::kDecimalSi) {
    return Quantity(Nano{milli} * (kNanoPerUnit / 1000), format);
  }
  // INVALID_ARGUMENT: not a quantity, or too large. The message quotes the text.
  static absl::StatusOr<Quantity> Parse(absl::string_view text);

  Format format() const { return format_; }
  bool IsZero() const { return nano_ == 0; }
  bool IsNegative() const { return nano_ < 0; }

  // The whole units (or thousandths), rounded away from zero, and cut to what 64 bits hold.
  int64_t CeilValue() const { return Scaled(kNanoPerUnit); }
  int64_t MilliValue() const { return Scaled(kNanoPerUnit / 1000); }
  // For metrics and averages; not exact.
  double ToDouble() const { return static_cast<double>(nano_) / 1e9; }

  // The canonical form: no fraction, the largest suffix that keeps the amount exact. A binary
  // amount below 1024, or with a fraction, is printed decimal. Parse(ToString()) is the same
  // amount.
  std::string ToString() const;

  // Beyond 1.7e29 they stop at that limit instead of wrapping around. A zero takes the format of
  // what is added to it.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other) { return *this += -other; }
  Quantity& operator*=(int64_t factor);
  Quantity operator-() const { return Quantity(-nano_, format_); }

  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  friend Quantity operator*(Quantity a, int64_t factor) { return a *= factor; }

  // By amount: "1" == "1000m".
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.nano_ < b.nano_   ? std::strong_ordering::less
           : a.nano_ > b.nano_ ? std::strong_ordering::greater
                               : std::strong_ordering::equal;
  }
  friend std::ostream& operator<<(std::ostream& out, const Quantity& quantity) {
    return out << quantity.ToString();
  }

 private:
  __extension__ using Nano = __int128;
  static constexpr int64_t kNanoPerUnit = 1'000'000'000;

  constexpr Quantity(Nano nano, Format format) : nano_(nano), format_(format) {}
  int64_t Scaled(int64_t nano_per_step) const;

  Nano nano_ = 0;  // Never the lowest value of its type, so that it can be negated.
  Format format_ = Format::kDecimalSi;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_QUANTITY_QUANTITY_H_
