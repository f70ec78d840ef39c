#pragma once

#include <memory>
#include <string>

#include "sim/files/byte_source.hpp"

namespace tcsim::files {

/// `source`, unpacked if it starts like a Zstandard, XZ or gzip file, else unchanged. Reads its
/// first bytes at once. `name` is for messages. Throws IoError, also for damaged data.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace tcsim::files
