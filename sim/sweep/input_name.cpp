#include "sim/sweep/input_name.hpp"

#include <fmt/format.h>

#include "sim/report/configuration_hash.hpp"
#include "sim/text/name.hpp"

namespace tcsim::sweep {
namespace {

std::string short_hash(const std::string& text) {
  constexpr std::size_t kDigits = 12;
  return report::hash_text(text).substr(0, kDigits);
}

}  // namespace

std::string input_name(const std::filesystem::path& file, const std::string& text) {
  constexpr std::size_t kMostOfStem = 60;
  return std::string(kInputFolder) +
         text::as_name(fmt::format("{}-{}{}", file.stem().string().substr(0, kMostOfStem),
                                   short_hash(text), file.extension().string()));
}

bool is_named_by(const std::string& name, const std::string& text) {
  return std::filesystem::path(name).stem().string().ends_with("-" + short_hash(text));
}

}  // namespace tcsim::sweep
