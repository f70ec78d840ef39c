#pragma once

#include <string>
#include <string_view>

namespace tcsim::timeline {

/// `text` as a Zstandard frame.
std::string zstd_packed(std::string_view text);
/// `text` as a gzip member without a time stamp, so that equal texts give equal bytes.
std::string gzip_packed(std::string_view text);

}  // namespace tcsim::timeline
