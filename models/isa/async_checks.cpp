#include "models/isa/async_checks.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "models/isa/access_checks.hpp"
#include "models/isa/any_variable.hpp"
#include "models/isa/group_mma.hpp"
#include "models/isa/lane_value.hpp"
#include "models/isa/name_text.hpp"
#include "models/isa/operands.hpp"

namespace tcsim::isa {
namespace {

using Problems = std::vector<std::string>;

constexpr int kRegisterStep = 8;  // PTX ISA, setmaxnreg: 24 to 256 in steps of 8
constexpr int kLeastRegisters = 24;
constexpr int kMostRegisters = 256;
constexpr int kAddedBytes = 4;       // size of an element of UTMAREDG.ADD
constexpr int kStartAlignment = 16;  // PTX ISA, matrix descriptors of wgmma

bool is_register_count(int registers) {
  return registers >= kLeastRegisters && registers <= kMostRegisters &&
         registers % kRegisterStep == 0;
}

bool depends_on_lane(const Expression& expression) {
  return any_variable(expression, [](Variable variable) { return variable == Variable::kLane; });
}

bool is_constant(const Expression& expression) {
  return expression.terms.empty() && expression.quotients.empty();
}

bool copies_im2col(Opcode opcode) {
  return opcode == Opcode::kUtmaldgIm2col4d || opcode == Opcode::kUtmaldgIm2colMulticast4d;
}

/// Reports `what` if it is at a byte that is no multiple of `alignment`, for any values of the
/// variables.
void check_alignment(const std::string& what, const Expression& byte, int alignment,
                     Problems& problems) {
  const auto in_steps = [alignment](const auto& part) { return part.coefficient % alignment == 0; };
  if (byte.constant % alignment == 0 || !std::ranges::all_of(byte.terms, in_steps) ||
      !std::ranges::all_of(byte.quotients, in_steps))
    return;
  problems.push_back(what + " " + std::to_string(byte.constant) +
                     (is_constant(byte) ? "" : " and so on") + ", allowed multiples of " +
                     std::to_string(alignment));
}

/// Reports `what`, of `bytes` bytes, if it certainly lies outside the `size` bytes of `owner`.
void check_place(const std::string& what, const Expression& byte, std::int64_t bytes,
                 const std::string& owner, std::int64_t size, Problems& problems) {
  const std::optional<std::int64_t> least = least_in_lane(byte, 0);
  if (!least) return;
  const bool is_before = *least < 0 && is_constant(byte);
  if (!is_before && *least + bytes <= size) return;
  problems.push_back(what + " " + std::to_string(*least) +
                     (is_constant(byte) ? "" : " or a later one") + " has " +
                     std::to_string(bytes) + " bytes, " + owner + " has " + std::to_string(size));
}

/// The same for bytes in the CTA's shared memory.
void check_shared(const KernelLaunch& launch, const std::string& what, const Expression& byte,
                  std::int64_t bytes, int alignment, Problems& problems) {
  check_alignment(what + " at shared byte", byte, alignment, problems);
  check_place(what + " at shared byte", byte, bytes, "the CTA", launch.shared_bytes_per_cta,
              problems);
}

void check_barrier(const KernelLaunch& launch, const Expression& byte, Problems& problems) {
  check_shared(launch, "an mbarrier", byte, kBarrierBytes, kBarrierBytes, problems);
}

/// Reports ranks that do not exist in the cluster; `rank` is a rank or a mask of ranks.
void check_rank(const KernelLaunch& launch, const Expression& rank, Problems& problems) {
  const std::optional<std::int64_t> least = least_in_lane(rank, 0);
  if (least && (*least >= launch.cluster_size() || (*least < 0 && is_constant(rank))))
    problems.push_back("rank " + std::to_string(*least) + " of a cluster of " +
                       std::to_string(launch.cluster_size()) + " CTAs");
}

void check_ranks(const KernelLaunch& launch, const Expression& mask, Problems& problems) {
  if (is_constant(mask) && mask.constant == 0)
    problems.emplace_back("a mask of ranks of 0: no CTA receives it");
  const std::optional<std::int64_t> least = least_in_lane(mask, 0);
  const int size = std::clamp(launch.cluster_size(), 1, kMostClusterCtas);
  if (least && (*least >= 0 || is_constant(mask)) && *least >> size != 0)
    problems.push_back("a mask of ranks of " + std::to_string(*least) + ", allowed below " +
                       std::to_string(std::int64_t{1} << size) + " in a cluster of " +
                       std::to_string(size) + " CTAs");
}

void check_count(const std::string& what, const Expression& count, std::int64_t least,
                 std::int64_t most, Problems& problems) {
  if (is_constant(count) && (count.constant < least || count.constant > most))
    problems.push_back(std::to_string(count.constant) + " " + what + ", allowed " +
                       std::to_string(least) + " to " + std::to_string(most));
}

void check(const KernelLaunch& launch, Effect effect, const BarrierOperand& operand,
           Problems& problems) {
  if (depends_on_lane(operand.address) || depends_on_lane(operand.value))
    problems.emplace_back("an mbarrier that depends on the lane");
  check_barrier(launch, operand.address, problems);
  if (effect == Effect::kArriveRemote) check_rank(launch, operand.value, problems);
  if (effect == Effect::kInitBarrier)
    check_count("arrivals of a phase", operand.value, 1, kMostPhaseCount, problems);
  if (effect == Effect::kArriveWithBytes)
    check_count("bytes of a phase", operand.value, 0, kMostPhaseCount, problems);
  if (effect == Effect::kWaitPhase)
    check_count("as the parity of a phase", operand.value, 0, 1, problems);
}

/// The least number of bytes that a row certainly has, if its length is valid.
std::int64_t least_bytes(const RowOperand& row) {
  const std::int64_t least = least_in_lane(row.bytes, 0).value_or(0);
  return std::clamp<std::int64_t>(least, RowOperand::kAlignment, RowOperand::kMostBytes);
}

/// Checks where a row starts and ends in global memory, or in the shared memory of a CTA of the
/// cluster.
void check_extent(const KernelLaunch& launch, Effect effect, const RowOperand& row,
                  Problems& problems) {
  check_alignment("a row from byte", row.offset, RowOperand::kAlignment, problems);
  if (effect == Effect::kPutTile) {
    const std::string problem = cluster_place_problem(launch, row.offset, 0, least_bytes(row));
    if (!problem.empty()) problems.push_back("a row " + problem);
  } else if (is_index(row.buffer, launch.buffers.size())) {
    const Buffer& buffer = launch.buffers[static_cast<std::size_t>(row.buffer)];
    check_place("a row from byte", row.offset, least_bytes(row), "buffer " + name_text(buffer.name),
                static_cast<std::int64_t>(buffer.bytes), problems);
  }
}

void check(const KernelLaunch& launch, Effect effect, const RowOperand& row, Problems& problems) {
  if (effect == Effect::kPutTile) {
    if (row.buffer != kNoIndex) problems.emplace_back("a buffer instead of shared memory");
  } else if (!is_index(row.buffer, launch.buffers.size()))
    problems.push_back("buffer " + std::to_string(row.buffer) + " does not exist");
  if (const std::string problem = row_length_problem(row.bytes.constant);
      is_constant(row.bytes) && !problem.empty())
    problems.push_back(problem);
  if (depends_on_lane(row.offset) || depends_on_lane(row.bytes))
    problems.emplace_back("a row that depends on the lane");
  else
    check_extent(launch, effect, row, problems);
}

void check_box(const KernelLaunch& launch, const Instruction& instruction,
               const TileOperand& operand, Problems& problems) {
  if (!is_index(operand.map, launch.tensor_maps.size())) {
    problems.push_back("tensor map " + std::to_string(operand.map) + " does not exist");
    return;
  }
  const TensorMap& map = launch.tensor_maps[static_cast<std::size_t>(operand.map)];
  const bool is_im2col = copies_im2col(instruction.opcode);
  if (map.im2col.has_value() != is_im2col)
    problems.emplace_back(is_im2col ? "im2col of a tensor map without that mode"
                                    : "a tensor map in im2col mode is read by UTMALDG.4D.IM2COL");
  if (map.dimensions() != box_dimensions(instruction.opcode))
    problems.push_back("copies boxes of " + std::to_string(box_dimensions(instruction.opcode)) +
                       " dimensions, the tensor has " + std::to_string(map.dimensions()));
  else if (static_cast<int>(operand.coordinates.size()) != map.coordinates())
    problems.push_back(std::to_string(operand.coordinates.size()) + " coordinates of a tensor of " +
                       std::to_string(map.dimensions()) + " dimensions" +
                       (map.im2col ? ", where im2col mode needs 6" : ""));
  if (opcode_info(instruction.opcode).effect == Effect::kReduceTile &&
      map.element_bytes != kAddedBytes)
    problems.push_back("adds elements of " + std::to_string(map.element_bytes) +
                       " bytes, allowed 4 (FP32)");
}

/// The least number of bytes that `operand` copies; 0 if its tensor map does not exist.
std::int64_t least_bytes(const KernelLaunch& launch, const TileOperand& operand) {
  if (operand.row) return least_bytes(*operand.row);
  if (!is_index(operand.map, launch.tensor_maps.size())) return 0;
  const TensorMap& map = launch.tensor_maps[static_cast<std::size_t>(operand.map)];
  constexpr auto kAnySize = std::numeric_limits<std::int64_t>::max();
  return problems_of(map, kAnySize).empty() ? map.box_bytes() : 0;
}

void check(const KernelLaunch& launch, const Instruction& instruction, const TileOperand& operand,
           Problems& problems) {
  const Effect effect = opcode_info(instruction.opcode).effect;
  if (operand.row)
    check(launch, effect, *operand.row, problems);
  else
    check_box(launch, instruction, operand, problems);
  if (depends_on_lane(operand.shared) || depends_on_lane(operand.barrier) ||
      depends_on_lane(operand.ranks) || std::ranges::any_of(operand.coordinates, depends_on_lane))
    problems.emplace_back("a tile that depends on the lane");
  if (effect != Effect::kPrefetchTile)
    check_shared(launch, operand.row ? "a row" : "a box", operand.shared,
                 least_bytes(launch, operand),
                 operand.row ? RowOperand::kAlignment : TensorMap::kSharedAlignment, problems);
  if (brings_bytes(effect)) check_barrier(launch, operand.barrier, problems);
  if (effect == Effect::kLoadTileToMany) check_ranks(launch, operand.ranks, problems);
}

/// One past the last byte of an operand of `mma` that starts at `start`.
std::int64_t end_of(const GroupMma& mma, const MatrixDescriptor& descriptor, bool is_a,
                    std::int64_t start) {
  const int side = is_a ? kGroupRows : mma.n;
  const int k = is_a ? mma.stored_k() : mma.k();
  const int rows = descriptor.transposed ? k : side;
  const int bytes = (descriptor.transposed ? side : k) * numerics::bits(mma.formats.a) / 8;
  if (start < 0) return start;
  std::int64_t end = 0;
  for (int row = 0; row < rows; ++row)
    for (int piece = 0; piece < bytes / kStartAlignment; ++piece)
      end = std::max(
          end, swizzle_of(descriptor.swizzle).apply(start + piece_offset(descriptor, row, piece)) +
                   kStartAlignment);
  return end;
}

void check_matrix(const KernelLaunch& launch, const GroupMma& mma, bool is_a,
                  const MatrixDescriptor& descriptor, Problems& problems) {
  const std::string name = is_a ? "A" : "B";
  const std::size_t before = problems.size();
  check_alignment(name + " starts at shared byte", descriptor.start, kStartAlignment, problems);
  const std::optional<std::int64_t> least = least_in_lane(descriptor.start, 0);
  if (!least) return;
  check_place(name + " from shared byte", descriptor.start,
              end_of(mma, descriptor, is_a, *least) - *least, "the CTA",
              launch.shared_bytes_per_cta, problems);
  if (!is_constant(descriptor.start) || problems.size() > before) return;
  const std::string problem = start_problem(descriptor, descriptor.start.constant);
  if (!problem.empty()) problems.push_back(name + ": " + problem);
}

std::string register_text(int number) { return "R" + std::to_string(number); }

/// Checks the registers and the bits of a product of a warpgroup.
void check_product(const GroupMma& mma, const Instruction& instruction, Problems& problems) {
  constexpr int kBits = kClosesGroup | kClearsSums;
  if (!mma.sparse && (instruction.immediate & ~kBits) != 0)
    problems.push_back("imm=" + std::to_string(instruction.immediate) + ", allowed 0 to " +
                       std::to_string(kBits) + " with a dense A");
  if (instruction.src[2] != instruction.dst && instruction.src[2] != kZeroRegister)
    problems.push_back("C is in " + register_text(instruction.src[2]) +
                       ", where only D or RZ can be");
  if (instruction.dst == kZeroRegister) return;
  const int end = instruction.dst + opcode_info(instruction.opcode).dst_registers;
  for (const auto& [name, operand] : {std::pair("A", 0), std::pair("the metadata", 3)})
    if (const RegisterRange read = source_registers(instruction, operand);
        read.count > 0 && read.first < end && instruction.dst < read.end())
      problems.push_back(std::string(name) + " from " + register_text(read.first) +
                         " on lies in the sums from " + register_text(instruction.dst) + " to " +
                         register_text(end - 1));
}

void check(const KernelLaunch& launch, const WarpProgram& program, const Instruction& instruction,
           const MatrixOperands& operands, Problems& problems) {
  const GroupMma& mma = group_mma(instruction.opcode);
  const bool two_bytes = numerics::bits(mma.formats.a) == 16;
  const auto check_one = [&](const char* name, const MatrixDescriptor& descriptor) {
    const std::string problem = descriptor_problem(descriptor);
    if (!problem.empty()) problems.push_back(std::string(name) + " has " + problem);
    if (descriptor.transposed && !two_bytes)
      problems.push_back(std::string(name) +
                         " is transposed, which only FP16 and BF16 can be (PTX ISA)");
    if (depends_on_lane(descriptor.start))
      problems.push_back(std::string(name) + " starts at a byte that depends on the lane");
    check_matrix(launch, mma, &descriptor == &operands.a, descriptor, problems);
  };
  if (!mma.a_in_registers) check_one("A", operands.a);
  check_one("B", operands.b);
  check_product(mma, instruction, problems);
  // All warps of a warpgroup must execute the same program, so that all four reach the instruction.
  const auto executes = [&](std::size_t warp) {
    if (warp >= launch.program_of_warp.size()) return false;
    const int index = launch.program_of_warp[warp];
    return is_index(index, launch.programs.size()) &&
           &launch.programs[static_cast<std::size_t>(index)] == &program;
  };
  for (std::size_t warp = 0; warp < launch.program_of_warp.size(); ++warp) {
    if (!executes(warp)) continue;
    const std::size_t first = warp / kGroupWarps * kGroupWarps;
    for (std::size_t other = first; other < first + kGroupWarps; ++other)
      if (!executes(other)) {
        problems.push_back("warp " + std::to_string(other) + " of the warpgroup of warp " +
                           std::to_string(warp) + " does not execute it");
        return;
      }
  }
}

Problems cluster_problems(const KernelLaunch& launch) {
  Problems problems;
  for (std::size_t d = 0; d < launch.cluster.size(); ++d) {
    const int ctas = launch.cluster[d];
    if (ctas < 1 || ctas > kMostClusterCtas)
      problems.push_back("a cluster has " + std::to_string(ctas) + " CTAs along " + "xyz"[d] +
                         ", allowed 1 to 16");
    else if (launch.grid[d] % ctas != 0)
      problems.push_back("clusters of " + std::to_string(ctas) + " CTAs along " + "xyz"[d] +
                         " do not divide a grid of " + std::to_string(launch.grid[d]));
  }
  if (problems.empty() && launch.cluster_size() > kMostClusterCtas)
    problems.push_back("a cluster has " + std::to_string(launch.cluster_size()) +
                       " CTAs, allowed 1 to 16");
  return problems;
}

/// Registers of a thread that the warps of a program hold at some time.
struct HeldRegisters {
  int warps = 0;
  int least = 0;
  int most = 0;  ///< that all its warps hold
  int last = 0;
};

HeldRegisters registers_of(const KernelLaunch& launch, int program) {
  const int first = launch.registers_per_thread;
  HeldRegisters held{.least = first, .most = first, .last = first};
  held.warps = static_cast<int>(std::ranges::count(launch.program_of_warp, program));
  for (const Instruction& instruction :
       launch.programs[static_cast<std::size_t>(program)].instructions) {
    if (opcode_info(instruction.opcode).effect != Effect::kSetRegisters ||
        !is_register_count(instruction.immediate))
      continue;
    held.last = instruction.immediate;
    held.least = std::min(held.least, held.last);
    if (instruction.guard == kNoIndex) held.most = std::max(held.most, held.last);
  }
  return held;
}

/// The place of the first instruction that sets them.
LaunchProblem first_that_sets_registers(const KernelLaunch& launch) {
  for (std::size_t program = 0; program < launch.programs.size(); ++program) {
    const std::vector<Instruction>& all = launch.programs[program].instructions;
    const auto found = std::ranges::find_if(all, [](const Instruction& instruction) {
      return opcode_info(instruction.opcode).effect == Effect::kSetRegisters;
    });
    if (found != all.end())
      return {.part = LaunchProblem::Part::kInstruction,
              .index = static_cast<int>(found - all.begin()),
              .program = static_cast<int>(program)};
  }
  return {};
}

/// The registers of a CTA form a pool that its warps divide anew. A program takes its registers
/// when others may have given back all they ever do, and all keep the last ones.
void check_pool(const KernelLaunch& launch, std::vector<LaunchProblem>& problems) {
  const int pool = launch.registers_per_thread * static_cast<int>(launch.program_of_warp.size());
  std::vector<HeldRegisters> all;
  int least = 0;
  int wanted = 0;
  for (std::size_t program = 0; program < launch.programs.size(); ++program) {
    const HeldRegisters& held = all.emplace_back(registers_of(launch, static_cast<int>(program)));
    least += held.warps * held.least;
    wanted += held.warps * held.last;
  }
  for (const HeldRegisters& held : all)
    wanted = std::max(wanted, least + held.warps * (held.most - held.least));
  if (wanted <= pool) return;
  LaunchProblem problem = first_that_sets_registers(launch);
  problem.text = "USETMAXREG asks for " + std::to_string(wanted * kLanes) +
                 " registers of a CTA that has " + std::to_string(pool * kLanes);
  problems.push_back(std::move(problem));
}

bool holds(Opcode opcode, const AsyncOperands& operands) {
  const Effect effect = opcode_info(opcode).effect;
  if (effect == Effect::kGroupMma) return std::holds_alternative<MatrixOperands>(operands);
  if (copies_tile(effect)) {
    const auto* const tile = std::get_if<TileOperand>(&operands);
    return tile != nullptr && tile->row.has_value() == (box_dimensions(opcode) == 0);
  }
  return std::holds_alternative<BarrierOperand>(operands);
}

}  // namespace

std::vector<std::string> async_problems(const KernelLaunch& launch, const WarpProgram& program,
                                        std::size_t index) {
  Problems problems;
  const Instruction& instruction = program.instructions[index];
  const Effect effect = opcode_info(instruction.opcode).effect;
  if (effect == Effect::kWaitGroupMmas &&
      (instruction.immediate < 0 || instruction.immediate > kMostOpenGroups))
    problems.push_back("leaves " + std::to_string(instruction.immediate) +
                       " groups open, allowed 0 to " + std::to_string(kMostOpenGroups));
  if (effect == Effect::kSetRegisters && !is_register_count(instruction.immediate))
    problems.push_back(std::to_string(instruction.immediate) +
                       " registers, allowed 24 to 256 in steps of 8");
  if (!is_asynchronous(effect)) return problems;
  if (!is_index(instruction.access, program.async.size())) {
    problems.push_back("operands " + std::to_string(instruction.access) + " do not exist");
    return problems;
  }
  const AsyncOperands& operands = program.async[static_cast<std::size_t>(instruction.access)];
  if (!holds(instruction.opcode, operands)) {
    problems.emplace_back("has operands for another kind of instruction");
  } else if (const auto* barrier = std::get_if<BarrierOperand>(&operands)) {
    check(launch, effect, *barrier, problems);
  } else if (const auto* tile = std::get_if<TileOperand>(&operands)) {
    check(launch, instruction, *tile, problems);
  } else {
    check(launch, program, instruction, std::get<MatrixOperands>(operands), problems);
  }
  return problems;
}

int registers_behind(const Instruction& instruction, int registers) {
  const bool is_set = opcode_info(instruction.opcode).effect == Effect::kSetRegisters &&
                      is_register_count(instruction.immediate);
  if (!is_set) return registers;
  const int set = std::min(instruction.immediate, kMostRegisters - 1);
  return instruction.guard == kNoIndex ? set : std::max(set, registers);
}

std::vector<LaunchProblem> async_problems(const KernelLaunch& launch) {
  using Part = LaunchProblem::Part;
  std::vector<LaunchProblem> problems;
  const auto add = [&](const Problems& texts, Part part, std::size_t index) {
    for (const std::string& text : texts) problems.push_back({text, part, static_cast<int>(index)});
  };
  add(cluster_problems(launch), Part::kCluster, 0);
  for (std::size_t i = 0; i < launch.tensor_maps.size(); ++i) {
    const TensorMap& map = launch.tensor_maps[i];
    if (is_index(map.buffer, launch.buffers.size()))
      add(problems_of(map, launch.buffers[static_cast<std::size_t>(map.buffer)].bytes),
          Part::kTensorMap, i);
    else
      add({"tensor map " + name_text(map.name) + ": buffer " + std::to_string(map.buffer) +
           " does not exist"},
          Part::kTensorMap, i);
  }
  if (std::ranges::all_of(launch.program_of_warp,
                          [&](int program) { return is_index(program, launch.programs.size()); }))
    check_pool(launch, problems);
  return problems;
}

}  // namespace tcsim::isa
