#include "core/nats/nkey.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";  // RFC 4648, no padding
constexpr uint8_t kSeedPrefix = 18 << 3;                          // 'S'
constexpr uint8_t kUserPrefix = 20 << 3;                          // 'U'
constexpr size_t kKeySize = 32;
constexpr size_t kSeedSize = 2 + kKeySize + 2;  // two prefixes, the key, a CRC

std::optional<std::string> Base32Decode(absl::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = absl::string_view(kAlphabet).find(c);
    if (digit == absl::string_view::npos) return std::nullopt;
    bits = bits << 5 | static_cast<uint32_t>(digit);
    count += 5;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count & 0xff));
    }
  }
  return bytes;
}

std::string Base32Encode(absl::string_view bytes) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    count += 8;
    for (; count >= 5; count -= 5) text.push_back(kAlphabet[bits >> (count - 5) & 31]);
  }
  if (count > 0) text.push_back(kAlphabet[bits << (5 - count) & 31]);
  return text;
}

// CRC-16/XMODEM.
uint16_t Crc16(absl::string_view bytes) {
  uint16_t crc = 0;
  for (const char c : bytes) {
    crc = static_cast<uint16_t>(crc ^ static_cast<uint8_t>(c) << 8);
    for (int i = 0; i < 8; ++i) {
      crc = static_cast<uint16_t>((crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1);
    }
  }
  return crc;
}

std::string WithCrc(std::string bytes) {
  const uint16_t crc = Crc16(bytes);
  bytes.push_back(static_cast<char>(crc & 0xff));
  bytes.push_back(static_cast<char>(crc >> 8));
  return bytes;
}

absl::StatusOr<std::string> PublicKey(absl::string_view private_key) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                   reinterpret_cast<const uint8_t*>(private_key.data()),
                                   private_key.size()),
      &EVP_PKEY_free);
  std::array<uint8_t, kKeySize> bytes{};
  size_t size = bytes.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(key.get(), bytes.data(), &size) != 1) {
    return absl::InternalError("OpenSSL cannot derive an Ed25519 public key");
  }
  return std::string(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
}

}  // namespace

absl::StatusOr<std::string> PublicNkeyOfSeed(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::StartsWith(line, "SU")) continue;
    std::optional<std::string> seed = Base32Decode(line);
    if (!seed.has_value() || seed->size() != kSeedSize ||
        WithCrc(seed->substr(0, kSeedSize - 2)) != *seed) {
      continue;
    }
    // A seed's two prefixes share the second byte: 5 bits of 'S', then 8 of the kind of key.
    const auto first = static_cast<uint8_t>((*seed)[0]);
    const auto second = static_cast<uint8_t>((*seed)[1]);
    const auto kind = static_cast<uint8_t>((first & 7) << 5 | second >> 3);
    if ((first & 0xf8) != kSeedPrefix || kind != kUserPrefix) continue;
    const auto public_key = PublicKey(absl::string_view(*seed).substr(2, kKeySize));
    OPENSSL_cleanse(seed->data(), seed->size());
    PODFERRY_RETURN_IF_ERROR(public_key.status());
    return Base32Encode(WithCrc(std::string(1, static_cast<char>(kUserPrefix)) + *public_key));
  }
  return absl::InvalidArgumentError("no NKey seed of a user (SU...) in it");
}

}  // namespace podferry
