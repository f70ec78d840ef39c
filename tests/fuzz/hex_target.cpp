#include "sim/mma/hex.hpp"
#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {
namespace {

constexpr std::array kWidths{1, 4, 8, 16, 32, 64};

/// Patterns written again and read again are the same patterns.
void check_round_trip(const std::vector<std::uint64_t>& patterns, int bits) {
  if (bits == 1) return;  // to_hex writes whole digits
  std::string text;
  for (const std::uint64_t pattern : patterns) text += mma::to_hex(pattern, bits);
  if (text.empty()) return;
  const auto again = mma::parse_hex(text, bits);
  require(std::get<std::vector<std::uint64_t>>(again) == patterns, "hex: not read back");
}

/// The first byte chooses the width, the rest is the text.
bool run_hex(Bytes bytes) {
  if (bytes.empty()) return false;
  const int bits = kWidths[bytes[0] % kWidths.size()];
  const std::string_view text = text_of(bytes.subspan(1));
  const auto parsed = mma::parse_hex(text, bits);
  if (const auto* error = std::get_if<mma::HexError>(&parsed)) {
    require(error->offset <= text.size() && !error->reason.empty(), "hex: error without a place");
    return false;
  }
  check_round_trip(std::get<std::vector<std::uint64_t>>(parsed), bits);
  return true;
}

std::vector<std::string> hex_seeds() {
  std::vector<std::string> inputs;
  for (char width = 0; width < static_cast<char>(kWidths.size()); ++width)
    for (const char* text : {"3c004000c0007bff", "0x3F800000bf800000,0X0000000000000001", ","})
      inputs.push_back(width + std::string(text));
  return inputs;
}

}  // namespace

const Target hex_target{"hex", run_hex, hex_seeds, Form::kText};

}  // namespace tcsim::fuzz
