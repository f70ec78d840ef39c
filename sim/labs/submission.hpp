#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "sim/files/descriptor.hpp"

namespace tcsim::labs {

/// A file of a submission, or why it is not read; the reason holds nothing of any file.
struct HandedIn {
  std::optional<std::string> text;
  std::string refusal;  ///< "not handed in", "a symbolic link, which is not read", ...
};

/// A folder that somebody else has filled. Files are read below one descriptor of it, through no
/// symbolic link on any part of their way, and only if they are regular, have one name alone (a
/// hard link may be to a file of others) and are not too large.
class Submission {
 public:
  /// Throws IoError if `folder` is none, or itself a symbolic link.
  explicit Submission(const std::filesystem::path& folder);

  [[nodiscard]] HandedIn read(const std::filesystem::path& name, std::size_t most_bytes) const;

 private:
  files::Descriptor folder_;
};

}  // namespace tcsim::labs
