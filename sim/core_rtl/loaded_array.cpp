#include "sim/core_rtl/loaded_array.hpp"

#include <algorithm>
#include <utility>

#include "sim/errors/errors.hpp"

namespace tcsim::core_rtl {
namespace {

class LoadedArray : public rtl::MatrixUnit {
 public:
  LoadedArray(const rtl::UnitInfo& info, std::shared_ptr<const CoreLibrary> library)
      : MatrixUnit(info, "core_array.array"), module_(std::move(library)) {
    outputs_.d.resize(static_cast<std::size_t>(info.elements()));
    a_.resize(words(info.rows));
    b_.resize(words(info.columns));
    module_.write(rst_ni_, 0U);
    for (int i = 0; i < 2; ++i) edge();
    module_.write(rst_ni_, 1U);
    module_.evaluate();
    read_outputs();
  }

  void drive(const rtl::UnitInputs& inputs) override {
    module_.write(valid_i_, inputs.valid ? 1U : 0U);
    if (inputs.valid) {
      module_.write(tag_i_, inputs.tag);
      module_.write(format_i_,
                    static_cast<std::uint32_t>(rtl::format_code(inputs.operation.input)));
      const bool is_fp16 = inputs.operation.accumulator == numerics::ElementType::kFp16;
      module_.write(accumulate_fp16_i_, is_fp16 ? 1U : 0U);
      module_.write(blocks_i_, static_cast<std::uint32_t>(inputs.blocks));
      const int bits = info().products(inputs.operation) * numerics::bits(inputs.operation.input);
      place_lines(inputs.a, info().rows, bits, a_);
      place_lines(inputs.b, info().columns, bits, b_);
      module_.write(a_i_, a_);
      module_.write(b_i_, b_);
      module_.write(c_i_, inputs.c);
    }
    module_.write(ready_i_, inputs.ready ? 1U : 0U);
    module_.evaluate();
    read_outputs();
  }

  void clock() override {
    edge();
    read_outputs();
  }

  const rtl::UnitOutputs& outputs() const override { return outputs_; }

  rtl::Signal signal(const std::string& scope, const std::string& name) const override {
    return module_.signal(scope, name);
  }

  void trace_to(const std::string& file) override {
    throw IoError(file + ": the array of a machine writes no waveforms");
  }

 private:
  [[nodiscard]] std::size_t words(int lines) const {
    return static_cast<std::size_t>(std::max(2, (lines * info().row_bits + 31) / 32));
  }

  /// Copies lines of `bits` bits, packed without gaps, to lines of row_bits.
  void place_lines(const std::vector<std::uint32_t>& packed, int lines, int bits,
                   std::vector<std::uint32_t>& port) const {
    std::ranges::fill(port, 0U);
    for (int line = 0; line < lines; ++line)
      for (int bit = 0; bit < bits; bit += 8) {
        const int from = line * bits + bit;
        const int to = line * info().row_bits + bit;
        const std::uint32_t byte = packed[static_cast<std::size_t>(from / 32)] >> from % 32 & 0xffU;
        port[static_cast<std::size_t>(to / 32)] |= byte << to % 32;
      }
  }

  void edge() {
    module_.write(clk_i_, 1U);
    module_.evaluate();
    module_.write(clk_i_, 0U);
    module_.evaluate();
  }

  void read_outputs() {
    outputs_.ready = module_.read(ready_o_) != 0;
    outputs_.valid = module_.read(valid_o_) != 0;
    if (!outputs_.valid) return;
    outputs_.tag = static_cast<std::uint8_t>(module_.read(tag_o_));
    module_.read(d_o_, outputs_.d);
  }

  CoreModule module_;
  const int clk_i_ = module_.port("clk_i"), rst_ni_ = module_.port("rst_ni");
  const int valid_i_ = module_.port("valid_i"), ready_o_ = module_.port("ready_o");
  const int tag_i_ = module_.port("tag_i"), format_i_ = module_.port("format_i");
  const int accumulate_fp16_i_ = module_.port("accumulate_fp16_i");
  const int blocks_i_ = module_.port("blocks_i");
  const int a_i_ = module_.port("a_i"), b_i_ = module_.port("b_i"), c_i_ = module_.port("c_i");
  const int valid_o_ = module_.port("valid_o"), ready_i_ = module_.port("ready_i");
  const int tag_o_ = module_.port("tag_o"), d_o_ = module_.port("d_o");
  std::vector<std::uint32_t> a_, b_;
  rtl::UnitOutputs outputs_;
};

}  // namespace

std::unique_ptr<rtl::MatrixUnit> make_array(const rtl::UnitInfo& info,
                                            std::shared_ptr<const CoreLibrary> library) {
  return std::make_unique<LoadedArray>(info, std::move(library));
}

}  // namespace tcsim::core_rtl
