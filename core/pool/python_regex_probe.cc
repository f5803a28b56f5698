// For python_regex_differential_test.py: reads lines "<pattern> <text> <text>..." (UTF-8 in
// hexadecimal, "-" for empty) and answers each with a line: "error <message>" or one of 0, 1, L
// (limit) and U (unsupported) for each text.

#include <iostream>
#include <sstream>
#include <string>

#include "absl/strings/escaping.h"
#include "core/pool/python_regex.h"

namespace podferry {
namespace {

std::string FromHex(const std::string& hex) {
  return hex == "-" ? std::string() : absl::HexStringToBytes(hex);
}

char Answer(const PythonRegex& regex, const std::string& text) {
  const absl::StatusOr<bool> found = regex.Search(text);
  if (found.ok()) return *found ? '1' : '0';
  return absl::IsUnimplemented(found.status()) ? 'U' : 'L';
}

void AnswerLine(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  const absl::StatusOr<PythonRegex> regex = PythonRegex::Compile(FromHex(word));
  if (!regex.ok()) {
    std::cout << (absl::IsUnimplemented(regex.status()) ? "unsupported " : "error ")
              << absl::CHexEscape(regex.status().message()) << "\n";
    return;
  }
  while (words >> word) std::cout << Answer(*regex, FromHex(word));
  std::cout << "\n";
}

}  // namespace
}  // namespace podferry

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) podferry::AnswerLine(line);
  return 0;
}
