#include "models/functional/group_products.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/functional/register_image.hpp"

namespace tcsim::functional {
namespace {

constexpr int kPieceBytes = 16;

/// The rows of blocks of an operand and the 16-byte pieces of each row. Pieces run along k or, if
/// transposed, along the other side, of length `side`; `k` elements are stored along k.
struct Extent {
  int rows;
  int pieces;
};
Extent extent_of(const isa::MatrixDescriptor& descriptor, const isa::GroupMma& mma, int side,
                 int k) {
  const auto pieces = [&](int elements) {
    return elements * numerics::bits(mma.formats.a) / 8 / kPieceBytes;
  };
  if (!descriptor.transposed) return {side, pieces(k)};
  return {k, pieces(side)};
}

isa::RegisterRange registers(isa::Register first, int count) {
  return first == isa::kZeroRegister ? isa::RegisterRange{} : isa::RegisterRange{first, count};
}

bool overlap(const isa::RegisterRange& a, const isa::RegisterRange& b) {
  return a.first < b.end() && b.first < a.end();
}

/// Registers [first, first + count) of each of `warps`, concatenated.
std::vector<std::uint32_t> gather(std::span<Warp> warps, isa::Register first, std::size_t count) {
  const std::size_t words = kLanes * count;
  std::vector<std::uint32_t> image(warps.size() * words);
  for (std::size_t w = 0; w < warps.size(); ++w)
    read_image(warps[w].registers, first, count, std::span(image).subspan(w * words, words), count);
  return image;
}

void scatter(std::span<Warp> warps, isa::Register first, std::size_t count,
             std::span<const std::uint32_t> image) {
  const std::size_t words = kLanes * count;
  for (std::size_t w = 0; w < warps.size(); ++w)
    write_image(warps[w].registers, first, count, image.subspan(w * words, words), count);
}

}  // namespace

GroupProducts::GroupProducts(std::span<Warp> warps, SharedMemory& shared, MatrixUnit& unit)
    : warps_(warps),
      shared_(shared),
      unit_(unit),
      groups_((warps.size() + isa::kGroupWarps - 1) / isa::kGroupWarps),
      open_(warps.size()),
      fences_(warps.size()) {
  for (Group& group : groups_) group.agent = shared.races().order().add_agent();
}

std::span<Warp> GroupProducts::warps_of(const Warp& warp) const {
  return warps_.subspan(index(warp) / isa::kGroupWarps * isa::kGroupWarps, isa::kGroupWarps);
}

bool GroupProducts::has_met(const Warp& warp) const {
  return std::ranges::all_of(warps_of(warp), [&](const Warp& other) {
    return !other.exited && !other.at_barrier && other.next == warp.next;
  });
}

template <typename Use>
void GroupProducts::for_each_piece(const isa::MatrixDescriptor& descriptor, int rows, int pieces,
                                   Use use) const {
  const isa::Swizzle swizzle = isa::swizzle_of(descriptor.swizzle);
  for (int row = 0; row < rows; ++row)
    for (int piece = 0; piece < pieces; ++piece)
      use(row, piece,
          swizzle.apply(descriptor.start.constant + isa::piece_offset(descriptor, row, piece)));
}

GroupProducts::Failure GroupProducts::open_operand(const Warp& warp,
                                                   const isa::MatrixDescriptor& descriptor,
                                                   int rows, int pieces, const Clock& clock) {
  const std::string problem = isa::start_problem(descriptor, descriptor.start.constant);
  if (!problem.empty()) return numerics::mistake(problem);
  std::int64_t outside = -1;
  for_each_piece(descriptor, rows, pieces, [&](int, int, std::int64_t at) {
    if (at + kPieceBytes > shared_.size()) {
      outside = at;
      return;
    }
    shared_.races().open_read(warp.accessor(), clock, at, kPieceBytes);
  });
  if (outside < 0) return std::nullopt;
  return numerics::mistake("an operand has 16 bytes at shared offset " + std::to_string(outside) +
                           ", outside its " + std::to_string(shared_.size()) + " bytes");
}

GroupProducts::Failure GroupProducts::issue(const Warp& warp) {
  const isa::Instruction& instruction = warp.instruction();
  const isa::GroupMma& mma = isa::group_mma(instruction.opcode);
  if (auto failure = unit_.prepare(instruction)) return failure;
  Product product{.who = warp.accessor(),
                  .instruction = &instruction,
                  .operands = std::get<isa::MatrixOperands>(
                      warp.program->source().async[static_cast<std::size_t>(instruction.access)])};
  Group& group = group_of(warp);
  product.group = group.closed;
  Clock clock = shared_.races().order().clock_of(warp.agent);
  for (const Warp& other : warps_of(warp)) {
    clock.intersect(shared_.races().order().clock_of(other.agent));
    open_registers(other, group.closed);
  }
  const auto open = [&](isa::MatrixDescriptor& descriptor, int side, int k) {
    descriptor.start = {isa::evaluate(descriptor.start, warp.bindings)};
    const Extent extent = extent_of(descriptor, mma, side, k);
    return open_operand(warp, descriptor, extent.rows, extent.pieces, clock);
  };
  if (!mma.a_in_registers)
    if (auto failure = open(product.operands.a, isa::kGroupRows, mma.stored_k())) return failure;
  if (auto failure = open(product.operands.b, mma.n, mma.k())) return failure;
  group.products.push_back(std::move(product));
  if ((instruction.immediate & isa::kClosesGroup) != 0) ++group.closed;
  return std::nullopt;
}

/// Marks the registers that the next instruction of `warp` uses until its group is waited for. A
/// product may take over the sums of the previous one.
void GroupProducts::open_registers(const Warp& warp, int group) {
  const isa::Instruction& instruction = warp.instruction();
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const isa::RegisterRange sums = registers(instruction.dst, info.dst_registers);
  const std::array read{registers(instruction.src[0], info.src_registers[0]),   // A
                        registers(instruction.src[3], info.src_registers[3])};  // metadata
  RaceDetector& races = shared_.races();
  for (const OpenRegisters& open : open_[index(warp)]) {
    const bool is_chain = open.written && open.range == sums;
    if (!is_chain && overlap(open.range, sums))
      races.touch_register(RaceKind::kWriteToOpenRegister, open.who, warp.accessor(), sums.first);
    for (const isa::RegisterRange& range : read)
      if (open.written && overlap(open.range, range))
        races.touch_register(RaceKind::kReadOfOpenSums, open.who, warp.accessor(), range.first);
  }
  Fence& fence = fences_[index(warp)];
  if (!fence.is_passed)
    races.touch_register(RaceKind::kNoGroupFence, warp.accessor(), warp.accessor(), sums.first);
  fence.is_passed = true;
  for (const isa::RegisterRange& range : read) check_fence(warp, range, fence.written);
  check_fence(warp, sums, fence.written);
  check_fence(warp, sums, fence.read);
  open_[index(warp)].push_back({warp.accessor(), group, sums, true});
  for (const isa::RegisterRange& range : read)
    if (range.count > 0) open_[index(warp)].push_back({warp.accessor(), group, range, false});
}

/// PTX ISA, wgmma.fence: between an access to a register and a product that uses it, except a
/// product before it.
void GroupProducts::check_fence(const Warp& warp, const isa::RegisterRange& range,
                                const InstructionOfRegister& accessed) {
  for (int r = range.first; r < range.end(); ++r)
    if (const int earlier = accessed[static_cast<std::size_t>(r)]; earlier != isa::kNoIndex)
      shared_.races().touch_register(RaceKind::kMissingGroupFence, {warp.agent, earlier},
                                     warp.accessor(), r);
}

void GroupProducts::touch(const Warp& warp, isa::RegisterRange range, bool writes) {
  for (const OpenRegisters& open : open_[index(warp)])
    if ((open.written || writes) && overlap(open.range, range))
      shared_.races().touch_register(
          writes ? RaceKind::kWriteToOpenRegister : RaceKind::kReadOfOpenSums, open.who,
          warp.accessor(), std::max(open.range.first, range.first));
  Fence& fence = fences_[index(warp)];
  for (int r = range.first; r < range.end(); ++r)
    (writes ? fence.written : fence.read)[static_cast<std::size_t>(r)] =
        static_cast<int>(warp.next);
}

void GroupProducts::check_registers(const Warp& warp) {
  const isa::Instruction& instruction = warp.instruction();
  if (isa::is_group_mma(instruction.opcode)) return;  // `issue` checks these
  for (int operand = 0; operand < isa::kSourceOperands; ++operand)
    if (const isa::RegisterRange range = isa::source_registers(instruction, operand);
        range.count > 0)
      touch(warp, range, /*writes=*/false);
  if (const isa::RegisterRange range = isa::destination_registers(instruction); range.count > 0)
    touch(warp, range, /*writes=*/true);
}

GroupProducts::Failure GroupProducts::wait(const Warp& warp, int may_stay_open) {
  Group& group = group_of(warp);
  const int over = group.closed - may_stay_open;
  while (!group.products.empty() && group.products.front().group < over) {
    if (auto failure = execute(group.products.front(), warp)) return failure;
    group.products.pop_front();
  }
  shared_.races().order().see(warp.agent, group.agent, over);
  std::erase_if(open_[index(warp)],
                [over](const OpenRegisters& open) { return open.group < over; });
  return std::nullopt;
}

std::vector<std::uint32_t> GroupProducts::read_operand(const isa::MatrixDescriptor& descriptor,
                                                       numerics::ElementType type, int rows,
                                                       int columns) const {
  const int bytes = numerics::bits(type) / 8;
  const int piece_elements = kPieceBytes / bytes;
  std::vector<std::uint32_t> patterns(static_cast<std::size_t>(rows) *
                                      static_cast<std::size_t>(columns));
  const auto element_bytes = static_cast<std::size_t>(bytes);
  const int block_rows = descriptor.transposed ? columns : rows;
  const int pieces = (descriptor.transposed ? rows : columns) / piece_elements;
  for_each_piece(descriptor, block_rows, pieces, [&](int row, int piece, std::int64_t at) {
    const std::span<const std::uint8_t> content = shared_.bytes(at, kPieceBytes);
    for (int i = 0; i < piece_elements; ++i) {
      std::uint32_t pattern = 0;
      std::memcpy(&pattern, content.subspan(static_cast<std::size_t>(i) * element_bytes).data(),
                  element_bytes);
      const int along = piece * piece_elements + i;
      const int r = descriptor.transposed ? along : row;
      const int c = descriptor.transposed ? row : along;
      patterns[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) +
               static_cast<std::size_t>(c)] = pattern;
    }
  });
  return patterns;
}

