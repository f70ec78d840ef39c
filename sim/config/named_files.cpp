#include "sim/config/named_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/config/error.hpp"
#include "sim/files/nearest.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::config {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool is_path(std::string_view word) {
  return word.find('/') != std::string_view::npos || word.ends_with(".yaml") ||
         word.ends_with(".yml");
}

std::string path_beside(const std::string& file, const std::string& path) {
  const std::string found = (fs::path(file).parent_path() / path).lexically_normal().string();
  return is_path(found) ? found : "./" + found;
}

std::string name_problem(const std::string& name) {
  if (name.empty()) return "is empty";
  const bool is_printable =
      std::ranges::none_of(name, [](unsigned char c) { return c < ' ' || c == '\x7f'; });
  return is_printable ? "" : "has a control character";
}

std::vector<std::string> NamedFiles::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().stem().string();
    const bool is_file = entry.is_regular_file(error);  // or a link to one
    if (is_file && !name.starts_with('.') && entry.path().extension() == ".yaml")
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::string NamedFiles::why_none(const std::string& word) const {
  const std::vector<std::string> known = names();
  if (is_path(word) || std::ranges::find(known, word) != known.end()) return {};
  return fmt::format(
      "no such {}{} ({}give a path ending in .yaml)", kind,
      files::did_you_mean(word, {known.begin(), known.end()}),
      known.empty() ? "" : fmt::format("{}: {}; or ", kinds, fmt::join(known, ", ")));
}

fs::path NamedFiles::file_of(const std::string& word) const {
  if (const std::string reason = why_none(word); !reason.empty())
    throw ConfigError({fmt::format("{}{}: {}", prefix, text::one_line(word), reason)});
  return is_path(word) ? fs::path(word) : folder / (word + ".yaml");
}

}  // namespace tcsim::config
