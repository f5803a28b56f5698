// A registry of the test images (tools/testenv/registry), that can be told to fail. Owned by a
// test, whose process must not fork meanwhile; ends with it.

#ifndef PODFERRY_CORE_TRANSLATE_TESTING_TEST_REGISTRY_H_
#define PODFERRY_CORE_TRANSLATE_TESTING_TEST_REGISTRY_H_

#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

class TestRegistry {
 public:
  TestRegistry();
  ~TestRegistry();
  TestRegistry(const TestRegistry&) = delete;
  TestRegistry& operator=(const TestRegistry&) = delete;

  const std::string& address() const { return https_; }  // host:port
  const std::string& ca() const { return ca_; }          // for SSL_CERT_FILE

  // Lines of registry_door.py; forgets what was counted.
  void Fail(const std::string& faults) const;
  // How often something was asked for since: "GET .*/blobs/".
  int Count(const std::string& regexp) const;

 private:
  int pid_ = -1;
  int stdin_ = -1;
  std::string http_;
  std::string https_;
  std::string ca_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_TESTING_TEST_REGISTRY_H_
