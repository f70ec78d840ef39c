#include "sim/report/run_directory.hpp"

#include <fmt/format.h>

#include <array>
#include <system_error>

#include "sim/files/atomic_file.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/checksum.hpp"

namespace tcsim::report {
namespace {

namespace fs = std::filesystem;

// What a run or a table of runs leaves in its directory.
constexpr std::array<std::string_view, 17> kFilesOfARun{"report.html",
                                                        "report.md",
                                                        "manifest.json",
                                                        "stats.json",
                                                        "network.json",
                                                        "layers.csv",
                                                        "streams.json",
                                                        "stats.csv",
                                                        "kernels.csv",
                                                        "rows.csv",
                                                        "rows.json",
                                                        "rows",
                                                        "d.npy",
                                                        "d.npy.json",
                                                        "critical_path.json",
                                                        "timeline.kanata.zst",
                                                        "timeline.perfetto.json.gz"};

/// Makes `path` with its parents; false if it exists already.
bool make_directory(const fs::path& path) {
  std::error_code error;
  const bool made = fs::create_directories(path, error);
  if (error) throw IoError(path.string() + ": cannot make the directory: " + error.message());
  return made;
}

fs::path next_numbered() {
  for (int number = 1;; ++number) {
    fs::path path = fmt::format("run-{:04}", number);
    if (!fs::exists(path) && make_directory(path)) return path;
  }
}

void remove_earlier_run(const fs::path& path) {
  for (const std::string_view file : kFilesOfARun) {
    std::error_code error;
    fs::remove_all(path / file, error);
    if (error) throw IoError((path / file).string() + ": cannot remove: " + error.message());
  }
  files::remove_unfinished(path);
}

}  // namespace

RunDirectory RunDirectory::create(const std::optional<fs::path>& wanted, bool force) {
  if (!wanted) return RunDirectory(next_numbered());
  if (fs::exists(*wanted) && !fs::is_directory(*wanted)) {
    throw DirectoryRefused(wanted->string() + ": exists and is not a directory");
  }
  if (!make_directory(*wanted) && !fs::is_empty(*wanted)) {
    if (!force) {
      throw DirectoryRefused(
          wanted->string() +
          ": the directory is not empty; choose another with -o, or replace the run with --force");
    }
    if (!fs::exists(*wanted / "manifest.json"))
      throw DirectoryRefused(wanted->string() +
                             ": the directory holds other files and no run; choose another with "
                             "-o");
    remove_earlier_run(*wanted);
  }
  return RunDirectory(*wanted);
}

RunDirectory RunDirectory::resume(const fs::path& wanted) {
  if (fs::exists(wanted) && !fs::is_directory(wanted))
    throw DirectoryRefused(wanted.string() + ": exists and is not a directory");
  if (!make_directory(wanted) && !fs::is_empty(wanted) && !fs::exists(wanted / "manifest.json")) {
    throw DirectoryRefused(wanted.string() +
                           ": the directory holds other files and no run; choose another with -o");
  }
  return RunDirectory(wanted);
}

std::string RunDirectory::name() const {
  const fs::path clean = path_.lexically_normal();
  return clean.has_filename() ? clean.filename().string() : clean.parent_path().filename().string();
}

void RunDirectory::write(std::string_view file, std::string_view text) const {
  files::write_atomically(path_ / file, text);
}

void RunDirectory::write_manifest(const nlohmann::ordered_json& manifest) const {
  write("manifest.json", files::json_text(sealed_manifest(path_, manifest), 2) + "\n");
}

}  // namespace tcsim::report
