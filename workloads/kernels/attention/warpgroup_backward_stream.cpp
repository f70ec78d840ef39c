#include "workloads/kernels/attention/warpgroup_backward_stream.hpp"

#include <cmath>
#include <utility>

#include "workloads/kernels/attention/gradient_preparation.hpp"
#include "workloads/kernels/attention/stream_parts.hpp"
#include "workloads/kernels/attention/sum_conversion.hpp"
#include "workloads/kernels/attention/warpgroup_backward.hpp"

namespace tcsim::kernels {
namespace {

using GradientPlan = WarpgroupBackwardPlan;

std::string text_of(const GradientPlan& plan) {
  return tile_text(plan.rows(), GradientPlan::kKeyRows,
                   GradientPlan::kConsumers * isa::kGroupWarps);
}

class BackwardStream {
 public:
  explicit BackwardStream(const AttentionProblem& problem)
      : p_(problem), plan_(plan_warpgroup_backward(problem)) {}

  std::vector<isa::KernelLaunch> launches() {
    const BackwardBuffers of(row_, p_);
    const std::int64_t heads = p_.batch * p_.heads;
    const std::int64_t statistic_bytes =
        GradientPlan::kSingleBytes * heads * plan_.padded_queries();
    const isa::Buffer scaled = row_.place("scaled_LSE", statistic_bytes, false);
    const isa::Buffer delta = row_.place("delta", statistic_bytes, false);
    const isa::Buffer sums =
        row_.place("dQ_sums", heads * plan_.query_blocks() * plan_.query_tile.bytes(), false);
    isa::Buffer key_result = of.dk;
    isa::Buffer value_result = of.dv;
    if (plan_.sums_key_gradients()) {
      key_result = cleared_sums("dK_sums");
      value_result = cleared_sums("dV_sums");
    }
    add(prepare_gradients(plan_), {of.o, of.output_gradient, of.log_sum, scaled, delta, sums});
    isa::KernelLaunch main = make_warpgroup_backward(plan_);
    main.name = attention_name("warpgroup_attention_gradients", p_, text_of(plan_));
    add(std::move(main), {of.q, of.output_gradient, of.k, of.v, key_result, value_result,
                          as_input(scaled), as_input(delta), as_input(sums)});
    convert("dq", sums, of.dq, plan_.query_tile, p_.queries, p_.heads,
            1 / std::sqrt(static_cast<double>(p_.dim)));
    if (plan_.sums_key_gradients()) {
      convert("dk", key_result, of.dk, plan_.key_tile, p_.keys, p_.kv_heads, 1);
      convert("dv", value_result, of.dv, plan_.key_tile, p_.keys, p_.kv_heads, 1);
    }
    return std::move(launches_);
  }

 private:
  void add(isa::KernelLaunch launch, std::vector<isa::Buffer> buffers) {
    launch.buffers = std::move(buffers);
    launches_.push_back(std::move(launch));
  }

  isa::Buffer cleared_sums(const char* name) {
    const std::int64_t bytes = p_.batch * p_.kv_heads * plan_.key_blocks() * plan_.key_tile.bytes();
    const isa::Buffer sums = row_.place(name, bytes, false);
    add(clear_sums(bytes), {sums});
    return as_input(sums);
  }

  void convert(const std::string& what, const isa::Buffer& sums, const isa::Buffer& to,
               const SumTile& tile, std::int64_t rows, std::int64_t heads, double factor) {
    add(convert_sums("attention_convert_" + what + "_" + std::string(element_name(p_.element)),
                     {tile, p_.batch, rows, heads, p_.dim, p_.element, factor}),
        {as_input(sums), to});
  }

  const AttentionProblem& p_;
  const GradientPlan plan_;
  BufferRow row_;
  std::vector<isa::KernelLaunch> launches_;
};

}  // namespace

std::vector<isa::KernelLaunch> warpgroup_backward_stream(const AttentionProblem& problem) {
  return BackwardStream(problem).launches();
}

std::vector<std::string> warpgroup_backward_tiles(const AttentionProblem& problem) {
  const GradientPlan plan = plan_warpgroup_backward(problem);
  const bool sums = plan.sums_key_gradients();
  std::vector<std::string> texts(sums ? 7 : 3);
  texts[sums ? 3 : 1] = text_of(plan);
  return texts;
}

}  // namespace tcsim::kernels
