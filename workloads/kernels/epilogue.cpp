#include "workloads/kernels/epilogue.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kLanes = 32;
constexpr int kChunkBytes = 16;
constexpr std::int32_t kOneHalf2 = 0x3c003c00;   // alpha = 1 in both halves
constexpr std::int32_t kPackLowHalves = 0x5410;  // PRMT selector

Opcode shared_store(int registers) {
  return registers == 4 ? Opcode::kSts128 : registers == 2 ? Opcode::kSts64 : Opcode::kSts32;
}

Opcode shared_load(int bytes) {
  if (bytes >= kChunkBytes) return Opcode::kLds128;
  return bytes == 8 ? Opcode::kLds64 : bytes == 4 ? Opcode::kLds32 : Opcode::kLds16;
}

Opcode global_store(int bytes) {
  if (bytes >= kChunkBytes) return Opcode::kStg128;
  return bytes == 8 ? Opcode::kStg64 : bytes == 4 ? Opcode::kStg32 : Opcode::kStg16;
}

bool is_16_bit(Element element) { return element == Element::kFp16 || element == Element::kBf16; }

void extend(Instructions& to, const Instructions& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Epilogue::Epilogue(const GemmProblem& problem, const GemmTile& tile, const WarpGrid& warps,
                   AccumulatorMap map, int buffer, bool has_packing)
    : problem_(problem),
      tile_(tile),
      warps_(warps),
      map_(std::move(map)),
      buffer_(buffer),
      has_packing_(has_packing),
      vector_elements_(widest_vector(problem.n, element_bytes(problem.output))),
      deal_{warps.warps()} {}

int Epilogue::staged_rows() const { return warps_.warps_m << map_.row_bits.size(); }

int Epilogue::shared_bytes() const { return staged_rows() * pitch_bytes(); }

int Epilogue::vectors_per_thread() const {
  return std::max(1, staged_rows() * row_vectors() / (warps_.warps() * kLanes));
}

int Epilogue::vector_registers() const {
  return std::max(1, vector_elements_ * map_.element_bytes / 4);
}

bool Epilogue::exchanges() const {
  return map_.swapped_pairs && vector_elements_ > 1 && !is_16_bit(problem_.output);
}

bool Epilogue::reads_two_chunks() const {
  return vector_elements_ * map_.element_bytes > kChunkBytes;
}

bool Epilogue::has_odd_pitch() const { return pitch_bytes() / kChunkBytes % 2 == 1; }

// A thread that needs 32 bytes of a row reads two chunks, 32 bytes apart from its neighbours', so
// that eight lanes would touch only half of the banks. Where rows are an even number of chunks
// apart, an XOR moves every second group of four lanes to the other chunk; where it is odd, four of
// eight lanes read the next row.
isa::Swizzle Epilogue::swizzle() const {
  if (!tile_.swizzle || !reads_two_chunks() || has_odd_pitch()) return {};
  return {.bits = 1, .base = 4, .shift = 3};
}

namespace {
constexpr int kPairedRowBit =
    2;  // lane bit of the next row, where rows are an odd number of chunks apart
}

void Epilogue::add_column(isa::Expression& sum, int vector, std::int64_t weight) const {
  const int bits = log2_exact(row_vectors());
  if (reads_two_chunks() && has_odd_pitch()) {
    deal_.add_field(sum, vector, 0, kPairedRowBit, weight);
    deal_.add_field(sum, vector, kPairedRowBit + 1, bits - kPairedRowBit, weight << kPairedRowBit);
  } else {
    deal_.add_field(sum, vector, 0, bits, weight);
  }
}

void Epilogue::add_row_bit(isa::Expression& sum, int vector, int bit, std::int64_t weight) const {
  const bool paired = reads_two_chunks() && has_odd_pitch() && bit == 0;
  deal_.add_field(sum, vector, paired ? kPairedRowBit : log2_exact(row_vectors()) + bit, 1, weight);
}

Instructions Epilogue::stage(ProgramBuilder& builder, const AddressWork& work,
                             const RowGroup& group) const {
  isa::Expression lane_offset;
  int row_weight = pitch_bytes();
  for (const LaneBit& row : map_.row_bits) {
    add_field(lane_offset, {Variable::kLane, row.bit, 1, row_weight});
    row_weight *= 2;
  }
  warps_.add_row(lane_offset, row_weight);
  for (const LaneBit& column : map_.column_bits)
    add_field(lane_offset,
              {Variable::kLane, column.bit, 1, std::int64_t{column.weight} * map_.element_bytes});
  warps_.add_column(lane_offset, std::int64_t{warps_.warp_n} * map_.element_bytes);

  Instructions stores;
  for (const AccumulatorRun& run : group.runs) {
    isa::Expression offset = lane_offset;
    offset.constant += std::int64_t{run.column} * map_.element_bytes;
    stores.push_back(store(shared_store(run.registers), run.first, work.shared_store_address(),
                           builder.access({.shared = {offset, swizzle()}})));
  }
  return stores;
}

Instructions Epilogue::fetch(ProgramBuilder& builder, const AddressWork& work, int vector,
                             int first) const {
  isa::Expression offset;
  if (map_.swapped_pairs && vector_elements_ == 1) {
    // A single column lies where its partner belongs.
    deal_.add_field(offset, vector, 1, log2_exact(row_vectors()) - 1,
                    std::int64_t{2} * map_.element_bytes);
    deal_.add_field(offset, vector, 0, 1, -map_.element_bytes);
    offset.constant += map_.element_bytes;
  } else {
    add_column(offset, vector, std::int64_t{vector_elements_} * map_.element_bytes);
  }
  for (int bit = 0; bit < log2_exact(staged_rows()); ++bit)
    add_row_bit(offset, vector, bit, std::int64_t{pitch_bytes()} << bit);

  Instructions loads;
  const int bytes = vector_elements_ * map_.element_bytes;
  for (int chunk = 0; chunk < bytes; chunk += kChunkBytes) {
    isa::Expression place = offset;
    place.constant += chunk;
    loads.push_back(load(shared_load(bytes), reg(first + chunk / 4), work.shared_store_address(),
                         builder.access({.shared = {place, swizzle()}})));
  }
  return loads;
}

Instructions Epilogue::scale(int first, int result) const {
  Instructions ops;
  if (problem_.output == Element::kInt32) return ops;
  const bool packed = map_.element_bytes == 2;
  for (int i = 0; i < vector_registers(); ++i) {
    const int dst = result + (exchanges() ? i ^ 1 : i);
    ops.push_back(with_immediate(
        arithmetic(packed ? Opcode::kHmul2 : Opcode::kFmul, reg(dst), reg(first + i)),
        packed ? kOneHalf2 : std::bit_cast<std::int32_t>(1.0F)));
  }
  return ops;
}

Instructions Epilogue::convert(int first) const {
  Instructions ops;
  if (map_.element_bytes == 2 || !is_16_bit(problem_.output)) return ops;
  const Opcode pack = problem_.output == Element::kBf16 ? Opcode::kF2fpBf16 : Opcode::kF2fp;
  if (!has_packing_)
    for (int i = 0; i < vector_elements_; ++i)
      ops.push_back(arithmetic(Opcode::kF2f, reg(first + i), reg(first + i)));
  if (vector_elements_ == 1) {
    if (has_packing_) ops.push_back(arithmetic(pack, reg(first), isa::kZeroRegister, reg(first)));
    return ops;
  }
  const int swap = map_.swapped_pairs ? 1 : 0;
  for (int i = 0; i < vector_elements_ / 2; ++i) {
    const isa::Register low = reg(first + 2 * i + swap);
    const isa::Register high = reg(first + 2 * i + 1 - swap);
    if (has_packing_)
      ops.push_back(arithmetic(pack, reg(first + i), high, low));
    else
      ops.push_back(
          with_immediate(arithmetic(Opcode::kPrmt, reg(first + i), low, high), kPackLowHalves));
  }
  return ops;
}

isa::Instruction Epilogue::store_vector(ProgramBuilder& builder, const AddressWork& work,
                                        const Raster& raster, const RowGroup& group, int vector,
                                        int data) const {
  isa::Expression row = constant(group.first_row);
  int bit = 0;
  for (const LaneBit& row_bit : map_.row_bits) add_row_bit(row, vector, bit++, row_bit.weight);
  for (int warp_bit = 0; warp_bit < log2_exact(warps_.warps_m); ++warp_bit)
    add_row_bit(row, vector, bit++, std::int64_t{warps_.warp_m} << warp_bit);
  raster.add_row(row, tile_.m);
  isa::Expression column;
  add_column(column, vector, vector_elements_);
  raster.add_column(column, tile_.n);

  isa::Guard guard;
  const int vectors = staged_rows() * row_vectors();
  if (vectors < warps_.warps() * kLanes)
    guard.bounds.push_back({{.constant = 0, .terms = {{Variable::kWarp, 1}}}, vectors / kLanes});
  if (problem_.m % tile_.m != 0) guard.bounds.push_back({row, problem_.m});
  if (problem_.n % tile_.n != 0) guard.bounds.push_back({column, problem_.n});

  const int bytes = element_bytes(problem_.output);
  isa::Address address;
  add_scaled(address.offset, row, problem_.n * bytes);
  add_scaled(address.offset, column, bytes);
  add_term(address.offset,
           {.variable = Variable::kCtaZ, .coefficient = problem_.m * problem_.n * bytes});
  return store(global_store(vector_elements_ * bytes), reg(data), work.pointer(vector),
               builder.access({.buffer = buffer_, .global = address}), builder.guard(guard));
}

void Epilogue::emit(ProgramBuilder& builder, AddressWork& work, const Raster& raster, int scratch,
                    int available) const {
  const int buffers = available >= 2 * registers() ? 2 : 1;
  const int vectors = vectors_per_thread();
  // 37 integer instructions for 16 elements of a thread: kernels.md 3, half of 1230 less those that
  // carry data.
  const int integer_ops = 5 + 2 * vectors * vector_elements_;
  for (std::size_t g = 0; g < map_.groups.size(); ++g) {
    const RowGroup& group = map_.groups[g];
    const int first = scratch + static_cast<int>(g) % buffers * registers();
    const int exchange = exchanges() ? vectors * vector_registers() : 0;
    Instructions data{control(Opcode::kBarSync)};
    extend(data, stage(builder, work, group));
    data.push_back(control(Opcode::kBarSync));
    for (int v = 0; v < vectors; ++v)
      extend(data, fetch(builder, work, v, first + v * vector_registers()));
    for (int v = 0; v < vectors; ++v) {
      const int values = first + v * vector_registers();
      extend(data, scale(values, values + exchange));
      extend(data, convert(values + exchange));
      data.push_back(store_vector(builder, work, raster, group, v, values + exchange));
    }
    const std::array streams{Stream{data}, Stream{work.vector_ops(integer_ops)}};
    builder.append(merge_evenly(streams));
  }
}

}  // namespace tcsim::kernels
