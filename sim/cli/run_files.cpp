#include "sim/cli/run_files.hpp"

#include <filesystem>
#include <utility>

#include "sim/files/atomic_file.hpp"

namespace tcsim::cli {

RunFiles::RunFiles(const RunOptions& options, const std::vector<std::string>& command)
    : RunFiles(options, command, [&request = options.request](const report::Manifest& manifest) {
        return report::manifest_json(manifest, request.machines, request.workload);
      }) {}

RunFiles::RunFiles(const RunOptions& options, const std::vector<std::string>& command,
                   ManifestMaker json_of)
    : json_of_(std::move(json_of)), manifest_{command, report::now_utc()} {
  if (options.request.sampling_error > 0) manifest_.fidelity = "sampled";
  if (options.no_files) return;
  directory_ = report::RunDirectory::create(options.out, options.force);
  write_manifest();
}

report::ResultFiles RunFiles::results() const {
  report::Manifest unfinished{manifest_.command, manifest_.started_utc};
  unfinished.fidelity = manifest_.fidelity;
  return {*directory_, json_of_(unfinished)};
}

void RunFiles::replace_earlier_run() const {
  if (!directory_ || !directory_->holds_earlier_run()) return;
  directory_->write_manifest(manifest_json());
  directory_->remove_earlier_run({});
}

void RunFiles::note_end(double wall_s, bool is_complete, const std::string& stopped_by) {
  manifest_.wall_s = wall_s;
  manifest_.complete = is_complete;
  manifest_.stopped_by = stopped_by;
}

void RunFiles::finish(double wall_s, bool is_complete, const std::string& stopped_by) {
  note_end(wall_s, is_complete, stopped_by);
  if (!directory_) return;
  write_manifest();
  files::sync_folder(directory_->path());
}

InterruptGuard::LastWords RunFiles::last_words() const {
  return [copy = *this](StopCause cause) mutable {
    copy.finish(0, false, std::string(run::name(cause)));
  };
}

void RunFiles::write_manifest() const {
  if (directory_ && !directory_->holds_earlier_run()) directory_->write_manifest(manifest_json());
}

std::exception_ptr held_back(const std::function<void()>& write) {
  try {
    write();
  } catch (const IoError&) {
    return std::current_exception();
  } catch (const std::filesystem::filesystem_error&) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace tcsim::cli
