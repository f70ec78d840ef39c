#include "tests/trace/random_launch.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "models/isa/group_mma.hpp"
#include "workloads/trace/canonical.hpp"

namespace tcsim::trace {
namespace {

class RandomLaunch {
 public:
  explicit RandomLaunch(std::uint32_t seed) : random_(seed) {}

  isa::KernelLaunch make(int length) {
    launch_.name = name();
    for (auto& extent : launch_.grid) extent = between(1, 5);
    launch_.warps_per_cta = static_cast<int>(between(1, 8));
    has_groups_ = launch_.warps_per_cta % isa::kGroupWarps == 0;
    launch_.registers_per_thread = static_cast<int>(between(16, 255));
    launch_.shared_bytes_per_cta = static_cast<int>(between(0, 100'000));
    std::uint64_t base = 256 * between(0, 1 << 20);
    for (int i = 0; i < 3; ++i) {
      const auto bytes = static_cast<std::uint64_t>(between(i == 0 ? 4096 : 0, 1 << 20));
      launch_.buffers.push_back({name() + std::to_string(i), base, bytes, between(0, 1) == 0});
      base += (bytes / 256 + 1) * 256;
    }
    for (int i = 1; i <= isa::TensorMap::kMostDimensions; ++i)
      make_map(i, "map", 1 << between(0, 2));
    make_im2col_map();
    for (int i = 1; i <= isa::TensorMap::kMostDimensions; ++i) make_map(i, "sums", 4);
    const int programs = static_cast<int>(between(1, 3));
    for (int i = 0; i < programs; ++i) launch_.programs.push_back(make_program(length));
    for (int warp = 0; warp < launch_.warps_per_cta; ++warp) {
      const bool as_before = has_groups_ && warp % isa::kGroupWarps != 0;
      launch_.program_of_warp.push_back(as_before ? launch_.program_of_warp.back()
                                                  : static_cast<int>(between(0, programs - 1)));
    }
    if (between(0, 3) == 0) launch_.cluster[0] = static_cast<int>(launch_.grid[0]);
    return std::move(launch_);
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool rarely() { return between(0, 9) == 0; }

  std::string name() {
    static constexpr const char* kNames[] = {
        "A",       "main",      "gemm.fp16",     "_x", "with blank",
        "128x128", "quo\"te\\", "tab\t\x01\xff", "",   "# no comment"};
    return kNames[between(0, 9)];
  }

  isa::WarpProgram make_program(int length) {
    program_ = {};
    has_arrived_ = false;
    has_stalls_ = between(0, 1) == 0;
    program_.name = name();
    const auto uniforms = static_cast<int>(between(0, 2));
    for (int i = 0; i < uniforms; ++i) {
      isa::Expression uniform{between(1, 9), {{isa::Variable::kCtaX, between(1, 9)}}};
      if (i > 0) uniform.terms.push_back({isa::uniform_variable(i - 1), between(1, 9)});
      if (rarely()) uniform.terms.push_back({isa::Variable::kLoop0, 1});
      program_.uniforms.push_back(uniform);
    }
    block(length, 0);
    program_.instructions.push_back({.opcode = isa::Opcode::kExit});
    return std::move(program_);
  }

  void block(int length, int depth) {
    while (length > 0) {
      if (depth < isa::kMaxLoopDepth && length > 2 && rarely()) {
        const int body = static_cast<int>(between(0, length - 1));
        const int first = static_cast<int>(program_.instructions.size());
        block(body, depth + 1);
        isa::Instruction branch{.opcode = isa::Opcode::kBra,
                                .immediate = static_cast<int>(program_.loops.size())};
        branch.control = control();
        program_.instructions.push_back(branch);
        isa::Expression trips{between(1, 100), {}};
        if (rarely()) trips.terms.push_back(term(4));
        if (rarely()) trips.terms.push_back({isa::Variable::kWarp, 2, 3, 7, 1});
        for (isa::Term& t : trips.terms) t.coefficient = between(0, 9);
        program_.loops.push_back({.first = first,
                                  .last = static_cast<int>(program_.instructions.size()) - 1,
                                  .depth = depth,
                                  .trips = trips});
        length -= body + 1;
      } else {
        program_.instructions.push_back(instruction(depth));
        --length;
      }
    }
  }

  isa::Term term(int variables) {
    isa::Term result{static_cast<isa::Variable>(between(0, variables - 1)), 1};
    switch (between(0, 3)) {
      case 0:
        result.coefficient = between(-3, 3);
        break;
      case 1:
        result.coefficient = between(-(std::int64_t{1} << 40), std::int64_t{1} << 40);
        break;
      default:
        break;
    }
    if (between(0, 2) == 0) result.divisor = static_cast<std::uint32_t>(between(1, 64));
    if (between(0, 2) == 0) result.modulus = static_cast<std::uint32_t>(between(1, 64));
    if (rarely()) result.offset = static_cast<std::uint32_t>(between(1, 9));
    if (rarely()) result.divisor = std::numeric_limits<std::uint32_t>::max();
    return result;
  }

  isa::Expression expression(int depth) {
    isa::Expression result;
    if (between(0, 1) == 0) result.constant = between(-4096, 4096);
    if (rarely()) result.constant = between(-(std::int64_t{1} << 50), std::int64_t{1} << 50);
    for (std::int64_t i = between(0, 4); i > 0; --i) result.terms.push_back(term(5 + depth));
    if (!program_.uniforms.empty() && rarely())
      result.terms.push_back({isa::uniform_variable(0), between(1, 4096)});
    for (std::int64_t i = between(0, 2); i > 1; --i) result.quotients.push_back(quotient(depth));
    return result;
  }

  isa::Quotient quotient(int depth) {
    isa::Quotient result{.coefficient = between(-9, 9), .constant = between(-9, 9)};
    if (result.coefficient == 0) result.coefficient = 1;
    for (std::int64_t i = rarely() ? 0 : between(2, 4); i > 0; --i) {
      result.terms.push_back(term(5 + depth));
      result.terms.back().coefficient = between(-4096, 4096);
    }
    if (between(0, 2) != 0) result.divisor = static_cast<std::uint32_t>(between(1, 64));
    if (between(0, 1) == 0) result.modulus = static_cast<std::uint32_t>(between(1, 64));
    if (rarely()) result.least = between(-100, 0);
    if (rarely()) result.most = between(1, 100);
    return result;
  }

  isa::Address address(int depth) {
    isa::Address result{expression(depth), {}};
    if (between(0, 2) == 0) {
      result.swizzle = {static_cast<std::uint8_t>(between(0, 5)),
                        static_cast<std::uint8_t>(between(0, 7)),
                        static_cast<std::uint8_t>(between(0, 7))};
    }
    return result;
  }

  isa::Register register_of(int width) {
    if (rarely()) return isa::kZeroRegister;
    const std::int64_t first = between(0, launch_.registers_per_thread - std::max(width, 1));
    const bool is_vector = width == 2 || width == 4;
    return static_cast<isa::Register>(is_vector ? first - first % width : first);
  }

  isa::ControlBits control() {
    isa::ControlBits bits;
    if (has_stalls_) bits.stall = static_cast<std::uint8_t>(between(1, 15));
    if (between(0, 2) == 0) return bits;
    bits.wait_mask = static_cast<std::uint8_t>(between(0, 63));
    if (between(0, 1) == 0) bits.write_counter = static_cast<std::uint8_t>(between(0, 5));
    if (between(0, 1) == 0) bits.read_counter = static_cast<std::uint8_t>(between(0, 5));
    bits.reuse_mask = static_cast<std::uint8_t>(between(0, 7));
    bits.yield = rarely();
    return bits;
  }

  /// True if the registers of the launch hold every operand.
  bool fits(isa::Opcode opcode) const {
    const isa::OpcodeInfo& info = isa::opcode_info(opcode);
    const int widest =
        std::max<int>(info.dst_registers, *std::ranges::max_element(info.src_registers));
    return widest <= launch_.registers_per_thread;
  }

  /// Makes C the same as D or RZ, and everything else lie outside D.
  static void keep_sums_apart(isa::Instruction& product) {
    const isa::OpcodeInfo& info = isa::opcode_info(product.opcode);
    if (product.src[2] != isa::kZeroRegister) product.src[2] = product.dst;
    for (const std::size_t s : {std::size_t{0}, std::size_t{3}})
      if (product.src[s] < product.dst + info.dst_registers &&
          product.dst < product.src[s] + info.src_registers[s])
        product.src[s] = isa::kZeroRegister;
  }

  isa::Instruction instruction(int depth) {
    auto opcode = isa::Opcode::kBra;
    while (opcode == isa::Opcode::kBra || opcode == isa::Opcode::kBraSkip ||
           opcode == isa::Opcode::kExit || !fits(opcode) ||
           (isa::opcode_info(opcode).shaped && !rarely()) ||
           (isa::is_group_mma(opcode) && (!has_groups_ || !rarely())) ||
           (isa::opcode_info(opcode).effect == isa::Effect::kClusterWait && !has_arrived_) ||
           (opcode == isa::Opcode::kUsetmaxreg && launch_.registers_per_thread < kFewRegisters)) {
      opcode = static_cast<isa::Opcode>(between(0, isa::opcode_count() - 1));
    }
    const isa::OpcodeInfo& info = isa::opcode_info(opcode);
    if (info.effect == isa::Effect::kClusterWait || info.effect == isa::Effect::kClusterArrive)
      has_arrived_ = info.effect == isa::Effect::kClusterArrive;
    isa::Instruction result{.opcode = opcode};
    result.dst = register_of(info.dst_registers);
    for (std::size_t s = 0; s < result.src.size(); ++s)
      result.src[s] = register_of(info.src_registers[s]);
    if (isa::is_group_mma(opcode)) keep_sums_apart(result);
    result.control = control();
    if (between(0, 4) == 0) result.guard = guard(depth);
    if (isa::is_memory(opcode)) result.access = access(depth);
    if (isa::is_asynchronous(info.effect)) result.access = async(opcode, depth);
    if (info.effect == isa::Effect::kBarrier || info.effect == isa::Effect::kBarrierArrive) {
      const bool may_be_of_all = info.effect == isa::Effect::kBarrier;
      result.immediate = isa::immediate_of(
          {static_cast<int>(between(0, 15)), static_cast<int>(between(may_be_of_all ? 0 : 1, 1))});
    } else if (info.effect == isa::Effect::kSetRegisters) {
      result.immediate = kFewRegisters;
      result.guard = guard(depth);  // some warps keep theirs, which the instructions below name
    } else if (info.effect == isa::Effect::kWaitCopyGroups) {
      result.immediate = static_cast<std::int32_t>(between(0, 9));
    } else if (info.effect == isa::Effect::kWaitGroupMmas) {
      result.immediate = static_cast<std::int32_t>(between(0, isa::kMostOpenGroups));
    } else if (isa::is_group_mma(opcode)) {
      result.immediate =
          static_cast<std::int32_t>(between(0, isa::kClosesGroup | isa::kClearsSums));
    } else if (rarely()) {
      result.immediate = static_cast<std::int32_t>(between(
          std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
    }
    result.has_immediate = rarely();
    result.has_constant = info.effect == isa::Effect::kNone && !result.has_immediate && rarely();
    if (isa::reads_constant(result))
      result.immediate =
          isa::kConstantAlignment *
          static_cast<std::int32_t>(between(0, isa::kConstantBytes / isa::kConstantAlignment - 1));
    return result;
  }

  void make_map(int dimensions, const std::string& use, int element_bytes) {
    isa::TensorMap map{.name = name() + use + std::to_string(dimensions)};
    map.element_bytes = element_bytes;
    map.swizzle = static_cast<isa::TileSwizzle>(between(0, 3));
    for (int d = 0; d < dimensions; ++d) {
      map.extents.push_back(between(1, 2));
      map.box.push_back(d == 0 ? 16 / map.element_bytes : static_cast<int>(between(1, 3)));
      if (d > 0) map.strides.push_back(16 * between(1, 9));
    }
    launch_.tensor_maps.push_back(map);
  }

  void make_im2col_map() {
    isa::TensorMap map{.name = name() + "im2col"};
    map.extents = {between(1, 2), between(1, 2), between(1, 2), between(1, 2)};
    map.strides = {16, 32, 64};
    map.box = {8, static_cast<int>(between(1, 3))};
    map.im2col = {.positions = {between(1, 3), between(1, 3)},
                  .pad = {between(0, 127), between(0, 127)},
                  .stride = {between(1, 8), between(1, 8)}};
    launch_.tensor_maps.push_back(map);
  }

  /// Number of the map of the box that `opcode` copies: one for each number of dimensions, that of
  /// im2col mode, and one for each of sums.
  static int map_for(isa::Opcode opcode) {
    if (opcode == isa::Opcode::kUtmaldgIm2col4d || opcode == isa::Opcode::kUtmaldgIm2colMulticast4d)
      return isa::TensorMap::kMostDimensions;
    const bool adds = isa::opcode_info(opcode).effect == isa::Effect::kReduceTile;
    return isa::box_dimensions(opcode) + (adds ? isa::TensorMap::kMostDimensions : -1);
  }

  /// The same for all lanes of a warp.
  isa::Expression uniform(int depth) {
    isa::Expression result = expression(depth);
    const auto replace = [](std::vector<isa::Term>& terms) {
      for (isa::Term& t : terms)
        if (t.variable == isa::Variable::kLane) t.variable = isa::Variable::kWarp;
    };
    replace(result.terms);
    for (isa::Quotient& quotient : result.quotients) replace(quotient.terms);
    return result;
  }

  /// A sum of which the text does not decide how small it is, nor whether it is a multiple of more
  /// than `step`.
  static isa::Expression open(isa::Expression sum, std::int64_t step = 1) {
    sum.terms.push_back({isa::Variable::kCtaX, -step});
    return sum;
  }

  /// A place in shared memory that may be a multiple of `alignment`.
  isa::Expression place(int depth, int alignment) {
    isa::Expression result = uniform(depth);
    result.constant -= result.constant % alignment;
    return open(result, alignment);
  }

  /// What an mbarrier is told: 1 is right for arrivals, bytes and parities.
  isa::Expression count(int depth) {
    isa::Expression result = uniform(depth);
    if (result.terms.empty() && result.quotients.empty()) result.constant = 1;
    return result;
  }

  isa::MatrixDescriptor descriptor(int depth, bool two_bytes) {
    isa::MatrixDescriptor result;
    result.start = place(depth, 16);
    result.swizzle = static_cast<isa::TileSwizzle>(between(0, 3));
    result.leading_bytes = static_cast<int>(1024 * between(0, 9));
    result.stride_bytes = static_cast<int>(1024 * between(0, 9));
    result.transposed = two_bytes && rarely();
    return result;
  }

  /// Of a length that is known, which must be a right one, or that is not.
  isa::RowOperand row(isa::Effect effect, int depth) {
    const bool is_put = effect == isa::Effect::kPutTile;
    const int buffer = is_put ? isa::kNoIndex : static_cast<int>(between(0, 2));
    const isa::Expression length{16 * between(1, 100), {{isa::Variable::kWarp, 16}}};
    return {buffer, open(uniform(depth)),
            rarely() ? isa::Expression{16 * between(1, 100)} : length};
  }

  int async(isa::Opcode opcode, int depth) {
    const isa::Effect effect = isa::opcode_info(opcode).effect;
    isa::AsyncOperands operands = isa::BarrierOperand{
        place(depth, isa::kBarrierBytes),
        effect == isa::Effect::kArriveRemote ? open(count(depth)) : count(depth)};
    if (effect == isa::Effect::kGroupMma) {
      const bool two_bytes = numerics::bits(isa::group_mma(opcode).formats.a) == 16;
      operands = isa::MatrixOperands{descriptor(depth, two_bytes), descriptor(depth, two_bytes)};
    } else if (isa::copies_tile(effect)) {
      isa::TileOperand tile;
      if (isa::box_dimensions(opcode) == 0) {
        tile.row = row(effect, depth);
      } else {
        tile.map = map_for(opcode);
        const isa::TensorMap& map = launch_.tensor_maps[static_cast<std::size_t>(tile.map)];
        for (int i = 0; i < map.coordinates(); ++i) tile.coordinates.push_back(uniform(depth));
      }
      tile.shared = place(depth, isa::TensorMap::kSharedAlignment);
      tile.barrier = place(depth, isa::kBarrierBytes);
      tile.ranks = open(uniform(depth));
      operands = tile;
    }
    program_.async.push_back(operands);
    return static_cast<int>(program_.async.size()) - 1;
  }

  int guard(int depth) {
    if (!program_.guards.empty() && between(0, 1) == 0) {
      return static_cast<int>(between(0, static_cast<std::int64_t>(program_.guards.size()) - 1));
    }
    program_.guards.push_back(bounds(depth));
    return static_cast<int>(program_.guards.size()) - 1;
  }

  isa::Guard bounds(int depth) {
    isa::Guard result;
    for (std::int64_t i = between(0, 3); i > 0; --i) {
      result.bounds.push_back({expression(depth), between(-100, 100'000)});
    }
    return result;
  }

  int access(int depth) {
    program_.accesses.push_back(
        {static_cast<int>(between(0, 2)), address(depth), address(depth), bounds(depth)});
    for (isa::Address* side : {&program_.accesses.back().global, &program_.accesses.back().shared})
      side->offset = open(side->offset);
    return static_cast<int>(program_.accesses.size()) - 1;
  }

  static constexpr int kFewRegisters = 24;

  std::mt19937 random_;
  bool has_groups_ = false;  ///< warpgroups of one program
  isa::KernelLaunch launch_;
  isa::WarpProgram program_;
  bool has_stalls_ = false;   ///< the program, in all its instructions
  bool has_arrived_ = false;  ///< at the barrier of the cluster, since the last wait there
};

}  // namespace

isa::KernelLaunch random_launch(std::uint32_t seed, int length) {
  return RandomLaunch(seed).make(length);
}

}  // namespace tcsim::trace
