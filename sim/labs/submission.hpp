#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "sim/errors/errors.hpp"
#include "sim/files/descriptor.hpp"

namespace tcsim::labs {

/// A file of a submission, or why it was not read; the reason reveals nothing of any file's
/// content.
struct HandedIn {
  std::optional<std::string> text;
  std::string refusal;  ///< "not handed in", "a symbolic link, which is not read", ...
};

/// The folder of a submission cannot be opened; the message names it and the reason.
class NoSubmission : public IoError {
 public:
  NoSubmission(const std::filesystem::path& folder, const std::string& reason)
      : IoError(folder.string() + ": " + reason), reason_(reason) {}

  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// A folder that somebody else has filled. Files are read relative to one descriptor of it. No part
/// of their path may be a symbolic link. They must be regular, have only one name (a hard link may
/// refer to somebody else's file) and not be too large.
class Submission {
 public:
  /// Throws NoSubmission if `folder` is not a folder, or itself a symbolic link.
  explicit Submission(const std::filesystem::path& folder);

  [[nodiscard]] HandedIn read(const std::filesystem::path& name, std::size_t most_bytes) const;

 private:
  files::Descriptor folder_;
};

}  // namespace tcsim::labs