GroupProducts::Failure GroupProducts::execute(const Product& product, const Warp& waiting) {
  const isa::Instruction& instruction = *product.instruction;
  const isa::GroupMma& mma = isa::group_mma(instruction.opcode);
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const std::span<Warp> warps = warps_of(waiting);
  GroupOperands operands;
  if (mma.a_in_registers)
    operands.a_image = gather(warps, instruction.src[0], info.src_registers[0]);
  else
    operands.a = read_operand(product.operands.a, mma.formats.a, isa::kGroupRows, mma.stored_k());
  operands.b = read_operand(product.operands.b, mma.formats.b, mma.n, mma.k());
  operands.c_image = gather(warps, instruction.src[2], info.dst_registers);
  if ((instruction.immediate & isa::kClearsSums) != 0) std::ranges::fill(operands.c_image, 0);
  if (mma.sparse) operands.metadata = gather(warps, instruction.src[3], 1);
  const auto d = unit_.execute_group(instruction, warps.front().bindings, operands);
  if (!d.has_value()) return d.refusal();
  scatter(warps, instruction.dst, info.dst_registers, d.value());
  const auto close = [&](const isa::MatrixDescriptor& descriptor, int side, int k) {
    const Extent extent = extent_of(descriptor, mma, side, k);
    for_each_piece(descriptor, extent.rows, extent.pieces, [&](int, int, std::int64_t at) {
      shared_.races().close_read(product.who, group_of(waiting).agent, product.group + 1, at,
                                 kPieceBytes);
    });
  };
  if (!mma.a_in_registers) close(product.operands.a, isa::kGroupRows, mma.stored_k());
  close(product.operands.b, mma.n, mma.k());
  return std::nullopt;
}

}  // namespace tcsim::functional
