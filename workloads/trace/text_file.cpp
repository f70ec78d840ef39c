#include "workloads/trace/text_file.hpp"

#include "sim/files/atomic_file.hpp"
#include "sim/files/packed.hpp"

namespace tcsim::trace {

void write_text_file(const std::string& path, const std::string& text) {
  constexpr int kLevel = 9;  // such text shrinks 20 to 50 times; higher levels gain little
  files::write_output(path, path.ends_with(".zst") ? files::zstd_packed(text, kLevel) : text);
}

}  // namespace tcsim::trace
