#include "sim/cli/values_files.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>

#include "sim/tensor_file/npy.hpp"
#include "sim/values/tensor_matrix.hpp"

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

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

std::vector<std::string> write_values(const report::RunDirectory& directory,
                                      const report::ValuesRecord& record,
                                      const run::PreparedRun& run) {
  if (const auto* product = std::get_if<report::ProductRecord>(&record.computed))
    return write_array(directory, "d", values::tensor_of_d(run.gemm->problem, product->result.d));
  std::vector<std::string> files;
  for (const values::TensorResult& result :
       std::get<report::OperationRecord>(record.computed).result.results)
    std::ranges::copy(write_array(directory, lower_case(result.shape.name),
                                  values::tensor_of(result.shape, result.bytes)),
                      std::back_inserter(files));
  return files;
}

}  // namespace tcsim::cli
