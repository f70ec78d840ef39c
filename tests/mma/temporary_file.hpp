#pragma once

#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tcsim::mma {

/// A file with the given text that disappears with the object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text) : path_(folder() / name) {
    if (path_.extension() == ".gz") {
      gzFile file = gzopen(path_.c_str(), "wb");
      gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
      gzclose(file);
    } else {
      std::ofstream(path_, std::ios::binary) << text;
    }
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  static std::filesystem::path folder() {
    auto folder =
        std::filesystem::temp_directory_path() / ("tcsim_mma_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return folder;
  }

  std::filesystem::path path_;
};

}  // namespace tcsim::mma
