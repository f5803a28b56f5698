#include "core/quantity/quantity.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/testing/golden.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;
using Format = Quantity::Format;

Quantity Q(absl::string_view text) {
  absl::StatusOr<Quantity> quantity = Quantity::Parse(text);
  EXPECT_THAT(quantity, IsOk()) << text;
  return quantity.value_or(Quantity());
}

// The lines of a table, cut at tabs, without comments.
std::vector<std::vector<std::string>> ReadTable(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  const std::string table = ReadTestData(path);
  for (const absl::string_view line : absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    if (line.front() != '#') rows.push_back(absl::StrSplit(line, '\t'));
  }
  EXPECT_GE(rows.size(), 400u);
  return rows;
}

std::string FormatName(Format format) {
  switch (format) {
    case Format::kDecimalSi:
      return "DecimalSI";
    case Format::kBinarySi:
      return "BinarySI";
    case Format::kDecimalExponent:
      return "DecimalExponent";
  }
  return "";
}

TEST(QuantityTest, ReadsAndPrintsAsKubernetesDoes) {
  for (const std::vector<std::string>& row : ReadTable("core/quantity/testdata/parse.tsv")) {
    const std::string& text = row[0];
    if (row[1] == "too large") {
      EXPECT_THAT(Quantity::Parse(text),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too large")));
      continue;
    }
    ASSERT_EQ(row.size(), 5u) << text;
    const Quantity quantity = Q(text);
    EXPECT_EQ(quantity.ToString(), row[1]) << text;
    const auto print = [](int64_t value, const std::string& want) {
      return want == "-" ? want : absl::StrCat(value);
    };
    EXPECT_EQ(print(quantity.CeilValue(), row[2]), row[2]) << text;
    EXPECT_EQ(print(quantity.MilliValue(), row[3]), row[3]) << text;
    EXPECT_EQ(FormatName(quantity.format()), row[4]) << text;
    EXPECT_EQ(Q(quantity.ToString()), quantity) << text;
  }
}

TEST(QuantityTest, ComparesAddsAndSubtractsAsKubernetesDoes) {
  for (const std::vector<std::string>& row : ReadTable("core/quantity/testdata/pairs.tsv")) {
    ASSERT_EQ(row.size(), 5u);
    const Quantity a = Q(row[0]), b = Q(row[1]);
    const std::string pair = absl::StrCat(row[0], " and ", row[1]);
    EXPECT_EQ(a < b ? "-1" : a > b ? "1" : "0", row[2]) << pair;
    EXPECT_EQ(a == b, row[2] == "0") << pair;
    EXPECT_EQ((a + b).ToString(), row[3]) << pair;
    EXPECT_EQ((a - b).ToString(), row[4]) << pair;
  }
}

TEST(QuantityTest, RefusesWhatIsNone) {
  for (const char* text :
       {"",    " ",    "1 ",    " 1",    "x",     "1x",    "1i",    "1ki",  "1K",    "1KI",
        "1mi", "1e",   "1e+",   "1e-",   "1.1.1", "1,5",   "--1",   "+-1",  "1-",    "1e1.5",
        "1_",  "1eE",  "1 Gi",  "1Gib",  "1GB",   "0x10",  "1e3Ki", "NaN",  "1_000", "1\n",
        "1e ", "1e 3", "1Kii",  "1nn",   "1e3 ",  "1.e",   "Inf",   "1e0x", "1Ee3",  "\xff",
        "1ii", "e",    "1e++3", "1e+-3", "5 m",   "1e\t3", "1_Ki",  "+",    "-",     ".",
        "-.",  "Ki",   "m",     "e3",    "+.e3"}) {
    EXPECT_THAT(Quantity::Parse(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr("is not a quantity such as")))
        << text;
  }
}

TEST(QuantityTest, AnErrorQuotesOnlyTheStartOfALongText) {
  const absl::StatusOr<Quantity> quantity = Quantity::Parse("a\n" + std::string(5000, 'b'));
  EXPECT_THAT(quantity.status().message(), HasSubstr("\"a\\nbbb"));
  EXPECT_LT(quantity.status().message().size(), 200u);
}

TEST(QuantityTest, TakesAnyNumberOfDigitsAndAnyExponent) {
  EXPECT_EQ(Q(std::string(5000, '0') + "7").ToString(), "7");
  EXPECT_EQ(Q("7." + std::string(5000, '0')).ToString(), "7");
  EXPECT_EQ(Q("7." + std::string(5000, '0') + "1").ToString(), "7000000001n");
  EXPECT_EQ(Q("7." + std::string(5000, '0') + "1Ki").ToString(), "7168000000001n");
  EXPECT_EQ(Q("0e2000000000").ToString(), "0");
  EXPECT_EQ(Q("1e-2000000000").ToString(), "1e-9");
  EXPECT_EQ(Q("0." + std::string(28, '0') + "1e29").ToString(), "1");
  EXPECT_EQ(Q("1e29").ToString(), "100e27");
  for (const std::string& text : {std::string("1e30"), std::string("-1e2000000000"),
                                  std::string(5000, '9'), std::string("100000000001E")}) {
    EXPECT_THAT(Quantity::Parse(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

TEST(QuantityTest, ComesFromIntegers) {
  EXPECT_EQ(Quantity().ToString(), "0");
  EXPECT_EQ(Quantity::FromInt(1500).ToString(), "1500");
  EXPECT_EQ(Quantity::FromInt(2048, Format::kBinarySi).ToString(), "2Ki");
  EXPECT_EQ(Quantity::FromMilli(-1500).ToString(), "-1500m");
  EXPECT_EQ(Quantity::FromMilli(2000).ToString(), "2");
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Quantity::FromInt(kMin).ToString(), "-9223372036854775808");
  EXPECT_EQ(Quantity::FromInt(kMin).CeilValue(), kMin);
  EXPECT_DOUBLE_EQ(Q("1500m").ToDouble(), 1.5);
}

TEST(QuantityTest, ValuesAreRoundedAwayFromZero) {
  EXPECT_EQ(Q("1.1").CeilValue(), 2);
  EXPECT_EQ(Q("-1.1").CeilValue(), -2);
  EXPECT_EQ(Q("1n").MilliValue(), 1);
  EXPECT_EQ(Q("-1n").MilliValue(), -1);
  EXPECT_EQ(Q("-1Pi").CeilValue(), -1125899906842624);
}

TEST(QuantityTest, ValuesStopAt64Bits) {
  EXPECT_EQ(Q("100E").CeilValue(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Q("-100E").CeilValue(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Q("1E").MilliValue(), std::numeric_limits<int64_t>::max());
}

TEST(QuantityTest, SumsStopAtTheLimitInsteadOfWrappingAround) {
  const Quantity most = Q("1e29") * 1'000'000;
  EXPECT_GT(most, Q("1e29"));
  EXPECT_EQ(most + Q("1e29"), most);
  EXPECT_EQ(-most - Q("1e29"), -most);
  EXPECT_EQ(most - most, Quantity());
  EXPECT_EQ(Q("-1e29") * 1'000'000, -most);
  EXPECT_EQ(Q("-1e29") * -1'000'000, most);
  EXPECT_FALSE(most.ToString().empty());
}

TEST(QuantityTest, MultipliesExactly) {
  EXPECT_EQ((Q("1500m") * 3).ToString(), "4500m");
  EXPECT_EQ((Q("1.5Gi") * 4).ToString(), "6Gi");
  EXPECT_EQ((Q("2") * -1).ToString(), "-2");
  EXPECT_EQ((Q("2") * 0).ToString(), "0");
}

TEST(QuantityTest, AZeroTakesTheFormatOfWhatIsAdded) {
  EXPECT_EQ((Quantity() + Q("2Gi")).ToString(), "2Gi");
  EXPECT_EQ((Q("1") + Q("2Gi")).ToString(), "2147483649");
  EXPECT_EQ((Q("2Gi") + Q("1M")).ToString(), "2148483648");
}

}  // namespace
}  // namespace podferry
