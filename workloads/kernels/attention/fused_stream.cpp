#include "workloads/kernels/attention/fused_stream.hpp"

#include "workloads/kernels/attention/cache_write.hpp"
#include "workloads/kernels/attention/fused_combine.hpp"
#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/attention/fused_forward.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"
#include "workloads/kernels/attention/paged_schedule.hpp"
#include "workloads/kernels/attention/stream_parts.hpp"
#include "workloads/kernels/attention/warpgroup_forward.hpp"

namespace tcsim::kernels {
namespace {

/// `cache` as the launch sees it that replaces `bytes` of it.
isa::Buffer written(isa::Buffer cache, std::int64_t bytes) {
  cache.input = false;
  cache.replaced = static_cast<std::uint64_t>(bytes);
  return cache;
}

/// Kernels with roles are vLLM's, which divides sequences once for all layers of a step
/// (get_scheduler_metadata), not in each call.
bool is_scheduled_ahead(const FusedTile& tile) { return tile.has_roles; }

class FusedStream {
 public:
  FusedStream(const AttentionProblem& problem, const Target& target)
      : p_(problem),
        target_(target),
        plan_(plan_fused(problem, choose_fused_tile(problem, target), target)) {}

  std::vector<isa::KernelLaunch> launches() {
    const std::int64_t rows = p_.batch * plan_.heads * plan_.rows;
    const isa::Buffer q = row_.place("Q", 2 * p_.batch * plan_.query.batch, true);
    const isa::Buffer k = row_.place("K", 2 * p_.batch * plan_.key.batch, true);
    const isa::Buffer v = row_.place("V", 2 * p_.batch * plan_.key.batch, true);
    const isa::Buffer o =
        row_.place("O", plan_.result_bytes * p_.batch * plan_.result.batch, false);
    const isa::Buffer log_sum = row_.place("LSE", 4 * rows, false);
    isa::KernelLaunch attention = attention_launch();
    attention.buffers = {q, k, v, o, log_sum};
    if (p_.writes_cache) write(k, v);
    if (p_.has_block_scales || p_.has_head_scales) add_scales(attention);
    isa::Buffer schedule;
    if (plan_.is_paged()) schedule = schedule_launch(attention);
    if (takes_tiles_) {
      attention.buffers.push_back(row_.place("tile_counter", 4, false));
      attention.buffers.back().flags = true;
    }
    if (plan_.tile.splits > 1) {
      const isa::Buffer part_o =
          row_.place("partial_O", 4 * rows * p_.dim * plan_.tile.splits, false);
      const isa::Buffer part_sum = row_.place("partial_LSE", 4 * rows * plan_.tile.splits, false);
      attention.buffers[kOutput] = part_o;
      attention.buffers[kLogSum] = part_sum;
      launches_.push_back(attention);
      launches_.push_back(combine_splits(plan_));
      launches_.back().buffers = {as_input(part_o), as_input(part_sum), o, log_sum};
      return launches_;
    }
    launches_.push_back(attention);
    if (!plan_.tile.is_persistent) return launches_;
    launches_.push_back(skip_combining(p_));
    launches_.back().buffers = {as_input(schedule)};
    return launches_;
  }

 private:
  [[nodiscard]] std::string name() const {
    const std::string kind = std::string(plan_.is_paged() ? "paged_" : "") +
                             (plan_.tile.has_roles ? "warpgroup_" : "") + "attention";
    return attention_name(kind, p_, plan_.tile.text()) +
           (p_.has_block_scales || p_.has_head_scales ? "_scales" : "");
  }

  isa::KernelLaunch attention_launch() {
    if (plan_.tile.has_roles) {
      const WarpgroupForwardPlan plan = plan_warpgroup_forward(p_, plan_.tile, target_);
      takes_tiles_ = plan.takes_tiles();
      isa::KernelLaunch launch = make_warpgroup_forward(plan);
      launch.name = name();
      return launch;
    }
    takes_tiles_ = plan_.tile.is_persistent;
    return uniform_launch({.name = name(),
                           .grid = plan_.grid(),
                           .warps_per_cta = plan_.tile.warps,
                           .registers_per_thread = plan_.registers.total,
                           .shared_bytes_per_cta = plan_.shared_bytes()},
                          fused_program(plan_));
  }

  void add_scales(isa::KernelLaunch& attention) {
    const std::int64_t key_bytes =
        4 * p_.batch * p_.kv_heads * (p_.has_head_scales ? 1 : scale_blocks(p_));
    const std::int64_t query_bytes =
        p_.has_head_scales ? key_bytes : 4 * p_.batch * p_.heads * p_.queries;
    attention.buffers.push_back(row_.place("Q_scales", query_bytes, true));
    attention.buffers.push_back(row_.place("K_scales", key_bytes, true));
    attention.buffers.push_back(row_.place("V_scales", key_bytes, true));
  }

  void write(const isa::Buffer& k, const isa::Buffer& v) {
    const std::int64_t tokens = p_.batch * p_.queries;
    const std::int64_t bytes = 2 * tokens * p_.kv_heads * p_.dim;
    const isa::Buffer new_k = row_.place("K_new", bytes, true);
    const isa::Buffer new_v = row_.place("V_new", bytes, true);
    const isa::Buffer slots = row_.place("slots", 4 * tokens, true);
    launches_.push_back(write_cache(p_));
    launches_.back().buffers = {new_k, new_v, slots, written(k, bytes), written(v, bytes)};
  }

  isa::Buffer schedule_launch(isa::KernelLaunch& attention) {
    const isa::Buffer lengths = row_.place("lengths", 8 * p_.batch, true);
    const bool is_ahead = is_scheduled_ahead(plan_.tile);
    isa::Buffer schedule = row_.place("schedule", schedule_bytes(p_), is_ahead);
    attention.buffers.push_back(lengths);
    attention.buffers.push_back(row_.place("page_table", 4 * p_.batch * page_entries(plan_), true));
    if (is_ahead) return schedule;
    launches_.push_back(schedule_sequences(p_));
    launches_.back().buffers = {lengths, schedule};
    return schedule;
  }

  const AttentionProblem& p_;
  const Target& target_;
  const FusedPlan plan_;
  BufferRow row_;
  std::vector<isa::KernelLaunch> launches_;
  bool takes_tiles_ = false;  ///< the kernel takes tiles from a counter
};

}  // namespace

std::vector<isa::KernelLaunch> fused_stream(const AttentionProblem& problem, const Target& target) {
  return FusedStream(problem, target).launches();
}

std::vector<std::string> fused_tiles(const AttentionProblem& problem, const Target& target) {
  const FusedTile tile = choose_fused_tile(problem, target);
  std::vector<std::string> texts;
  if (problem.writes_cache) texts.emplace_back();
  if (problem.algorithm == AttentionAlgorithm::kPaged && !is_scheduled_ahead(tile))
    texts.emplace_back();
  texts.push_back(tile.text());
  if (tile.splits > 1 || tile.is_persistent) texts.emplace_back();
  return texts;
}

}  // namespace tcsim::kernels
