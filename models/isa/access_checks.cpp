#include "models/isa/access_checks.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/any_variable.hpp"
#include "models/isa/lane_value.hpp"
#include "models/isa/name_text.hpp"

namespace tcsim::isa {
namespace {

/// Memory that one side of an instruction addresses.
struct Space {
  std::string byte;   ///< name of its bytes
  std::string owner;  ///< name of the memory, which has `bytes` bytes
  std::int64_t bytes = 0;
};

/// Where lanes certainly access beyond the end of `space`, or before its start.
std::string range_problem(const Space& space, const Address& address, int lane, int bytes) {
  const auto plain = least_in_lane(address.offset, lane);
  if (!plain) return {};
  if (*plain < 0)
    return hangs_on_lane_alone(address.offset)
               ? "touches " + space.byte + " " + std::to_string(*plain)
               : std::string();
  const Swizzle& swizzle = address.swizzle;
  const std::int64_t block = std::int64_t{1} << (swizzle.base + swizzle.bits);
  const std::int64_t least = *plain - (swizzle.bits == 0 ? 0 : *plain % block);
  if (least + bytes <= space.bytes) return {};
  return "touches " + space.byte + " " + std::to_string(std::max(least, space.bytes)) +
         " or a later one, " + space.owner + " has " + std::to_string(space.bytes);
}

/// The first warp that executes `program`; 0 if none does.
int first_warp(const KernelLaunch& launch, const WarpProgram& program) {
  const auto number = static_cast<int>(&program - launch.programs.data());
  const auto found = std::ranges::find(launch.program_of_warp, number);
  return found == launch.program_of_warp.end()
             ? 0
             : static_cast<int>(found - launch.program_of_warp.begin());
}

class AccessCheck {
 public:
  AccessCheck(const KernelLaunch& launch, const WarpProgram& program,
              const Instruction& instruction)
      : launch_(launch),
        program_(program),
        instruction_(instruction),
        info_(opcode_info(instruction_.opcode)),
        access_(program.accesses[static_cast<std::size_t>(instruction_.access)]),
        first_warp_(first_warp(launch, program)),
        bytes_(moves_matrices(info_.effect) ? kMatrixRowBytes : info_.bytes_per_lane),
        lanes_(moves_matrices(info_.effect) ? kMatrixRows * matrices_of(info_) : kLanes) {}

  std::vector<std::string> run(bool lanes_left) {
    check_register("destination", instruction_.dst, info_.dst_registers);
    for (std::size_t s = 0; s < instruction_.src.size(); ++s)
      check_register("source", instruction_.src[s], info_.src_registers[s]);
    if (lanes_left) return problems_;
    if (addresses_global(info_.effect)) {
      const Buffer& buffer = launch_.buffers[static_cast<std::size_t>(access_.buffer)];
      check({"byte", "buffer " + name_text(buffer.name), static_cast<std::int64_t>(buffer.bytes)},
            access_.global, access_.source);
      if (buffer.flags) check_one_lane();
    }
    if (addresses_cluster(info_.effect))
      check_cluster();
    else if (addresses_shared(info_.effect))
      check({"shared byte", "the CTA", launch_.shared_bytes_per_cta}, access_.shared);
    else if (info_.effect == Effect::kLoadConstant)
      check({"constant byte", "the kernel", kConstantBytes}, access_.shared);
    return problems_;
  }

 private:
  [[nodiscard]] const Guard& guard(int number) const {
    return program_.guards[static_cast<std::size_t>(number)];
  }

  void check_register(const std::string& operand, Register first, int count) {
    if (first == kZeroRegister || count < 2 || first % count == 0) return;
    problems_.push_back(operand + " R" + std::to_string(first) + " of " + std::to_string(count) +
                        " registers, allowed multiples of " + std::to_string(count));
  }

  /// True if `lane` certainly accesses memory, once at least, where `source` holds.
  [[nodiscard]] bool takes_part(int lane, const Guard& source) const {
    return passes_first(source, lane, first_warp_) &&
           (instruction_.guard == kNoIndex ||
            passes_first(guard(instruction_.guard), lane, first_warp_));
  }

