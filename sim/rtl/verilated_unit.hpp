#pragma once

#include <verilated_vcd_sc.h>

#include <systemc>

#include "sim/config/error.hpp"
#include "sim/rtl/clocked_module.hpp"
#include "sim/rtl/matrix_unit.hpp"

namespace tcsim::rtl {

/// A MatrixUnit around the Verilated SystemC module `Module`, whose ports are those of mma_array.
template <typename Module, int kABits, int kBBits, int kCBits>
class VerilatedUnit : public MatrixUnit, private ClockedModule {
 public:
  /// `array_below`: path of the mma_array below the instance, "" or ".array".
  VerilatedUnit(const UnitInfo& info, const std::string& top, const std::string& array_below)
      : MatrixUnit(info, "unit." + top + array_below) {
    Verilated::traceEverOn(true);  // required before time 0, for trace_to at any time
    bind();
    one_block_.write(true);
    outputs_.d.resize(kCBits / 32);
    reset();
    read_outputs();
  }
  ~VerilatedUnit() override {
    const auto in_context = visit();
    if (trace_) trace_->close();
  }

  void drive(const UnitInputs& inputs) override {
    const auto in_context = visit();
    valid_i_.write(inputs.valid);
    if (inputs.valid) {
      tag_i_.write(inputs.tag);
      format_i_.write(static_cast<std::uint32_t>(format_code(inputs.operation.input)));
      mixed_fp8_i_.write(inputs.operation.mixed());
      accumulate_fp16_i_.write(inputs.operation.accumulator == numerics::ElementType::kFp16);
      write(a_i_, inputs.a);
      write(b_i_, inputs.b);
      write(c_i_, inputs.c);
    }
    ready_i_.write(inputs.ready);
    settle();
    read_outputs();
  }

  void clock() override {
    const auto in_context = visit();
    edge();
    read_outputs();
  }

  const UnitOutputs& outputs() const override { return outputs_; }

  Signal signal(const std::string& scope, const std::string& name) const override {
    return Signal(scope, name);
  }

  void trace_to(const std::string& file) override {
    const auto in_context = visit();
    trace_ = std::make_unique<VerilatedVcdSc>();
    module_.trace(trace_.get(), /*levels=*/99);
    trace_->open(file.c_str());
    if (!trace_->isOpen()) throw IoError(file + ": cannot write");
  }

 private:
  void bind() {
    module_.clk_i(clk_i);
    module_.rst_ni(rst_ni);
    module_.valid_i(valid_i_);
    module_.ready_o(ready_o_);
    module_.tag_i(tag_i_);
    module_.format_i(format_i_);
    if constexpr (requires { module_.mixed_fp8_i; }) module_.mixed_fp8_i(mixed_fp8_i_);
    if constexpr (requires { module_.blocks_i; }) module_.blocks_i(one_block_);
    module_.accumulate_fp16_i(accumulate_fp16_i_);
    module_.a_i(a_i_);
    module_.b_i(b_i_);
    module_.c_i(c_i_);
    module_.valid_o(valid_o_);
    module_.ready_i(ready_i_);
    module_.tag_o(tag_o_);
    module_.d_o(d_o_);
  }

  template <int kBits>
  static void write(sc_core::sc_signal<sc_dt::sc_bv<kBits>>& port,
                    const std::vector<std::uint32_t>& words) {
    sc_dt::sc_bv<kBits> value;
    for (int i = 0; i < kBits / 32; ++i) value.set_word(i, words[static_cast<std::size_t>(i)]);
    port.write(value);
  }

  void read_outputs() {
    outputs_.ready = ready_o_.read();
    outputs_.valid = valid_o_.read();
    if (!outputs_.valid) return;
    outputs_.tag = static_cast<std::uint8_t>(tag_o_.read());
    const auto& d = d_o_.read();
    for (int i = 0; i < kCBits / 32; ++i)
      outputs_.d[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(d.get_word(i));
  }

  sc_core::sc_signal<bool> valid_i_{"valid_in"}, ready_o_{"ready_out"};
  sc_core::sc_signal<bool> valid_o_{"valid_out"}, ready_i_{"ready_in"};
  sc_core::sc_signal<bool> accumulate_fp16_i_{"accumulate_fp16"}, mixed_fp8_i_{"mixed_fp8"};
  sc_core::sc_signal<bool> one_block_{"blocks"};  // for a bare mma_array: its only block
  sc_core::sc_signal<std::uint32_t> tag_i_{"tag_in"}, tag_o_{"tag_out"}, format_i_{"format"};
  sc_core::sc_signal<sc_dt::sc_bv<kABits>> a_i_{"a"};
  sc_core::sc_signal<sc_dt::sc_bv<kBBits>> b_i_{"b"};
  sc_core::sc_signal<sc_dt::sc_bv<kCBits>> c_i_{"c"}, d_o_{"d"};
  Module module_{"unit"};
  std::unique_ptr<VerilatedVcdSc> trace_;
  UnitOutputs outputs_;
};

}  // namespace tcsim::rtl
