#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

namespace tcsim::measure {

/// An optional library: the first of `names` that can be opened.
class SharedLibrary {
 public:
  explicit SharedLibrary(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (handle_ != nullptr) return;
    }
  }
  bool is_open() const { return handle_ != nullptr; }

  /// `name` with the signature of the declaration of that name; null if the library lacks it.
  template <class Pointer>
  Pointer function(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Pointer>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;  // stays open: libraries of CUDA end with the process
};

/// "libNAME.so.MAJOR" of this toolkit, then of older ones down to 11, then "libNAME.so". The
/// functions of cuBLAS and CUPTI called here have the same signature in all of them.
inline std::vector<std::string> library_names(const std::string& name, int cuda_version) {
  const std::string base = "lib" + name + ".so";
  std::vector<std::string> names;
  for (int major = cuda_version / 1000; major >= 11; --major)
    names.push_back(base + '.' + std::to_string(major));
  names.push_back(base);
  return names;
}

}  // namespace tcsim::measure
