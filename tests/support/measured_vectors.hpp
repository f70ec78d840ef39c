#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tcsim::test {

/// Where results recorded on real GPUs are looked for: TC_REFERENCE_DIR/real_gpu_numerics, or the
/// folder shared/reference next to the repository. They are not part of the repository.
inline std::filesystem::path measured_vectors_folder() {
  const char* const set = std::getenv("TC_REFERENCE_DIR");
  return std::filesystem::path(set != nullptr ? set : TC_DEFAULT_REFERENCE_DIR) /
         "real_gpu_numerics";
}

/// The message of a test that is skipped without `missing`.
inline std::string how_to_get_vectors(const std::filesystem::path& missing) {
  return "no " + missing.string() +
         ": bits recorded on GPUs; scripts/gpu/measure --only bits records them, TC_REFERENCE_DIR "
         "names the folder above real_gpu_numerics";
}

}  // namespace tcsim::test
