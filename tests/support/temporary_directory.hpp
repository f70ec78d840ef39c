#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace tcsim::test {

/// An empty directory that is removed with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "tcsim_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A temporary directory that is the current one while the object exists.
class TemporaryHome : public TemporaryDirectory {
 public:
  TemporaryHome() { std::filesystem::current_path(path()); }
  ~TemporaryHome() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace tcsim::test
