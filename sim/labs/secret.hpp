#pragma once

#include <filesystem>
#include <string>

namespace tcsim::labs {

/// The text of a course secret, wiped from memory when the object is destroyed.
class CourseSecret {
 public:
  /// The text of `file` without line breaks at its end. Throws IoError; ConfigError if it is empty.
  explicit CourseSecret(const std::filesystem::path& file);
  /// For a course without a secret.
  CourseSecret() = default;
  ~CourseSecret();
  CourseSecret(const CourseSecret&) = delete;
  CourseSecret& operator=(const CourseSecret&) = delete;

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tcsim::labs
