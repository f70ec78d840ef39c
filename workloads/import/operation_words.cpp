#include "workloads/import/operation_words.hpp"

#include "workloads/import/attention_fields.hpp"
#include "workloads/import/conv_fields.hpp"
#include "workloads/import/gemm_fields.hpp"
#include "workloads/import/pool_fields.hpp"
#include "workloads/import/vector_fields.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::workload {

std::vector<OperationWords> operation_words() {
  std::vector<OperationWords> words{{"gemm", GemmFields().keys()},
                                    {"conv", ConvFields().keys()},
                                    {"attn", AttentionFields().keys()}};
  for (const std::string_view name : kernels::kPoolNames)
    words.push_back({std::string(name), PoolFields(*pool_operation(name)).keys()});
  for (const kernels::VectorTraits& row : kernels::vector_operations())
    words.push_back({std::string(row.name), VectorFields(row.operation).keys()});
  return words;
}

std::vector<std::string> element_words() {
  using kernels::Element;
  std::vector<std::string> words;
  for (const Element element : {Element::kFp16, Element::kBf16, Element::kTf32, Element::kFp32,
                                Element::kFp64, Element::kInt8, Element::kInt32})
    words.emplace_back(element_name(element));
  return words;
}

}  // namespace tcsim::workload
