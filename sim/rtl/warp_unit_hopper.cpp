#include <algorithm>
#include <deque>
#include <utility>

#include <Vwarp_mma_hopper.h>
#include "sim/rtl/clocked_module.hpp"
#include "sim/rtl/register_port.hpp"
#include "sim/rtl/result_queue.hpp"
#include "sim/rtl/unit.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

namespace {

using numerics::ElementType;

/// Feeds the ports of warp_mma_hopper from the registers of accepted instructions, in its order.
class WarpUnitHopper : public WarpUnit, private ClockedModule {
 public:
  WarpUnitHopper() {
    bind();
    reset();
  }

  bool can_accept() const override {
    return issue_ready_o_.read() && a_.empty() && b_.empty() && accumulators_.empty();
  }

  void accept(const WarpMma& mma) override {
    const auto in_context = visit();
    const bool is_fp16 = mma.accumulator == ElementType::kFp16;
    const auto blocks = static_cast<std::uint32_t>(mma.b.size() / kRegistersOfB);
    a_.assign(mma.a.begin(), mma.a.end());
    b_.assign(mma.b.begin(), mma.b.end());
    accumulators_.assign(mma.c.begin(), mma.c.end());
    format_i_.write(static_cast<std::uint32_t>(format_code(mma.input)));
    mixed_fp8_i_.write(mma.mixed_fp8);
    accumulate_fp16_i_.write(is_fp16);
    clear_i_.write(mma.c.empty());
    blocks_i_.write(blocks);
    issues_ = true;
    results_.expect((is_fp16 ? 2 : 4) * static_cast<int>(blocks), now_);
  }

  void clock(bool result_ready) override {
    const auto in_context = visit();
    issue_valid_i_.write(std::exchange(issues_, false));
    offer(a_i_, a_valid_i_, a_);
    offer(b_i_, b_valid_i_, b_);
    offer(accumulator_i_, accumulator_valid_i_, accumulators_);
    result_ready_i_.write(result_ready);
    settle();
    if (a_valid_i_.read() && a_ready_o_.read()) a_.pop_front();
    if (b_valid_i_.read() && b_ready_o_.read()) b_.pop_front();
    if (accumulator_valid_i_.read() && accumulator_ready_o_.read()) accumulators_.pop_front();
    if (result_ready && result_valid_o_.read()) take_register();
    edge();
    ++now_;
  }

  std::vector<Result> take_finished() override { return results_.take_finished(); }
  int in_flight() const override { return results_.in_flight(); }

 private:
  static constexpr int kImageBits = 1024;
  static constexpr std::size_t kRegistersOfB = 2;  ///< per block of eight columns

  void bind() {
    module_.clk_i(clk_i);
    module_.rst_ni(rst_ni);
    module_.issue_valid_i(issue_valid_i_);
    module_.issue_ready_o(issue_ready_o_);
    module_.blocks_i(blocks_i_);
    module_.a_valid_i(a_valid_i_);
    module_.a_ready_o(a_ready_o_);
    module_.a_i(a_i_);
    module_.a_format_i(format_i_);
    module_.a_mixed_fp8_i(mixed_fp8_i_);
    module_.a_accumulate_fp16_i(accumulate_fp16_i_);
    module_.a_clear_i(clear_i_);
    module_.a_blocks_i(blocks_i_);
    module_.b_valid_i(b_valid_i_);
    module_.b_ready_o(b_ready_o_);
    module_.b_i(b_i_);
    module_.accumulator_fp16_i(accumulate_fp16_i_);
    module_.accumulator_valid_i(accumulator_valid_i_);
    module_.accumulator_ready_o(accumulator_ready_o_);
    module_.accumulator_i(accumulator_i_);
    module_.result_valid_o(result_valid_o_);
    module_.result_ready_i(result_ready_i_);
    module_.result_o(result_o_);
  }

  void take_register() {
    Result& result = results_.oldest();
    result.dependent_from =
        std::max(result.dependent_from, now_ - static_cast<std::int64_t>(result.d.size()));
    results_.take(to_images<kImageBits>(result_o_.read()).front(), now_);
  }

  sc_core::sc_signal<std::uint32_t> format_i_{"format"}, blocks_i_{"blocks"};
  sc_core::sc_signal<bool> mixed_fp8_i_{"mixed_fp8"}, accumulate_fp16_i_{"accumulate_fp16"};
  sc_core::sc_signal<bool> clear_i_{"clear"};
  sc_core::sc_signal<bool> issue_valid_i_{"issue_valid"}, issue_ready_o_{"issue_ready"};
  sc_core::sc_signal<bool> a_valid_i_{"a_valid"}, a_ready_o_{"a_ready"};
  sc_core::sc_signal<bool> b_valid_i_{"b_valid"}, b_ready_o_{"b_ready"};
  sc_core::sc_signal<bool> accumulator_valid_i_{"c_valid"}, accumulator_ready_o_{"c_ready"};
  sc_core::sc_signal<bool> result_valid_o_{"result_valid"}, result_ready_i_{"result_ready"};
  RegisterPort<kImageBits> a_i_{"a"}, b_i_{"b"}, accumulator_i_{"accumulator"};
  RegisterPort<kImageBits> result_o_{"result"};
  Vwarp_mma_hopper module_{"unit"};

  bool issues_ = false;  ///< An instruction starts in the next cycle.
  std::deque<RegisterImage> a_;
  std::deque<RegisterImage> b_;
  std::deque<RegisterImage> accumulators_;
  ResultQueue results_;
};

}  // namespace

std::unique_ptr<WarpUnit> make_warp_unit_hopper() { return std::make_unique<WarpUnitHopper>(); }

}  // namespace tcsim::rtl
