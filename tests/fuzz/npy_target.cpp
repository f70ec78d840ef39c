#include "sim/tensor_file/npy.hpp"

#include "sim/config/error.hpp"
#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {
namespace {

using tensor_file::StoredType;
using tensor_file::Tensor;

bool run_npy(Bytes bytes) {
  try {
    const Tensor tensor = tensor_file::parse_npy(bytes, "input");
    require(tensor_file::byte_count(tensor.shape, tensor.type) == std::ssize(tensor.bytes),
            "npy: bytes do not fit the shape");
    const std::string again = tensor_file::npy_bytes(tensor);
    const Bytes file(reinterpret_cast<const std::uint8_t*>(again.data()), again.size());
    require(tensor_file::parse_npy(file, "again") == tensor, "npy: not read back");
    return true;
  } catch (const config::ConfigError& error) {
    require(std::string_view(error.what()).starts_with("input: "), "npy: error without a file");
    return false;
  }
}

std::vector<std::string> npy_seeds() {
  std::vector<std::string> inputs;
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {5}, {2, 3}, {2, 3, 2}, {0, 7}})
    for (const StoredType type : {StoredType::kFp16, StoredType::kInt8, StoredType::kInt64}) {
      const auto size = static_cast<std::size_t>(*tensor_file::byte_count(shape, type));
      inputs.push_back(tensor_file::npy_bytes({type, shape, std::vector<std::uint8_t>(size, 65)}));
    }
  const std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}\n";
  const std::string length{static_cast<char>(header.size()), '\0', '\0', '\0'};
  for (const char version : {'\2', '\3'})
    inputs.push_back("\x93NUMPY" + std::string{version, '\0'} + length + header + "abcdefgh");
  return inputs;
}

}  // namespace

const Target npy_target{"npy", run_npy, npy_seeds};

}  // namespace tcsim::fuzz
