#include "core/http/listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "core/base/testing/status_matchers.h"
#include "core/http/testing/socket_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::http_internal {
namespace {

using ::testing::HasSubstr;

constexpr mode_t kMode = 0660;

// A socket file that was bound, and whose owner died without removing it.
void LeaveStaleSocket(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof(name.sun_path) - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  close(fd);
}

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

class ListenerTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Listener>> Open(const ListenAddress& address,
                                                 mode_t mode = kMode) {
    return Listener::Open(context_, address, mode);
  }

  boost::asio::io_context context_;
  const SocketFolder folder_;
};

TEST_F(ListenerTest, ReportsThePortThatTheKernelChose) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    PODFERRY_ASSERT_OK_AND_ASSIGN(const auto listener, Open({.host = host}));
    EXPECT_NE(listener->address().port, 0);
  }
}

TEST_F(ListenerTest, RefusesATcpPortInUse) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(const auto listener, Open({.host = "127.0.0.1"}));
  EXPECT_THAT(Open(listener->address()), StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(ListenerTest, SaysWhichAddressCannotBeBound) {
  EXPECT_THAT(Open({.host = "192.0.2.1"}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("192.0.2.1:0")));
  EXPECT_THAT(Open({.kind = ListenAddress::Kind::kUnix, .path = "/nonexistent/a.sock"}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("/nonexistent/a.sock")));
  EXPECT_THAT(Open({.kind = ListenAddress::Kind::kUnix, .path = "/" + std::string(200, 'x')}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(ListenerTest, GivesTheSocketExactlyTheModeAsked) {
  const mode_t before = umask(0077);
  for (const mode_t mode : {0600, 0660, 0666}) {
    PODFERRY_ASSERT_OK_AND_ASSIGN(const auto listener, Open(folder_.Address("a.sock"), mode));
    EXPECT_EQ(ModeOf(folder_.Path("a.sock")), mode);
  }
  umask(0);
  PODFERRY_ASSERT_OK_AND_ASSIGN(const auto listener, Open(folder_.Address("a.sock"), 0600));
  EXPECT_EQ(ModeOf(folder_.Path("a.sock")), 0600u);
  umask(before);
}

TEST_F(ListenerTest, ReplacesAStaleSocketButNotOneInUse) {
  LeaveStaleSocket(folder_.Path("a.sock"));
  PODFERRY_ASSERT_OK_AND_ASSIGN(const auto listener, Open(folder_.Address("a.sock")));
  EXPECT_THAT(Open(folder_.Address("a.sock")),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("somebody else")));
  EXPECT_EQ(access(folder_.Path("a.sock").c_str(), F_OK), 0);
}

TEST_F(ListenerTest, NeverRemovesAFileThatIsNoSocket) {
  std::ofstream(folder_.Path("precious")) << "data";
  EXPECT_THAT(Open(folder_.Address("precious")),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("no socket")));
  EXPECT_EQ(access(folder_.Path("precious").c_str(), F_OK), 0);
}

TEST_F(ListenerTest, RemovesItsSocketWhenClosedUnlessSomebodyReplacedIt) {
  const std::string path = folder_.Path("a.sock");
  PODFERRY_ASSERT_OK_AND_ASSIGN(auto first, Open(folder_.Address("a.sock")));
  first->Close();
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  PODFERRY_ASSERT_OK_AND_ASSIGN(first, Open(folder_.Address("a.sock")));
  ASSERT_EQ(rename(path.c_str(), folder_.Path("kept").c_str()), 0);
  PODFERRY_ASSERT_OK_AND_ASSIGN(const auto second, Open(folder_.Address("a.sock")));
  first->Close();
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace podferry::http_internal
