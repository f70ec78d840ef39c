#include "sim/labs/start.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/error.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/labs/report.hpp"
#include "sim/labs/sheet.hpp"

namespace tcsim::labs {
namespace {

namespace fs = std::filesystem;

/// The files of `lab` as they are, by their path in its folder.
std::map<fs::path, std::string> texts_of_files(const Lab& lab) {
  std::map<fs::path, std::string> texts;
  for (const auto& entry : fs::recursive_directory_iterator(lab.folder))
    if (!entry.is_directory())
      texts[entry.path().lexically_relative(lab.folder)] =
          files::read_file(entry.path(), files::FileKind::kLab);
  return texts;
}

/// Adds the markers in `text`, which `file` holds, that name no parameter.
void add_unknown_markers(const fs::path& file, std::string_view text, const Parameters& parameters,
                         std::vector<std::string>& mistakes) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : parameters) names.emplace_back(name);
  int line = 1;
  std::size_t start_of_line = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') {
      ++line;
      start_of_line = at + 1;
    }
    const std::size_t end = end_of_marker(text, at);
    if (end == at) continue;
    const std::string_view name = text.substr(at + 1, end - at - 2);
    if (!parameters.contains(std::string(name)))
      mistakes.push_back(fmt::format("{}:{}:{}: @{}@: not a parameter of the lab{}", file.string(),
                                     line, at - start_of_line + 1, name,
                                     files::did_you_mean(name, names)));
    at = end - 1;
  }
}

}  // namespace

void start(const Lab& lab, const Parameters& parameters, const fs::path& target) {
  const std::map<fs::path, std::string> texts = texts_of_files(lab);
  std::vector<std::string> mistakes;
  for (const auto& [name, text] : texts)
    add_unknown_markers(lab.folder / name, text, parameters, mistakes);
  if (!mistakes.empty()) throw config::ConfigError(mistakes);
  std::error_code error;
  if (!fs::create_directories(target, error) || error)
    throw IoError(target.string() +
                  (error ? ": " + error.message() : ": exists; choose another with -o"));
  for (const auto& [name, text] : texts) {
    fs::create_directories((target / name).parent_path());
    files::write_atomically(target / name, filled(text, parameters));
  }
  files::write_atomically(target / kSheetFile, blank_sheet(lab, parameters));
  files::write_atomically(target / kReportFile, report_form(lab, parameters));
}

}  // namespace tcsim::labs
