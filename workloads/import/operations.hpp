#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workloads/import/attention_fields.hpp"
#include "workloads/import/conv_fields.hpp"
#include "workloads/import/gemm_fields.hpp"
#include "workloads/import/pool_fields.hpp"
#include "workloads/import/vector_fields.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::workload {

/// An operation that is described by fields.
struct Operation {
  std::string_view name;
  bool is_in_words;   ///< a kind of workload words, "conv:..."
  bool is_in_lists;   ///< a word of column op, "conv_fwd"
  std::string words;  ///< how the words of a row begin, "conv:pass=fwd,"
};

/// Calls `visit(operation, make, text_of)` for every operation: make() returns its fields, text_of
/// names the problem that they describe.
template <typename Visit>
void visit_operations(const Visit& visit) {
  using kernels::AttentionPass;
  using kernels::ConvPass;
  const auto conv = [&](const Operation& operation, std::optional<ConvPass> pass) {
    const auto make = [pass] {
      ConvFields fields;
      if (pass) fields.set_pass(*pass);
      return fields;
    };
    visit(operation, make, conv_text);
  };
  const auto attention = [&](const Operation& operation, std::optional<AttentionPass> pass) {
    const auto make = [pass] {
      AttentionFields fields;
      if (pass) fields.set_pass(*pass);
      return fields;
    };
    visit(operation, make, attention_text);
  };
  visit(
      Operation{"gemm", true, true, "gemm:"}, [] { return GemmFields(); }, gemm_text);
  conv({"conv", true, false, "conv:"}, std::nullopt);
  conv({"conv_fwd", false, true, "conv:pass=fwd,"}, ConvPass::kForward);
  conv({"conv_dgrad", false, true, "conv:pass=dgrad,"}, ConvPass::kDataGradient);
  conv({"conv_wgrad", false, true, "conv:pass=wgrad,"}, ConvPass::kWeightGradient);
  attention({"attn", true, true, "attn:"}, std::nullopt);
  attention({"attention_fwd", false, true, "attn:"}, AttentionPass::kForward);
  attention({"attention_decode", false, true, "attn:"}, AttentionPass::kForward);
  attention({"attention_bwd", false, true, "attn:pass=bwd,"}, AttentionPass::kBackward);
  for (const std::string_view name : kernels::kPoolNames)
    visit(
        Operation{name, true, true, std::string(name) + ":"},
        [name] { return PoolFields(*pool_operation(name)); }, pool_text);
  for (const kernels::VectorTraits& row : kernels::vector_operations())
    visit(
        Operation{row.name, true, true, std::string(row.name) + ":"},
        [&row] { return VectorFields(row.operation); }, vector_text);
}

}  // namespace tcsim::workload
