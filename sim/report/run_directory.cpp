#include "sim/report/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "sim/config/error.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/descriptor.hpp"
#include "sim/files/json_text.hpp"
#include "sim/json/parse.hpp"
#include "sim/report/array_files.hpp"
#include "sim/report/checksum.hpp"

namespace tcsim::report {
namespace {

namespace fs = std::filesystem;

// What a run or a table of runs leaves in its directory, but for its manifest and its arrays.
constexpr std::array<std::string_view, 14> kFilesOfARun{"report.html",
                                                        "report.md",
                                                        "stats.json",
                                                        "network.json",
                                                        "layers.csv",
                                                        "streams.json",
                                                        "stats.csv",
                                                        "kernels.csv",
                                                        "rows.csv",
                                                        "rows.json",
                                                        "rows",
                                                        "critical_path.json",
                                                        "timeline.kanata.zst",
                                                        "timeline.perfetto.json.gz"};

/// Makes `path` with its parents; false if it exists already.
bool make_directory(const fs::path& path) {
  std::error_code error;
  const bool made = fs::create_directories(path, error);
  std::error_code ignored;
  if (error && fs::is_symlink(path, ignored))
    throw IoError(path.string() + ": is a link to nothing");
  if (error) throw IoError(path.string() + ": cannot make the directory: " + error.message());
  return made;
}

fs::path next_numbered() {
  for (int number = 1;; ++number) {
    fs::path path = fmt::format("run-{:04}", number);
    if (!fs::exists(path) && make_directory(path)) return path;
  }
}

/// Whether the manifest of a run, or of another command of tcsim, is in `directory`.
bool holds_run(const fs::path& directory) {
  if (!fs::exists(directory / kManifestFile)) return false;
  try {
    const json::View manifest = json::read(directory / kManifestFile);
    return manifest.contains("schema_version") && manifest.at("arguments").is_array();
  } catch (const config::ConfigError&) {
    return false;
  }
}

/// Throws DirectoryRefused unless there is a run in `directory`, which is not empty.
void refuse_other_files(const fs::path& directory) {
  if (!holds_run(directory))
    throw DirectoryRefused(directory.string() +
                           ": the directory holds other files and no run; choose another with -o");
}

/// The same of a run of `command`.
void refuse_other_results(const fs::path& directory, std::string_view command) {
  refuse_other_files(directory);
  const auto words = json::read(directory / kManifestFile).at("arguments").elements();
  if (words.size() < 2 || !words[1].is(command))
    throw DirectoryRefused(
        fmt::format("{}: the directory holds results that are not of tcsim {}; choose another "
                    "with -o",
                    directory.string(), command));
}

}  // namespace

std::string manifest_text(const nlohmann::ordered_json& manifest) {
  return files::json_text(manifest, 2) + "\n";
}

std::string name_of_run(const fs::path& directory) {
  const fs::path clean = directory.lexically_normal();
  return clean.has_filename() ? clean.filename().string() : clean.parent_path().filename().string();
}

/// The lock of a directory, which its process loses with the last copy or its end.
struct RunDirectory::Claim {
  /// Throws DirectoryRefused if another process has `path`.
  explicit Claim(const fs::path& path)
      : descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (!descriptor.is_open())
      throw IoError(path.string() + ": cannot open the directory: " + std::strerror(errno));
    // Some file systems of networks lock no directories; there nobody is refused.
    if (::flock(descriptor.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    throw DirectoryRefused(path.string() +
                           ": another tcsim works in this directory; wait for it, stop it, or "
                           "choose another with -o");
  }

  files::Descriptor descriptor;
  std::atomic<bool> holds_earlier_run = false;  ///< what ends an interrupted process asks, too
};

RunDirectory::RunDirectory(fs::path path)
    : path_(std::move(path)), claim_(std::make_shared<Claim>(path_)) {}

RunDirectory RunDirectory::create(const std::optional<fs::path>& wanted, bool force) {
  if (!wanted) return RunDirectory(next_numbered());
  if (fs::exists(*wanted) && !fs::is_directory(*wanted)) {
    throw DirectoryRefused(wanted->string() + ": exists and is not a directory");
  }
  make_directory(*wanted);
  RunDirectory directory(*wanted);
  if (!files::holds_nothing_finished(*wanted)) {
    if (!force) {
      throw DirectoryRefused(
          wanted->string() +
          ": the directory is not empty; choose another with -o, or replace the run with --force");
    }
    refuse_other_files(*wanted);
    directory.claim_->holds_earlier_run = true;
  }
  files::remove_unfinished(*wanted);
  return directory;
}

RunDirectory RunDirectory::resume(const fs::path& wanted, std::string_view command) {
  if (fs::exists(wanted) && !fs::is_directory(wanted))
    throw DirectoryRefused(wanted.string() + ": exists and is not a directory");
  make_directory(wanted);
  RunDirectory directory(wanted);
  if (!files::holds_nothing_finished(wanted)) refuse_other_results(wanted, command);
  files::remove_unfinished(wanted);
  if (fs::is_directory(wanted / "rows")) files::remove_unfinished(wanted / "rows");
  return directory;
}

bool RunDirectory::holds_earlier_run() const { return claim_->holds_earlier_run; }

void RunDirectory::remove_earlier_run(const std::set<std::string_view>& kept) const {
  if (!holds_earlier_run()) return;
  const auto remove_one = [&](std::string_view file) {
    if (kept.contains(file)) return;
    std::error_code error;
    fs::remove_all(path_ / file, error);
    if (error) throw IoError((path_ / file).string() + ": cannot remove: " + error.message());
  };
  std::ranges::for_each(kFilesOfARun, remove_one);
  for (const std::string_view array : kArrays) {
    remove_one(array_file(array));
    remove_one(array_note_file(array));
  }
  claim_->holds_earlier_run = false;
}

void RunDirectory::write(std::string_view file, std::string_view text) const {
  files::write_atomically(path_ / file, text);
}

void RunDirectory::write_manifest(const nlohmann::ordered_json& manifest) const {
  write(kManifestFile, manifest_text(holds_earlier_run() ? sealed_manifest(FilePlaces{}, manifest)
                                                         : sealed_manifest(path_, manifest)));
}

}  // namespace tcsim::report
