#include "core/base/ids.h"

#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

// A daemon without random numbers cannot make ids that are its own; it must not go on.
void FillRandom(char* bytes, size_t size) {
  for (size_t filled = 0; filled < size;) {
    const ssize_t got = getrandom(bytes + filled, size - filled, 0);
    if (got > 0) {
      filled += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      std::perror("getrandom");
      std::abort();
    }
  }
}

}  // namespace

std::string NewUuid() {
  char bytes[16];
  FillRandom(bytes, sizeof(bytes));
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);  // version 4
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);  // variant of RFC 9562
  const std::string hex = absl::BytesToHexString(absl::string_view(bytes, sizeof(bytes)));
  const absl::string_view view = hex;
  return absl::StrCat(view.substr(0, 8), "-", view.substr(8, 4), "-", view.substr(12, 4), "-",
                      view.substr(16, 4), "-", view.substr(20));
}

bool IsUuid(absl::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !absl::ascii_isxdigit(static_cast<unsigned char>(text[i]))) {
      return false;
    }
  }
  return true;
}

}  // namespace podferry
