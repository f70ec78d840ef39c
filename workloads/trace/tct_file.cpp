#include "sim/files/read_file.hpp"
#include "workloads/trace/tct.hpp"
#include "workloads/trace/text_file.hpp"

namespace tcsim::trace {

isa::KernelLaunch load_tct(const std::string& path) {
  return read_tct(files::read_file(path, files::FileKind::kKernel), path);
}

void save_tct(const isa::KernelLaunch& launch, const std::string& path) {
  write_text_file(path, write_tct(launch));
}

}  // namespace tcsim::trace
