#include "sim/tensor_file/safetensors.hpp"

#include "sim/config/error.hpp"
#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {
namespace {

using tensor_file::StoredType;
using tensor_file::TensorMap;

bool run_safetensors(Bytes bytes) {
  try {
    const TensorMap map = tensor_file::parse_safetensors(bytes, "input");
    const std::string again = tensor_file::safetensors_bytes(map);
    const Bytes file(reinterpret_cast<const std::uint8_t*>(again.data()), again.size());
    require(tensor_file::parse_safetensors(file, "again") == map, "safetensors: not read back");
    return true;
  } catch (const config::ConfigError& error) {
    require(std::string_view(error.what()).starts_with("input: "),
            "safetensors: error without a file");
    return false;
  }
}

std::vector<std::string> safetensors_seeds() {
  TensorMap map{{}, {{"machine", "a100"}}};
  map.tensors["a"] = {StoredType::kBf16, {2, 3}, std::vector<std::uint8_t>(12, 65)};
  map.tensors["b.weight"] = {StoredType::kInt8, {3}, std::vector<std::uint8_t>(3, 66)};
  map.tensors["none"] = {StoredType::kFp32, {0}, {}};
  return {tensor_file::safetensors_bytes(map), tensor_file::safetensors_bytes({}),
          tensor_file::safetensors_bytes({{}, {{"only", "words"}}})};
}

}  // namespace

const Target safetensors_target{"safetensors", run_safetensors, safetensors_seeds};

}  // namespace tcsim::fuzz
