// Runs a fuzz target's seeds, the files that are its arguments, through its entry point: whole and
// mutilated. So that ordinary tests find at once what a fuzzer has found before, and that the entry
// still builds.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/testing/golden.h"
#include "gtest/gtest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// As many places of a file are damaged at most.
constexpr size_t kPlaces = 300;

std::vector<std::string> seeds;

void Feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

TEST(FuzzCorpusTest, NoSeedBreaksThePropertyWholeOrMutilated) {
  ASSERT_FALSE(seeds.empty());
  Feed("");
  for (const std::string& seed : seeds) {
    SCOPED_TRACE(seed);
    const std::string bytes = podferry::ReadTestData(seed);
    Feed(bytes);
    Feed(bytes.substr(0, bytes.size() / 2));
    Feed(bytes + bytes);
    const size_t step = std::max<size_t>(1, bytes.size() / kPlaces);
    for (size_t i = 0; i < bytes.size(); i += step) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(~damaged[i]);
      Feed(damaged);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  seeds.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
