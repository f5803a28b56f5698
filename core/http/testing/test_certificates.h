// Certificates for tests, made when the test runs: an authority, a server's for "localhost" and
// 127.0.0.1, a client's, and another authority that signed none of them.

#ifndef PODFERRY_CORE_HTTP_TESTING_TEST_CERTIFICATES_H_
#define PODFERRY_CORE_HTTP_TESTING_TEST_CERTIFICATES_H_

#include <string>

namespace podferry {

struct TestCertificates {
  std::string ca;
  std::string server_certificate;
  std::string server_key;
  std::string client_certificate;
  std::string client_key;
  std::string other_ca;
};

// Writes them as PEM files into `folder` and returns their paths; aborts the test if it cannot.
TestCertificates WriteTestCertificates(const std::string& folder);

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_TESTING_TEST_CERTIFICATES_H_
