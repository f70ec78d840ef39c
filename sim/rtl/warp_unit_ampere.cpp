#include <deque>
#include <utility>

#include <Vwarp_mma_ampere.h>
#include "sim/rtl/clocked_module.hpp"
#include "sim/rtl/register_port.hpp"
#include "sim/rtl/result_queue.hpp"
#include "sim/rtl/unit.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

namespace {

using numerics::ElementType;

/// Feeds the ports of warp_mma_ampere from the registers of accepted instructions, in its order.
class WarpUnitAmpere : public WarpUnit, private ClockedModule {
 public:
  WarpUnitAmpere() {
    bind();
    reset();
  }

  bool can_accept() const override {
    return issue_ready_o_.read() && operands_.empty() && accumulators_.empty();
  }

  void accept(const WarpMma& mma) override {
    const auto in_context = visit();
    const std::size_t halves = mma.long_k ? 2 : 1;
    const bool is_fp16 = mma.accumulator == ElementType::kFp16;
    for (std::size_t half = 0; half < halves; ++half) {
      operands_.push_back(mma.a[2 * half]);
      operands_.push_back(mma.a[2 * half + 1]);
      operands_.push_back(mma.b[half]);
    }
    accumulators_.assign(mma.c.begin(), mma.c.end());
    format_i_.write(static_cast<std::uint32_t>(format_code(mma.input)));
    accumulate_fp16_i_.write(is_fp16);
    two_halves_i_.write(mma.long_k);
    issues_ = true;
    results_.expect(is_fp16 ? 2 : 4, now_);
  }

  void clock(bool result_ready) override {
    const auto in_context = visit();
    issue_valid_i_.write(std::exchange(issues_, false));
    offer(operand_i_, operand_valid_i_, operands_);
    offer(accumulator_i_, accumulator_valid_i_, accumulators_);
    result_ready_i_.write(result_ready);
    settle();
    if (operand_valid_i_.read() && operand_ready_o_.read()) operands_.pop_front();
    if (accumulator_valid_i_.read() && accumulator_ready_o_.read()) accumulators_.pop_front();
    if (result_ready && result_valid_o_.read())
      results_.take(to_images<kImageBits>(result_o_.read()).front(), now_);
    edge();
    ++now_;
  }

  std::vector<Result> take_finished() override { return results_.take_finished(); }
  int in_flight() const override { return results_.in_flight(); }

 private:
  static constexpr int kImageBits = 1024;

  void bind() {
    module_.clk_i(clk_i);
    module_.rst_ni(rst_ni);
    module_.format_i(format_i_);
    module_.accumulate_fp16_i(accumulate_fp16_i_);
    module_.two_halves_i(two_halves_i_);
    module_.issue_valid_i(issue_valid_i_);
    module_.issue_ready_o(issue_ready_o_);
    module_.operand_valid_i(operand_valid_i_);
    module_.operand_ready_o(operand_ready_o_);
    module_.operand_i(operand_i_);
    module_.accumulator_fp16_i(accumulate_fp16_i_);
    module_.accumulator_valid_i(accumulator_valid_i_);
    module_.accumulator_ready_o(accumulator_ready_o_);
    module_.accumulator_i(accumulator_i_);
    module_.result_valid_o(result_valid_o_);
    module_.result_ready_i(result_ready_i_);
    module_.result_o(result_o_);
  }

  sc_core::sc_signal<std::uint32_t> format_i_{"format"};
  sc_core::sc_signal<bool> accumulate_fp16_i_{"accumulate_fp16"}, two_halves_i_{"two_halves"};
  sc_core::sc_signal<bool> issue_valid_i_{"issue_valid"}, issue_ready_o_{"issue_ready"};
  sc_core::sc_signal<bool> operand_valid_i_{"operand_valid"}, operand_ready_o_{"operand_ready"};
  sc_core::sc_signal<bool> accumulator_valid_i_{"c_valid"}, accumulator_ready_o_{"c_ready"};
  sc_core::sc_signal<bool> result_valid_o_{"result_valid"}, result_ready_i_{"result_ready"};
  RegisterPort<kImageBits> operand_i_{"operand"}, accumulator_i_{"accumulator"};
  RegisterPort<kImageBits> result_o_{"result"};
  Vwarp_mma_ampere module_{"unit"};

  bool issues_ = false;  ///< An instruction starts in the next cycle.
  std::deque<RegisterImage> operands_;
  std::deque<RegisterImage> accumulators_;
  ResultQueue results_;
};

}  // namespace

std::unique_ptr<WarpUnit> make_warp_unit_ampere() { return std::make_unique<WarpUnitAmpere>(); }

}  // namespace tcsim::rtl
