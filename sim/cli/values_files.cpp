#include "sim/cli/values_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "sim/run/values_job.hpp"
#include "sim/tensor_file/npy.hpp"
#include "sim/text/lower_case.hpp"

namespace tcsim::cli {
namespace {

/// Writes one array; returns the names of the files.
std::vector<std::string> write_array(const report::RunDirectory& directory, const std::string& name,
                                     const tensor_file::Tensor& tensor) {
  const std::string file = name + ".npy";
  tensor_file::write_npy(directory.path() / file, tensor);
  const std::string note = file + ".json";
  if (std::filesystem::exists(directory.path() / note)) return {file, note};
  return {file};
}

}  // namespace

std::vector<std::string> write_values(const report::RunDirectory& directory,
                                      const report::ValuesRecord& record,
                                      const run::PreparedRun& run) {
  std::vector<std::string> files;
  for (const run::NamedTensor& named : run::tensors_of(record, run))
    std::ranges::copy(write_array(directory, text::lower_case(named.name), named.tensor),
                      std::back_inserter(files));
  return files;
}

}  // namespace tcsim::cli
