#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/files/descriptor.hpp"
#include "sim/files/scratch_folder.hpp"
#include "sim/json/view.hpp"

namespace tcsim::serve {

/// Results by the experiment that gave them. A result is a folder KEY with experiment.json,
/// result.json (what `tcsim run -f json` printed) and run-KEY8, the run directory. It appears in
/// one step.
class Store {
 public:
  static constexpr const char* kExperiment = "experiment.json";
  static constexpr const char* kResult = "result.json";

  /// Opens or creates the folder `path`; nothing: a temporary one, gone at the end. Unfinished
  /// results of a killed server are removed. With `read_only` nothing is changed. Throws UsageError
  /// if another server works in it, IoError.
  Store(const std::optional<std::filesystem::path>& path, int most_mib, bool read_only);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The key of an experiment, as text, with the program of hash `program`.
  static std::string key_of(const std::string& program, const std::string& experiment);
  /// True for what key_of may give.
  static bool is_key(const std::string& word);

  /// True if the result of `experiment`, whose key is `key`, is there and whole; then it counts as
  /// used. What is damaged is to be run again.
  bool has(const std::string& key, const std::string& experiment);
  /// The object in the file `name`, kExperiment or kResult, of the result of `key`; null if there
  /// is no such result or its file is damaged.
  [[nodiscard]] json::Json read(const std::string& key, const char* name) const;
  /// The run directory of the result of `key`; empty if there is none.
  [[nodiscard]] std::filesystem::path directory(const std::string& key) const;
  /// The run directory of `key` below `folder`.
  static std::filesystem::path run_directory(const std::filesystem::path& folder,
                                             const std::string& key);

  /// A folder in which a run may work.
  [[nodiscard]] std::unique_ptr<files::ScratchFolder> workplace() const;
  /// Stores `workplace` as the result of `key`; deletes the least recently used results if there is
  /// no room. Throws IoError.
  void take(const std::string& key, const files::ScratchFolder& workplace);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uintmax_t bytes = 0;
    std::list<std::string>::iterator use;
  };

  [[nodiscard]] std::filesystem::path folder(const std::string& key) const { return path_ / key; }
  /// The content of a file of the result of `key`; nothing if it cannot be read.
  [[nodiscard]] std::optional<std::string> text(const std::string& key, const char* name) const;
  void lock();
  void read_entries();
  void add(const std::string& key);
  void make_room();

  std::unique_ptr<files::ScratchFolder> temporary_;
  std::filesystem::path path_;
  std::uintmax_t most_bytes_;
  files::Descriptor lock_;
  std::map<std::string, Entry> entries_;
  std::list<std::string> uses_;  ///< the latest last
  std::uintmax_t bytes_ = 0;
};

}  // namespace tcsim::serve
