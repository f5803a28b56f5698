// Runs what libFuzzer starts from through its entry point, whole and mutilated.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/testing/golden.h"
#include "gtest/gtest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

TEST(CodecFuzzCorpusTest, NothingInTheCorpusCrashes) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("proto/frozen/v1")) {
    const std::string bytes = podferry::ReadTestData(entry.path().string());
    Feed(bytes);
    Feed(bytes.substr(0, bytes.size() / 2));
    Feed(bytes + bytes);
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(~damaged[i]);
      Feed(damaged);
    }
    ++files;
  }
  EXPECT_GT(files, 50);
}

}  // namespace
