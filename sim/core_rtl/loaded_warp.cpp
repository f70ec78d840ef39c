#include "sim/core_rtl/loaded_warp.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tcsim::core_rtl {
namespace {

constexpr int kTags = 256;
constexpr std::size_t kLanes = 32;

using rtl::RegisterImage;

class LoadedWarp : public rtl::WarpUnit {
 public:
  LoadedWarp(const CorePlan& plan, std::shared_ptr<const CoreLibrary> library)
      : plan_(plan), module_(std::move(library)) {
    const std::vector<CorePort> ports = ports_of(plan, CoreTop::kWarp);
    for (const CorePort& port : ports) {
      const auto words = static_cast<std::size_t>(port.bits + 31) / 32;
      if (port.name == "c_i") c_.resize(words);
      if (port.name == "operand_i") operand_.resize(words);
      if (port.name == "result_o") result_.resize(words);
    }
    module_.write(rst_ni_, 0U);
    for (int i = 0; i < 2; ++i) edge();
    module_.write(rst_ni_, 1U);
    module_.evaluate();
  }

  bool can_accept() const override { return !issues_ && module_.read(issue_ready_o_) != 0; }

  void accept(const rtl::WarpMma& mma) override {
    const auto row = static_cast<std::size_t>(mma.row);
    const CoreInstruction& instruction = plan_.instructions[row];
    const auto [reads_a, reads_b] = sm::operand_reads(instruction.opcode, plan_.tensor);
    operands_.clear();
    for (int i = 0; i < reads_a; ++i) operands_.insert(operands_.end(), mma.a.begin(), mma.a.end());
    for (int i = 0; i < reads_b; ++i) operands_.insert(operands_.end(), mma.b.begin(), mma.b.end());
    next_operand_ = 0;
    put(mma.c, 0, c_);
    module_.write(c_i_, c_);
    module_.write(issue_op_i_, static_cast<std::uint32_t>(mma.row));
    module_.write(issue_tag_i_, static_cast<std::uint32_t>(next_tag_));
    waiting_[static_cast<std::size_t>(next_tag_)] = {Result{{}, now_, 0}, mma.c.size()};
    next_tag_ = (next_tag_ + 1) % kTags;
    ++in_flight_;
    issues_ = true;
  }

  /// `offered`: the registers of this cycle arrive; the parameter is `result_ready` in the
  /// interface.
  void clock(bool offered) override {
    const std::size_t ports = operand_.size() / kLanes;
    const bool loads = offered && next_operand_ < operands_.size();
    module_.write(issue_valid_i_, issues_ && offered ? 1U : 0U);
    module_.write(operand_valid_i_, loads ? 1U : 0U);
    if (loads) {
      const std::size_t count = std::min(ports, operands_.size() - next_operand_);
      const auto first = operands_.begin() + static_cast<std::ptrdiff_t>(next_operand_);
      put({first, first + static_cast<std::ptrdiff_t>(count)}, 0, operand_);
      module_.write(operand_i_, operand_);
    }
    module_.evaluate();
    if (loads) next_operand_ += ports;
    if (offered && std::exchange(issues_, false) && loads)
      waiting_[static_cast<std::size_t>((next_tag_ + kTags - 1) % kTags)].result.accepted = now_;
    take_result();
    edge();
    ++now_;
  }

  std::vector<Result> take_finished() override { return std::exchange(finished_, {}); }
  int in_flight() const override { return in_flight_; }

 private:
  struct Waiting {
    Result result;
    std::size_t registers = 0;
  };

  static void put(const std::vector<RegisterImage>& images, std::size_t at,
                  std::vector<std::uint32_t>& words) {
    for (const RegisterImage& image : images)
      for (const std::uint32_t lane : image) words[at++] = lane;
  }

  void take_result() {
    if (module_.read(result_valid_o_) == 0) return;
    Waiting& waiting = waiting_[module_.read(result_tag_o_)];
    if (waiting.registers == 0) throw std::logic_error("warp_mma: a result nobody asked for");
    module_.read(result_o_, result_);
    waiting.result.d.resize(waiting.registers);
    std::size_t at = 0;
    for (RegisterImage& image : waiting.result.d)
      for (std::uint32_t& lane : image) lane = result_[at++];
    waiting.result.finished = now_ - 1;  // the last cycle in which a dependent MMA had to wait
    waiting.registers = 0;
    finished_.push_back(std::move(waiting.result));
    --in_flight_;
  }

  void edge() {
    module_.write(clk_i_, 1U);
    module_.evaluate();
    module_.write(clk_i_, 0U);
    module_.write(issue_valid_i_, 0U);
    module_.evaluate();
  }

  const CorePlan& plan_;
  CoreModule module_;
  const int clk_i_ = module_.port("clk_i"), rst_ni_ = module_.port("rst_ni");
  const int issue_valid_i_ = module_.port("issue_valid_i");
  const int issue_ready_o_ = module_.port("issue_ready_o");
  const int issue_op_i_ = module_.port("issue_op_i"), issue_tag_i_ = module_.port("issue_tag_i");
  const int c_i_ = module_.port("c_i"), operand_valid_i_ = module_.port("operand_valid_i");
  const int operand_i_ = module_.port("operand_i"), result_o_ = module_.port("result_o");
  const int result_valid_o_ = module_.port("result_valid_o");
  const int result_tag_o_ = module_.port("result_tag_o");
  bool issues_ = false;
  int next_tag_ = 0;
  int in_flight_ = 0;
  std::vector<RegisterImage> operands_;  ///< in order of arrival
  std::size_t next_operand_ = 0;
  std::vector<std::uint32_t> c_, operand_, result_;
  std::array<Waiting, kTags> waiting_;
  std::vector<Result> finished_;
};

}  // namespace

std::unique_ptr<rtl::WarpUnit> make_warp_unit(const CorePlan& plan,
                                              std::shared_ptr<const CoreLibrary> library) {
  return std::make_unique<LoadedWarp>(plan, std::move(library));
}

}  // namespace tcsim::core_rtl
