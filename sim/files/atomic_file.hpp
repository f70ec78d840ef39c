#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "sim/errors/errors.hpp"

namespace tcsim::files {

constexpr mode_t kReadableByAll = 0644;

/// The coming content of a file, written to a neighbour that takes its place in one step. The
/// neighbour is new and nobody can foresee its name, so nothing that others put there (a link, say)
/// is ever written to. It is gone with the object unless `finish` was called, and a process that
/// ends without it calls `abandon_files`; what a killed process leaves behind, `remove_unfinished`
/// finds.
class ReplacementFile {
 public:
  /// Throws IoError, as all members do; the message names `target`.
  explicit ReplacementFile(std::filesystem::path target, mode_t mode = kReadableByAll);
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  /// Where to write, for a library that takes names.
  [[nodiscard]] const std::filesystem::path& path() const { return neighbour_; }
  void write(std::string_view bytes);
  /// Waits until the bytes are on the disk, then takes the place of the target. Nothing may follow.
  void finish();

 private:
  friend bool abandon_files();

  [[noreturn]] void fail(int reason) const;
  void open(mode_t mode);
  /// Takes this out of the list of open ones.
  void leave();

  std::filesystem::path target_;
  std::filesystem::path neighbour_;
  int descriptor_ = -1;
  ReplacementFile* next_ = nullptr;  ///< in the list of open ones
};

/// Removes the neighbours of all files that are being written and keeps every thread from beginning
/// or finishing one, for a process that is about to end by _exit. False, and nothing done, if a
/// thread is just beginning or finishing one. A signal handler may call it.
bool abandon_files();

/// Replaces `path` by `text` in one step: a reader sees the old file or the new one, never a part,
/// after a failure of the power too. Throws IoError; then `path` is untouched.
void write_atomically(const std::filesystem::path& path, std::string_view text,
                      mode_t mode = kReadableByAll);

/// Writes the file that a user named: a device or a pipe (/dev/stdout, a FIFO) takes the bytes, all
/// else is replaced as write_atomically does. Throws IoError.
void write_output(const std::filesystem::path& path, std::string_view text);

/// Brings the names in `folder` to the disk, for a record that tells that its files are there.
/// Throws IoError.
void sync_folder(const std::filesystem::path& folder);

/// Removes the neighbours that killed writers left in `folder`. Requires that nobody writes there
/// now. Throws IoError.
void remove_unfinished(const std::filesystem::path& folder);

}  // namespace tcsim::files
