#include "core/nats/socket_owner.h"

#include "gtest/gtest.h"

namespace podferry {
namespace {

constexpr char kTable[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1\n"
    "   1: 0100007F:1F90 0100007F:D2A6 01 00000000:00000000 00:00000000 00000000     0        0 2\n"
    "   2: 0100007F:D2A6 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 3\n"
    "   3: 0200007F:D2A7 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 4\n"
    "   4: broken\n";

TEST(SocketOwnerTest, FindsTheOtherEnd) {
  EXPECT_EQ(LoopbackSocketOwner(kTable, 0xD2A6, 0x1F90), uid_t{1000});
  EXPECT_EQ(LoopbackSocketOwner(kTable, 0x1F90, 0xD2A6), uid_t{0});
}

TEST(SocketOwnerTest, FindsNobodyWhereNothingMatchesWholly) {
  EXPECT_EQ(LoopbackSocketOwner(kTable, 0xD2A6, 0x1F91), std::nullopt);
  EXPECT_EQ(LoopbackSocketOwner(kTable, 0xD2A7, 0x1F90), std::nullopt);
  EXPECT_EQ(LoopbackSocketOwner("", 1, 2), std::nullopt);
  EXPECT_FALSE(LoopbackSocketIsOurs(1, 2));
}

}  // namespace
}  // namespace podferry
