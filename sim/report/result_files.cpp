#include "sim/report/result_files.hpp"

#include <set>
#include <utility>

#include "sim/report/checksum.hpp"

namespace tcsim::report {
namespace {

/// On the disk with `text`, but not in its place yet.
void settle(files::ReplacementFile& file, std::string_view text) {
  file.write(text);
  file.settle();
}

}  // namespace

ResultFiles::ResultFiles(RunDirectory directory, const nlohmann::ordered_json& unfinished)
    : directory_(std::move(directory)) {
  if (!directory_.holds_earlier_run()) return;
  unfinished_.emplace(directory_.path() / kManifestFile);
  settle(*unfinished_, manifest_text(sealed_manifest(FilePlaces{}, unfinished)));
}

void ResultFiles::write(const std::string& file, std::string_view text) {
  settle(files_.try_emplace(file, directory_.path() / file).first->second, text);
}

void ResultFiles::publish(const nlohmann::ordered_json& manifest) {
  FilePlaces places;
  std::set<std::string_view> ours;
  for (const auto& [name, file] : files_) {
    places.emplace(name, file.path());
    ours.insert(name);
  }
  files::ReplacementFile finished(directory_.path() / kManifestFile);
  settle(finished, manifest_text(sealed_manifest(places, manifest)));
  if (unfinished_) unfinished_->finish();
  for (auto& [name, file] : files_) file.finish();
  directory_.remove_earlier_run(ours);
  finished.finish();
  files::sync_folder(directory_.path());
}

}  // namespace tcsim::report
