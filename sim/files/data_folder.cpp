#include "sim/files/data_folder.hpp"

#include <dlfcn.h>

#include <string>
#include <system_error>

namespace tcsim::files {

namespace fs = std::filesystem;

namespace {

/// The file that holds this code: libtcsim, or the program.
fs::path own_binary() {
  std::error_code ignored;
  Dl_info info{};
  const bool is_known = ::dladdr(reinterpret_cast<const void*>(&data_folder), &info) != 0 &&
                        info.dli_fname != nullptr;
  const fs::path file = is_known ? fs::canonical(info.dli_fname, ignored) : fs::path();
  const bool is_library = file.filename().string().find(".so") != std::string::npos;
  return is_library ? file : fs::read_symlink("/proc/self/exe", ignored);
}

}  // namespace

fs::path data_folder(std::string_view name) {
  std::error_code ignored;
  fs::path source = fs::path(TC_SOURCE_DIR) / name;
  if (fs::is_directory(source, ignored)) return source;
  return own_binary().parent_path().parent_path() / "share" / "tcsim" / source.filename();
}

}  // namespace tcsim::files
