#pragma once

#include <string>
#include <string_view>

namespace tcsim::files {

/// `text` as a Zstandard frame, packed at `level` (1 to 19). Throws IoError if the library fails.
std::string zstd_packed(std::string_view text, int level);
/// `text` as a gzip member without a time stamp, so that equal texts give equal bytes. Throws
/// IoError if the library fails.
std::string gzip_packed(std::string_view text);

/// `path` without the ending of a packed file: "list.csv" for "list.csv.xz".
std::string_view without_packing(std::string_view path);

}  // namespace tcsim::files
