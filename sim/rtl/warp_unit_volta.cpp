#include <deque>
#include <optional>
#include <stdexcept>

#include <Vwarp_mma_volta.h>
#include "sim/rtl/clocked_module.hpp"
#include "sim/rtl/register_port.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

namespace {

/// Offers one step after another to warp_mma_volta.
class WarpUnitVolta : public WarpUnit, private ClockedModule {
 public:
  WarpUnitVolta() {
    bind();
    reset();
  }

  bool can_accept() const override {
    return (!step_valid_i_.read() || entered_) && step_ready_o_.read();
  }

  void accept(const WarpMma& mma) override {
    const auto in_context = visit();
    entered_ = false;
    step_valid_i_.write(true);
    step_i_.write(static_cast<std::uint32_t>(mma.step));
    accumulate_fp16_i_.write(mma.accumulator == numerics::ElementType::kFp16);
    const bool brings_operands = mma.step == 0;
    a_column_major_i_.write(mma.a_column_major);
    b_row_major_i_.write(mma.b_row_major);
    a_i_.write(brings_operands ? to_bits<kPairBits>(mma.a) : nobody_reads_);
    b_i_.write(brings_operands ? to_bits<kPairBits>(mma.b) : nobody_reads_);
    c_i_.write(to_bits<kPairBits>(mma.c));
    waiting_.push_back(now_);
  }

  void clock(bool result_ready) override {
    const auto in_context = visit();
    if (entered_) step_valid_i_.write(false);
    result_ready_i_.write(result_ready);
    settle();
    entered_ = step_valid_i_.read() && step_ready_o_.read();
    if (result_ready && result_valid_o_.read()) take_pair();
    edge();
    ++now_;
  }

  std::vector<Result> take_finished() override { return std::exchange(finished_, {}); }
  int in_flight() const override { return static_cast<int>(waiting_.size()); }

 private:
  static constexpr int kPairBits = 2048;
  /// On the ports of A and B at steps whose A and B are already in the operand buffers: NaN
  /// everywhere.
  const sc_dt::sc_bv<kPairBits> nobody_reads_{true};

  void bind() {
    module_.clk_i(clk_i);
    module_.rst_ni(rst_ni);
    module_.step_valid_i(step_valid_i_);
    module_.step_ready_o(step_ready_o_);
    module_.step_i(step_i_);
    module_.accumulate_fp16_i(accumulate_fp16_i_);
    module_.a_column_major_i(a_column_major_i_);
    module_.b_row_major_i(b_row_major_i_);
    module_.a_i(a_i_);
    module_.b_i(b_i_);
    module_.c_i(c_i_);
    module_.result_valid_o(result_valid_o_);
    module_.result_ready_i(result_ready_i_);
    module_.result_o(result_o_);
  }

  void take_pair() {
    if (waiting_.empty()) throw std::logic_error("warp_mma_volta: a result nobody asked for");
    finished_.push_back({to_images<kPairBits>(result_o_.read()), waiting_.front(), now_});
    waiting_.pop_front();
  }

  sc_core::sc_signal<bool> step_valid_i_{"step_valid"}, step_ready_o_{"step_ready"};
  sc_core::sc_signal<std::uint32_t> step_i_{"step"};
  sc_core::sc_signal<bool> accumulate_fp16_i_{"accumulate_fp16"};
  sc_core::sc_signal<bool> a_column_major_i_{"a_column_major"}, b_row_major_i_{"b_row_major"};
  RegisterPort<kPairBits> a_i_{"a"}, b_i_{"b"}, c_i_{"c"}, result_o_{"result"};
  sc_core::sc_signal<bool> result_valid_o_{"result_valid"}, result_ready_i_{"result_ready"};
  Vwarp_mma_volta module_{"unit"};

  bool entered_ = true;  ///< The step on the port has been taken.
  std::deque<std::int64_t> waiting_;
  std::vector<Result> finished_;
};

}  // namespace

std::unique_ptr<WarpUnit> make_warp_unit_volta() { return std::make_unique<WarpUnitVolta>(); }

}  // namespace tcsim::rtl
