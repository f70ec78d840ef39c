#include "sim/labs/parameters.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

namespace tcsim::labs {
namespace {

std::uint64_t keyed_number(const std::string& text, const std::string& secret) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
           &size) == nullptr)
    throw std::runtime_error("HMAC-SHA256 failed");
  constexpr int kByteBits = 8;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << kByteBits | digest[i];
  return number;
}

}  // namespace

Parameters draw(const Lab& lab, const std::string& student, const std::string& secret) {
  Parameters drawn;
  for (const ParameterSpec& parameter : lab.parameters) {
    const std::uint64_t number =
        keyed_number(fmt::format("lab {} {} {}", lab.number, parameter.name, student), secret);
    const auto values = static_cast<std::uint64_t>(parameter.values());
    drawn[parameter.name] = parameter.value(static_cast<std::int64_t>(number % values));
  }
  return drawn;
}

std::size_t end_of_marker(std::string_view text, std::size_t at) {
  constexpr std::string_view kDigits = "0123456789";
  if (text[at] != '@') return at;
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at + 1);
  const bool is_marker = end != std::string_view::npos && text[end] == '@' && end > at + 1 &&
                         kDigits.find(text[at + 1]) == std::string_view::npos;
  return is_marker ? end + 1 : at;
}

std::string filled(std::string text, const Parameters& parameters) {
  for (const auto& [name, value] : parameters) {
    const std::string marker = "@" + name + "@";
    const std::string digits = std::to_string(value);
    for (std::size_t at = text.find(marker); at != std::string::npos; at = text.find(marker, at))
      text.replace(at, marker.size(), digits);
  }
  return text;
}

}  // namespace tcsim::labs
