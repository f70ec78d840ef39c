#include "sim/files/data_folder.hpp"

#include <system_error>

namespace tcsim::files {

namespace fs = std::filesystem;

fs::path data_folder(std::string_view name) {
  std::error_code ignored;
  fs::path source = fs::path(TC_SOURCE_DIR) / name;
  if (fs::is_directory(source, ignored)) return source;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share" /
         "tcsim" / source.filename();
}

}  // namespace tcsim::files
