#include "workloads/trace/tct_async.hpp"

#include <array>
#include <limits>
#include <type_traits>

#include "models/isa/group_mma.hpp"
#include "models/isa/name_text.hpp"
#include "workloads/trace/canonical.hpp"

namespace tcsim::trace {
namespace {

using isa::Effect;
using isa::TileSwizzle;

constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;
constexpr int kLargestOffset = 1 << 20;

/// True for arrivals at an mbarrier without a further number.
bool arrives_alone(Effect effect) {
  return effect == Effect::kArrive || effect == Effect::kArriveAfterCopies;
}

std::string in_brackets(const char* what, const isa::Expression& expression) {
  return std::string(what) + "[" + expression_text(expression) + "]";
}

isa::Expression take_in_brackets(Cursor& cursor, const LineContext& context, const char* what) {
  cursor.take(what, "operand");
  cursor.take("[", "operand");
  isa::Expression expression = parse_expression(cursor, context.ranges);
  cursor.take("]", "operand");
  return expression;
}

int swizzle_number(TileSwizzle swizzle) {
  return swizzle == TileSwizzle::kNone ? 0 : isa::row_bytes(swizzle);
}

TileSwizzle take_swizzle(Cursor& cursor) {
  cursor.take("swizzle", "swizzle");
  cursor.take("=", "swizzle");
  const int column = cursor.column();
  const std::uint64_t number = cursor.take_unsigned("swizzle", kLargest);
  for (const TileSwizzle swizzle :
       {TileSwizzle::kNone, TileSwizzle::k32, TileSwizzle::k64, TileSwizzle::k128})
    if (number == static_cast<std::uint64_t>(swizzle_number(swizzle))) return swizzle;
  throw Mistake{column, "swizzle", "is 0, 32, 64 or 128"};
}

template <typename Number>
std::string list_text(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text.empty() ? "-" : text;
}

template <typename Number>
std::vector<Number> take_list(Cursor& cursor, const char* key) {
  cursor.take(key, "tensormap");
  cursor.take("=", "tensormap");
  std::vector<Number> numbers;
  if (cursor.accept("-")) return numbers;
  constexpr bool kIsWide = std::is_same_v<Number, std::int64_t>;
  do {
    numbers.push_back(static_cast<Number>(cursor.take_unsigned(
        key, kIsWide ? kLargest : std::uint64_t{std::numeric_limits<std::int32_t>::max()})));
  } while (cursor.accept(","));
  return numbers;
}

int take_number(Cursor& cursor, const char* key, int largest) {
  cursor.take(key, "operand");
  cursor.take("=", "operand");
  return static_cast<int>(cursor.take_unsigned(key, static_cast<std::uint64_t>(largest)));
}

std::string im2col_text(const isa::TensorMap& map) {
  if (!map.im2col) return {};
  const auto pair = [](const std::array<std::int64_t, 2>& numbers) {
    return std::to_string(numbers[0]) + "," + std::to_string(numbers[1]);
  };
  return " im2col=" + pair(map.im2col->positions) + " pad=" + pair(map.im2col->pad) +
         " stride=" + pair(map.im2col->stride);
}

/// Reads the text after the word.
isa::Im2col take_im2col(Cursor& cursor) {
  const auto take_pair = [&cursor](const char* key) {
    cursor.take("=", key);
    std::array<std::int64_t, 2> numbers{};
    numbers[0] = static_cast<std::int64_t>(cursor.take_unsigned(key, kLargest));
    cursor.take(",", key);
    numbers[1] = static_cast<std::int64_t>(cursor.take_unsigned(key, kLargest));
    return numbers;
  };
  isa::Im2col im2col;
  im2col.positions = take_pair("im2col");
  cursor.take("pad", "tensormap");
  im2col.pad = take_pair("pad");
  cursor.take("stride", "tensormap");
  im2col.stride = take_pair("stride");
  return im2col;
}

std::string descriptor_text(const isa::MatrixDescriptor& descriptor) {
  return "gdesc[" + expression_text(descriptor.start) +
         ", lead=" + std::to_string(descriptor.leading_bytes) +
         ", stride=" + std::to_string(descriptor.stride_bytes) +
         ", swizzle=" + std::to_string(swizzle_number(descriptor.swizzle)) +
         (descriptor.transposed ? ", transposed]" : "]");
}

isa::MatrixDescriptor take_descriptor(Cursor& cursor, const LineContext& context) {
  isa::MatrixDescriptor descriptor;
  cursor.take("gdesc", "operand");
  cursor.take("[", "operand");
  descriptor.start = parse_expression(cursor, context.ranges);
  cursor.take(",", "operand");
  descriptor.leading_bytes = take_number(cursor, "lead", kLargestOffset);
  cursor.take(",", "operand");
  descriptor.stride_bytes = take_number(cursor, "stride", kLargestOffset);
  cursor.take(",", "operand");
  descriptor.swizzle = take_swizzle(cursor);
  if (cursor.accept(",")) {
    cursor.take("transposed", "operand");
    descriptor.transposed = true;
  }
  cursor.take("]", "operand");
  return descriptor;
}

constexpr const char* kClusterMemory = "dsmem";

std::string row_text(const isa::KernelLaunch& launch, const isa::RowOperand& row) {
  const bool is_shared = row.buffer == isa::kNoIndex;
  return (is_shared ? kClusterMemory
                    : isa::name_text(launch.buffers[static_cast<std::size_t>(row.buffer)].name)) +
         "[" + expression_text(row.offset) + ", bytes=" + expression_text(row.bytes) + "]";
}

isa::RowOperand take_row(Cursor& cursor, const LineContext& context, Effect effect) {
  isa::RowOperand row;
  if (effect == Effect::kPutTile) {
    row.buffer = isa::kNoIndex;
    cursor.take(kClusterMemory, "operand");
  } else {
    row.buffer = take_index(cursor, context.launch.buffers, "buffer");
  }
  cursor.take("[", "operand");
  row.offset = parse_expression(cursor, context.ranges);
  cursor.take(",", "operand");
  cursor.take("bytes", "operand");
  cursor.take("=", "operand");
  row.bytes = parse_expression(cursor, context.ranges);
  cursor.take("]", "operand");
  return row;
}

std::string box_text(const isa::KernelLaunch& launch, const isa::TileOperand& operand) {
  if (operand.row) return row_text(launch, *operand.row);
  std::string text =
      isa::name_text(launch.tensor_maps[static_cast<std::size_t>(operand.map)].name) + "[";
  for (std::size_t i = 0; i < operand.coordinates.size(); ++i)
    text += (i == 0 ? "" : ", ") + expression_text(operand.coordinates[i]);
  return text + "]";
}

void take_box(Cursor& cursor, const LineContext& context, isa::Opcode opcode,
              isa::TileOperand& operand) {
  if (isa::box_dimensions(opcode) == 0) {
    operand.row = take_row(cursor, context, isa::opcode_info(opcode).effect);
    return;
  }
  operand.map = take_index(cursor, context.launch.tensor_maps, "tensormap");
  cursor.take("[", "operand");
  do {
    operand.coordinates.push_back(parse_expression(cursor, context.ranges));
  } while (cursor.accept(","));
  cursor.take("]", "operand");
}

isa::TileOperand take_tile(Cursor& cursor, const LineContext& context, isa::Opcode opcode) {
  const Effect effect = isa::opcode_info(opcode).effect;
  isa::TileOperand operand;
  const auto take_shared = [&] { operand.shared = take_in_brackets(cursor, context, "smem"); };
  const auto take_box_too = [&] { take_box(cursor, context, opcode, operand); };
  if (isa::reads_tile(effect)) {
    take_box_too();
    if (effect == Effect::kPrefetchTile) return operand;
    cursor.take("->", "operand");
    take_shared();
  } else {
    take_shared();
    cursor.take("->", "operand");
    take_box_too();
    if (isa::writes_tile(effect)) return operand;
  }
  cursor.take(",", "operand");
  operand.barrier = take_in_brackets(cursor, context, "mbar");
  if (effect == Effect::kLoadTileToMany) {
    cursor.take(",", "operand");
    operand.ranks = take_in_brackets(cursor, context, "ranks");
  }
  return operand;
}

isa::AsyncOperands take_group_operands(Cursor& cursor, const LineContext& context,
                                       isa::Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const bool a_in_registers = isa::group_mma(instruction.opcode).a_in_registers;
  isa::MatrixOperands operands;
  instruction.dst = take_register(cursor, context, info.dst_registers);
  cursor.take(",", "operand");
  if (a_in_registers)
    instruction.src[0] = take_register(cursor, context, info.src_registers[0]);
  else
    operands.a = take_descriptor(cursor, context);
  cursor.take(",", "operand");
  operands.b = take_descriptor(cursor, context);
  cursor.take(",", "operand");
  instruction.src[2] = take_register(cursor, context, info.src_registers[2]);
  if (!info.sparse) return operands;
  cursor.take(",", "operand");
  instruction.src[3] = take_register(cursor, context, info.src_registers[3]);
  return operands;
}

}  // namespace

std::string tensor_map_text(const isa::KernelLaunch& launch, const isa::TensorMap& map) {
  const isa::Buffer& buffer = launch.buffers[static_cast<std::size_t>(map.buffer)];
  return "tensormap " + isa::name_text(map.name) + " buffer=" + isa::name_text(buffer.name) +
         " element=" + std::to_string(map.element_bytes) + " extents=" + list_text(map.extents) +
         " strides=" + list_text(map.strides) + " box=" + list_text(map.box) +
         " swizzle=" + std::to_string(swizzle_number(map.swizzle)) + im2col_text(map) + "\n";
}

void parse_tensor_map(Cursor& cursor, const isa::KernelLaunch& launch, isa::TensorMap& map) {
  cursor.take("buffer", "tensormap");
  cursor.take("=", "tensormap");
  map.buffer = take_index(cursor, launch.buffers, "buffer");
  constexpr int kMostElementBytes = 8;
  map.element_bytes = take_number(cursor, "element", kMostElementBytes);
  map.extents = take_list<std::int64_t>(cursor, "extents");
  map.strides = take_list<std::int64_t>(cursor, "strides");
  map.box = take_list<int>(cursor, "box");
  map.swizzle = take_swizzle(cursor);
  if (cursor.accept("im2col")) map.im2col = take_im2col(cursor);
}

std::vector<std::string> async_operands(const isa::KernelLaunch& launch,
                                        const isa::WarpProgram& program,
                                        const isa::Instruction& instruction) {
  const Effect effect = isa::opcode_info(instruction.opcode).effect;
  const isa::AsyncOperands& all = program.async[static_cast<std::size_t>(instruction.access)];
  if (const auto* barrier = std::get_if<isa::BarrierOperand>(&all)) {
    std::vector<std::string> operands{in_brackets("mbar", barrier->address)};
    if (effect == Effect::kArriveRemote)
      operands.push_back(in_brackets("rank", barrier->value));
    else if (!arrives_alone(effect))
      operands.push_back(expression_text(barrier->value));
    return operands;
  }
  if (const auto* tile = std::get_if<isa::TileOperand>(&all)) {
    const std::string box = box_text(launch, *tile);
    const std::string shared = in_brackets("smem", tile->shared);
    if (isa::writes_tile(effect)) return {shared + " -> " + box};
    if (effect == Effect::kPrefetchTile) return {box};
    const std::string barrier = in_brackets("mbar", tile->barrier);
    if (effect == Effect::kPutTile) return {shared + " -> " + box, barrier};
    std::vector<std::string> operands{box + " -> " + shared, barrier};
    if (effect == Effect::kLoadTileToMany) operands.push_back(in_brackets("ranks", tile->ranks));
    return operands;
  }
  const auto& matrices = std::get<isa::MatrixOperands>(all);
  const isa::GroupMma& mma = isa::group_mma(instruction.opcode);
  std::vector<std::string> operands{
      register_text(instruction.dst),
      mma.a_in_registers ? register_text(instruction.src[0]) : descriptor_text(matrices.a),
      descriptor_text(matrices.b), register_text(instruction.src[2])};
  if (mma.sparse) operands.push_back(register_text(instruction.src[3]));
  return operands;
}

void take_async_operands(Cursor& cursor, const LineContext& context, ProgramTables& tables,
                         isa::Instruction& instruction) {
  const Effect effect = isa::opcode_info(instruction.opcode).effect;
  if (effect == Effect::kGroupMma) {
    instruction.access = tables.number(take_group_operands(cursor, context, instruction));
    return;
  }
  if (isa::copies_tile(effect)) {
    const isa::TileOperand operand = take_tile(cursor, context, instruction.opcode);
    instruction.access = tables.number(isa::AsyncOperands(operand));
    return;
  }
  isa::BarrierOperand operand;
  operand.address = take_in_brackets(cursor, context, "mbar");
  if (effect == Effect::kArriveRemote) {
    cursor.take(",", "operand");
    operand.value = take_in_brackets(cursor, context, "rank");
  } else if (!arrives_alone(effect)) {
    cursor.take(",", "operand");
    operand.value = parse_expression(cursor, context.ranges);
  }
  instruction.access = tables.number(isa::AsyncOperands(operand));
}

isa::AsyncOperands used_operands(isa::AsyncOperands operands, isa::Opcode opcode) {
  const Effect effect = isa::opcode_info(opcode).effect;
  if (auto* barrier = std::get_if<isa::BarrierOperand>(&operands)) {
    if (arrives_alone(effect)) barrier->value = {};
  } else if (auto* tile = std::get_if<isa::TileOperand>(&operands)) {
    if (isa::writes_tile(effect) || effect == Effect::kPrefetchTile) tile->barrier = {};
    if (effect == Effect::kPrefetchTile) tile->shared = {};
    if (effect != Effect::kLoadTileToMany) tile->ranks = {};
    if (tile->row) {
      tile->map = 0;
      tile->coordinates = {};
    }
  } else if (isa::group_mma(opcode).a_in_registers) {
    std::get<isa::MatrixOperands>(operands).a = {};
  }
  return operands;
}

std::string identity_text(const isa::AsyncOperands& operands) {
  if (const auto* barrier = std::get_if<isa::BarrierOperand>(&operands))
    return in_brackets("mbar", barrier->address) + expression_text(barrier->value);
  if (const auto* tile = std::get_if<isa::TileOperand>(&operands)) {
    std::string text = std::to_string(tile->map) + in_brackets("smem", tile->shared) +
                       in_brackets("mbar", tile->barrier) + in_brackets("ranks", tile->ranks);
    for (const isa::Expression& coordinate : tile->coordinates)
      text += "," + expression_text(coordinate);
    if (tile->row)
      text += "," + std::to_string(tile->row->buffer) + "," + expression_text(tile->row->offset) +
              "," + expression_text(tile->row->bytes);
    return text;
  }
  const auto& matrices = std::get<isa::MatrixOperands>(operands);
  return descriptor_text(matrices.a) + descriptor_text(matrices.b);
}

}  // namespace tcsim::trace
