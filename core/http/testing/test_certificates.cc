#include "core/http/testing/test_certificates.h"

#include <glog/logging.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

struct Identity {
  Key key;
  Certificate certificate;
};

void AddExtension(X509* certificate, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  CHECK(extension != nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// Signed by `issuer`, or by itself if that is null.
Identity Issue(const char* name, const Identity* issuer, const char* alternative_names) {
  static long serial = 0;
  Identity identity = {Key(EVP_EC_gen("P-256"), EVP_PKEY_free), Certificate(X509_new(), X509_free)};
  X509* certificate = identity.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 24 * 3600);
  X509_set_pubkey(certificate, identity.key.get());
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  X509_set_issuer_name(certificate,
                       issuer ? X509_get_subject_name(issuer->certificate.get()) : subject);
  AddExtension(certificate, NID_basic_constraints, issuer ? "CA:FALSE" : "critical,CA:TRUE");
  if (alternative_names) AddExtension(certificate, NID_subject_alt_name, alternative_names);
  CHECK_GT(X509_sign(certificate, (issuer ? issuer->key : identity.key).get(), EVP_sha256()), 0);
  return identity;
}

std::string WriteCertificate(const std::string& path, const Identity& identity) {
  FILE* file = std::fopen(path.c_str(), "w");
  PCHECK(file != nullptr) << path;
  CHECK_EQ(PEM_write_X509(file, identity.certificate.get()), 1);
  std::fclose(file);
  return path;
}

std::string WriteKey(const std::string& path, const Identity& identity) {
  FILE* file = std::fopen(path.c_str(), "w");
  PCHECK(file != nullptr) << path;
  CHECK_EQ(PEM_write_PrivateKey(file, identity.key.get(), nullptr, nullptr, 0, nullptr, nullptr),
           1);
  std::fclose(file);
  return path;
}

}  // namespace

TestCertificates WriteTestCertificates(const std::string& folder) {
  const Identity ca = Issue("test authority", nullptr, nullptr);
  const Identity other = Issue("another authority", nullptr, nullptr);
  const Identity server = Issue("server", &ca, "DNS:localhost,IP:127.0.0.1");
  const Identity client = Issue("client", &ca, nullptr);
  return {
      .ca = WriteCertificate(absl::StrCat(folder, "/ca.pem"), ca),
      .server_certificate = WriteCertificate(absl::StrCat(folder, "/server.pem"), server),
      .server_key = WriteKey(absl::StrCat(folder, "/server.key"), server),
      .client_certificate = WriteCertificate(absl::StrCat(folder, "/client.pem"), client),
      .client_key = WriteKey(absl::StrCat(folder, "/client.key"), client),
      .other_ca = WriteCertificate(absl::StrCat(folder, "/other.pem"), other),
  };
}

}  // namespace podferry
