#include "sim/cli/values_files.hpp"

#include "sim/report/array_files.hpp"
#include "sim/run/values_job.hpp"
#include "sim/tensor_file/npy.hpp"

namespace tcsim::cli {

std::vector<std::string> write_values(report::ResultFiles& files,
                                      const report::ValuesRecord& record,
                                      const run::PreparedRun& run) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : run::tensors_of(record, run)) {
    names.push_back(report::array_file(name));
    files.write(names.back(), tensor_file::npy_bytes(tensor));
    if (const auto note = tensor_file::npy_note(tensor)) {
      names.push_back(report::array_note_file(name));
      files.write(names.back(), *note);
    }
  }
  return names;
}

}  // namespace tcsim::cli