  void check_one_lane() {
    int lanes = 0;
    for (int lane = 0; lane < kLanes; ++lane) lanes += takes_part(lane, access_.source) ? 1 : 0;
    if (lanes > 1)
      problems_.push_back("touches flags with " + std::to_string(lanes) +
                          " lanes, allowed 1, which a guard chooses");
  }

  /// Reports what `find` finds in the first lane in which it does, of those that take part.
  template <typename Find>
  void find_in_lanes(const Guard& source, const Find& find) {
    for (int lane = 0; lane < lanes_; ++lane) {
      if (!takes_part(lane, source)) continue;
      std::string problem = find(lane);
      if (problem.empty()) continue;
      problems_.push_back(std::move(problem));
      return;
    }
  }

  [[nodiscard]] std::string alignment_problem(const std::string& byte, const Address& address,
                                              int lane) const {
    const Swizzle& swizzle = address.swizzle;
    if (swizzle.bits > 0 && std::int64_t{1} << swizzle.base < bytes_) return {};
    if (remainder_in_lane(address.offset, lane, bytes_).value_or(0) == 0) return {};
    const auto least = least_in_lane(address.offset, lane);
    return std::to_string(bytes_) + " bytes of lane " + std::to_string(lane) + " at " + byte +
           (least ? " " + std::to_string(*least) : "s") +
           (hangs_on_lane_alone(address.offset) ? "" : " and so on") + ", allowed multiples of " +
           std::to_string(bytes_);
  }

  void check(const Space& space, const Address& address, const Guard& source = {}) {
    find_in_lanes(source, [&](int lane) { return alignment_problem(space.byte, address, lane); });
    find_in_lanes(source, [&](int lane) { return range_problem(space, address, lane, bytes_); });
  }

  void check_cluster() {
    const Address& address = access_.shared;
    find_in_lanes({}, [&](int lane) { return alignment_problem("byte", address, lane); });
    find_in_lanes(
        {}, [&](int lane) { return cluster_place_problem(launch_, address.offset, lane, bytes_); });
  }

  const KernelLaunch& launch_;
  const WarpProgram& program_;
  const Instruction& instruction_;
  const OpcodeInfo& info_;
  const MemoryAccess& access_;
  const int first_warp_;  ///< that executes the program
  const int bytes_;       ///< that a lane moves at once
  const int lanes_;       ///< that name addresses
  std::vector<std::string> problems_{};
};

}  // namespace

std::string cluster_place_problem(const KernelLaunch& launch, const Expression& address, int lane,
                                  std::int64_t bytes) {
  const auto least = least_in_lane(address, lane);
  const bool has_rank = !least || (rank_of(*least) < launch.cluster_size() &&
                                   (rank_of(*least) >= 0 || !hangs_on_lane_alone(address)));
  if (!has_rank)
    return "reaches rank " + std::to_string(rank_of(*least)) + " of a cluster of " +
           std::to_string(launch.cluster_size()) + " CTAs";
  const auto byte = remainder_in_lane(address, lane, cluster_address(1, 0));
  if (!byte || *byte + bytes <= launch.shared_bytes_per_cta) return {};
  return "touches shared byte " +
         std::to_string(std::max<std::int64_t>(*byte, launch.shared_bytes_per_cta)) +
         " of a CTA that has " + std::to_string(launch.shared_bytes_per_cta);
}

std::vector<std::string> access_problems(const KernelLaunch& launch, const WarpProgram& program,
                                         const Instruction& instruction, bool lanes_left) {
  return AccessCheck(launch, program, instruction).run(lanes_left);
}

bool ends_lanes(const WarpProgram& program, const Instruction& instruction) {
  if (instruction.opcode != Opcode::kExit || !is_index(instruction.guard, program.guards.size()))
    return false;
  const Guard& guard = program.guards[static_cast<std::size_t>(instruction.guard)];
  return std::ranges::any_of(guard.bounds, [](const Bound& bound) {
    return any_variable(bound.expression, [](Variable used) { return used == Variable::kLane; });
  });
}

}  // namespace tcsim::isa
