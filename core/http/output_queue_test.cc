#include "core/http/output_queue.h"

#include <string>

#include "gtest/gtest.h"

namespace podferry::http_internal {
namespace {

std::string Text(const Transport::ConstBuffers& buffers) {
  std::string text;
  for (const auto& buffer : buffers) {
    text.append(static_cast<const char*>(buffer.data()), buffer.size());
  }
  return text;
}

TEST(OutputQueueTest, GivesBytesInOrderWhateverPortionsAreTaken) {
  for (const size_t portion : {1, 3, 7, 1000, 100000}) {
    OutputQueue queue;
    queue.tail()->append("head ");
    const std::string large(50000, 'x');
    queue.AppendBody(large);
    EXPECT_EQ(queue.size(), 50005u);
    std::string taken;
    while (!queue.empty()) {
      const std::string front = Text(queue.Front()).substr(0, portion);
      ASSERT_FALSE(front.empty());
      taken += front;
      queue.Consume(front.size());
    }
    EXPECT_EQ(taken, "head " + large);
  }
}

TEST(OutputQueueTest, WhatIsBeingWrittenStaysWhereItIs) {
  OutputQueue queue;
  queue.tail()->append("first");
  const Transport::ConstBuffers front = queue.Front();
  queue.tail()->append(std::string(100000, 'y'));
  EXPECT_EQ(Text(front), "first");
  queue.Consume(5);
  EXPECT_EQ(Text(queue.Front()), std::string(100000, 'y'));
}

TEST(OutputQueueTest, ABodyWaitsForWhatWasQueuedBefore) {
  OutputQueue queue;
  queue.tail()->append("1");
  EXPECT_EQ(Text(queue.Front()), "1");
  queue.tail()->append("2");
  queue.AppendBody(std::string(20000, 'z'));
  EXPECT_EQ(Text(queue.Front()), "1");
  queue.Consume(1);
  EXPECT_EQ(Text(queue.Front()), "2" + std::string(20000, 'z'));
}

TEST(OutputQueueTest, AnEmptyOneHasNothing) {
  OutputQueue queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(Text(queue.Front()), "");
  queue.AppendBody("");
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace podferry::http_internal
