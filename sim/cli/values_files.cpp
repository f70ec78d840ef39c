#include "sim/cli/values_files.hpp"

#include <algorithm>
#include <iterator>

#include "sim/run/values_job.hpp"
#include "sim/tensor_file/npy.hpp"
#include "sim/text/lower_case.hpp"

namespace tcsim::cli {
namespace {

/// Writes one array; returns the names of the files.
std::vector<std::string> write_array(report::ResultFiles& files, const std::string& name,
                                     const tensor_file::Tensor& tensor) {
  std::vector<std::string> names{name + ".npy"};
  files.write(names.front(), tensor_file::npy_bytes(tensor));
  if (const auto note = tensor_file::npy_note(tensor)) {
    names.push_back(names.front() + ".json");
    files.write(names.back(), *note);
  }
  return names;
}

}  // namespace

std::vector<std::string> write_values(report::ResultFiles& files,
                                      const report::ValuesRecord& record,
                                      const run::PreparedRun& run) {
  std::vector<std::string> names;
  for (const run::NamedTensor& named : run::tensors_of(record, run))
    std::ranges::copy(write_array(files, text::lower_case(named.name), named.tensor),
                      std::back_inserter(names));
  return names;
}

}  // namespace tcsim::cli
