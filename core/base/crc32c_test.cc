#include "core/base/crc32c.h"

#include <cstddef>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace podferry {
namespace {

using crc32c_internal::ExtendPortable;
using crc32c_internal::ExtendSse42;
using crc32c_internal::HaveSse42;

std::string Count(int from, int step) {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<char>(from + i * step));
  return bytes;
}

// RFC 3720, appendix B.4.
const std::string& IscsiReadCommand() {
  static const std::string& bytes = *new std::string(
      "\x01\xc0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x14\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x14\x00\x00\x00\x18"
      "\x28\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00",
      48);
  return bytes;
}

struct Vector {
  std::string data;
  uint32_t crc;
};

std::vector<Vector> Vectors() {
  return {
      {"", 0},
      {std::string(32, '\0'), 0x8a9136aa},
      {std::string(32, '\xff'), 0x62a8ab43},
      {Count(0, 1), 0x46dd794e},
      {Count(31, -1), 0x113fdb5c},
      {IscsiReadCommand(), 0xd9963a56},
      {"123456789", 0xe3069283},
  };
}

TEST(Crc32cTest, AgreesWithTheVectorsOfRfc3720) {
  for (const Vector& vector : Vectors()) {
    EXPECT_EQ(Crc32c(vector.data), vector.crc);
    EXPECT_EQ(ExtendPortable(0, vector.data), vector.crc);
    if (HaveSse42()) {
      EXPECT_EQ(ExtendSse42(0, vector.data), vector.crc);
    }
  }
}

TEST(Crc32cTest, ExtendsWhereverTheDataIsCut) {
  const std::string data = IscsiReadCommand();
  for (size_t cut = 0; cut <= data.size(); ++cut) {
    const std::string head = data.substr(0, cut), tail = data.substr(cut);
    EXPECT_EQ(ExtendCrc32c(Crc32c(head), tail), 0xd9963a56) << cut;
    EXPECT_EQ(ExtendPortable(ExtendPortable(0, head), tail), 0xd9963a56) << cut;
  }
}

TEST(Crc32cTest, SeesEveryFlippedBit) {
  std::string data = IscsiReadCommand();
  for (size_t bit = 0; bit < data.size() * 8; ++bit) {
    data[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    EXPECT_NE(Crc32c(data), 0xd9963a56) << bit;
    data[bit / 8] ^= static_cast<char>(1 << (bit % 8));
  }
}

}  // namespace
}  // namespace podferry
