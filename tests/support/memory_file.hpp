#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "sim/files/byte_source.hpp"
#include "sim/files/descriptor.hpp"

namespace tcsim::test {

/// What files::open_file returns for a regular file called `name` with these bytes. The file has
/// no name. Throws as it does.
inline std::unique_ptr<files::ByteSource> open_bytes(std::string_view bytes,
                                                     const std::string& name,
                                                     files::FileKind kind) {
  std::string path = "/tmp/tcsim-bytes-XXXXXX";
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0 || ::unlink(path.c_str()) != 0 || !files::write_all(descriptor, bytes) ||
      ::lseek(descriptor, 0, SEEK_SET) != 0)
    throw std::system_error(errno, std::generic_category(), name);
  return files::open_descriptor(descriptor, name, kind);
}

}  // namespace tcsim::test
