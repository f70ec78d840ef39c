#include "sim/labs/start.hpp"

#include "sim/files/atomic_file.hpp"
#include "sim/files/read_file.hpp"
#include "sim/labs/report.hpp"
#include "sim/labs/sheet.hpp"

namespace tcsim::labs {
void start(const Lab& lab, const Parameters& parameters, const std::filesystem::path& target) {
  std::error_code error;
  if (!std::filesystem::create_directories(target, error) || error)
    throw IoError(target.string() +
                  (error ? ": " + error.message() : ": exists; choose another with -o"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(lab.folder)) {
    const std::filesystem::path to = target / entry.path().lexically_relative(lab.folder);
    if (entry.is_directory()) {
      std::filesystem::create_directories(to);
      continue;
    }
    const std::string text = files::read_file(entry.path(), files::FileKind::kLab);
    files::write_atomically(to, filled(text, parameters));
  }
  files::write_atomically(target / kSheetFile, blank_sheet(lab, parameters));
  files::write_atomically(target / kReportFile, report_form(lab, parameters));
}

}  // namespace tcsim::labs
