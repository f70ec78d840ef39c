#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "sim/errors/errors.hpp"

namespace tcsim::files {

constexpr mode_t kReadableByAll = 0644;

/// The new content of a file, written to a temporary neighbour that replaces the file in one step.
/// The neighbour is always a new file with an unpredictable name, so nothing that others put there
/// (a link, say) is ever written to. It is removed with this object unless `finish` was called. A
/// process that ends without destroying the object calls `abandon_files`; `remove_unfinished` finds
/// what a killed process leaves behind.
class ReplacementFile {
 public:
  /// Throws IoError, as all members do; the message names `target`.
  explicit ReplacementFile(std::filesystem::path target, mode_t mode = kReadableByAll);
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  /// Where to write, for a library that takes file names.
  [[nodiscard]] const std::filesystem::path& path() const { return neighbour_; }
  void write(std::string_view bytes);
  /// Waits until the bytes are on the disk, so that `finish` needs no more room there.
  void settle();
  /// Settles the bytes, then replaces the target. Must be the last call.
  void finish();

 private:
  friend bool abandon_files();

  [[noreturn]] void fail(int reason) const;
  void open(mode_t mode);
  /// Removes this object from the list of open files.
  void leave();

  std::filesystem::path target_;
  std::filesystem::path neighbour_;
  int descriptor_ = -1;
  ReplacementFile* next_ = nullptr;  ///< in the list of open ones
};

/// Removes the neighbours of all files that are being written, and keeps every thread from
/// beginning or finishing one; for a process that is about to end by _exit. Returns false and does
/// nothing if a thread is just beginning or finishing one. A signal handler may call it.
bool abandon_files();

/// Replaces the content of `path` by `text` in one step: a reader sees the old file or the new one,
/// never a part, even after a power failure. Throws IoError; then `path` is unchanged.
void write_atomically(const std::filesystem::path& path, std::string_view text,
                      mode_t mode = kReadableByAll);

/// Writes the file that a user named. A device, a pipe and the file behind standard output or
/// standard error (/dev/stdout) receive the bytes; every other file, or that to which a link
/// points, is replaced as in write_atomically and keeps its permissions. Throws IoError, or
/// std::filesystem::filesystem_error for a link that cannot be followed.
void write_output(const std::filesystem::path& path, std::string_view text);

/// Writes the file names in `folder` to the disk, for a record that states that its files exist.
/// Throws IoError.
void sync_folder(const std::filesystem::path& folder);

/// Whether `folder` holds nothing but the neighbours that killed writers left. Throws
/// std::filesystem::filesystem_error if it cannot be read.
bool holds_nothing_finished(const std::filesystem::path& folder);

/// Removes the neighbours that killed writers left in `folder`. Requires that nobody is writing
/// there. Throws IoError.
void remove_unfinished(const std::filesystem::path& folder);

}  // namespace tcsim::files
