#pragma once

#include <zlib.h>

#include <fstream>
#include <string>

#include "tests/support/temporary_directory.hpp"

namespace tcsim::mma {

/// A file with the given text that disappears with the object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text) : path_(folder_.path() / name) {
    if (path_.extension() == ".gz") {
      gzFile file = gzopen(path_.c_str(), "wb");
      gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
      gzclose(file);
    } else {
      std::ofstream(path_, std::ios::binary) << text;
    }
  }

  std::string path() const { return path_.string(); }

 private:
  const test::TemporaryDirectory folder_;
  const std::filesystem::path path_;
};

}  // namespace tcsim::mma
