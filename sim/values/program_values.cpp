#include "sim/values/program_values.hpp"

// The header-only form needs no library at run time.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "models/functional/execute.hpp"
#include "models/isa/group_mma.hpp"
#include "models/isa/mma_types.hpp"
#include "sim/values/element.hpp"
#include "sim/values/operand_store.hpp"

namespace tcsim::values {
namespace {

using isa::Effect;
using kernels::Element;
using numerics::ElementType;

constexpr std::uint8_t kUnwrittenByte = 0xff;
constexpr std::size_t kFirstWords = 4;

/// What the programs of a stream do with a buffer.
struct BufferUse {
  isa::Buffer buffer;              ///< `input` and `flags` if any launch says so
  std::optional<int> stored_by{};  ///< number of the first launch that stores it
  bool needs_data = false;         ///< a launch loads it before an earlier one has stored it
  bool is_changed = false;         ///< by atomics or reductions, which need what it holds
  std::optional<ElementType> multiplied{};  ///< by the first launch that needs its data
  int element_bytes = 0;                    ///< of the first tensor map on it; 0: there is none

  [[nodiscard]] bool is_drawn() const {
    return needs_data && buffer.input && !buffer.flags && !is_changed;
  }
};

/// What the first MMA of `launch` multiplies.
std::optional<ElementType> type_multiplied_by(const isa::KernelLaunch& launch) {
  for (const isa::WarpProgram& program : launch.programs)
    for (const isa::Instruction& instruction : program.instructions) {
      if (isa::is_group_mma(instruction.opcode))
        return isa::group_mma(instruction.opcode).formats.a;
      if (isa::is_mma(instruction.opcode))
        return isa::mma_types(isa::opcode_info(instruction.opcode)).input;
    }
  return std::nullopt;
}

/// The index of the buffer that `instruction` accesses, or isa::kNoIndex.
int buffer_accessed_by(const isa::Instruction& instruction, const isa::WarpProgram& program,
                       const isa::KernelLaunch& launch) {
  const Effect effect = isa::opcode_info(instruction.opcode).effect;
  const auto access = static_cast<std::size_t>(instruction.access);
  if (isa::addresses_global(effect)) return program.accesses[access].buffer;
  if (!isa::copies_tile(effect)) return isa::kNoIndex;
  const auto& tile = std::get<isa::TileOperand>(program.async[access]);
  return tile.row ? tile.row->buffer
                  : launch.tensor_maps[static_cast<std::size_t>(tile.map)].buffer;
}

class BufferUses {
 public:
  explicit BufferUses(std::span<const isa::KernelLaunch> stream) {
    for (std::size_t i = 0; i < stream.size(); ++i) add(stream[i], static_cast<int>(i));
  }

  /// In the order of functional::GlobalMemory.
  [[nodiscard]] const std::vector<BufferUse>& all() const { return uses_; }

 private:
  void add(const isa::KernelLaunch& launch, int number) {
    for (const isa::Buffer& buffer : launch.buffers) {
      isa::Buffer& known = use_of(buffer).buffer;
      known.input |= buffer.input;
      known.flags |= buffer.flags;
    }
    for (const isa::TensorMap& map : launch.tensor_maps)
      if (int& bytes = use_of(launch, map.buffer).element_bytes; bytes == 0)
        bytes = map.element_bytes;
    const std::optional<ElementType> multiplied = type_multiplied_by(launch);
    for (const isa::WarpProgram& program : launch.programs)
      for (const isa::Instruction& instruction : program.instructions) {
        const int buffer = buffer_accessed_by(instruction, program, launch);
        if (buffer == isa::kNoIndex) continue;
        note(isa::opcode_info(instruction.opcode).effect, number, multiplied,
             use_of(launch, buffer));
      }
  }

  static void note(Effect effect, int launch, const std::optional<ElementType>& multiplied,
                   BufferUse& use) {
    const bool stores = effect == Effect::kStoreGlobal || effect == Effect::kStoreTile;
    const bool changes = effect == Effect::kAtomicGlobal || effect == Effect::kReduceGlobal ||
                         effect == Effect::kReduceTile;
    use.is_changed |= changes;
    if (stores || changes) {
      if (!use.stored_by) use.stored_by = launch;
    } else if (!use.needs_data && use.stored_by.value_or(launch) == launch) {
      use.needs_data = true;
      use.multiplied = multiplied;
    }
  }

  BufferUse& use_of(const isa::KernelLaunch& launch, int index) {
    return use_of(launch.buffers[static_cast<std::size_t>(index)]);
  }
  BufferUse& use_of(const isa::Buffer& buffer) {
    const auto found = std::ranges::find_if(uses_, [&](const BufferUse& use) {
      return use.buffer.base_address == buffer.base_address && use.buffer.bytes == buffer.bytes;
    });
    return found != uses_.end() ? *found : uses_.emplace_back(BufferUse{buffer});
  }

  std::vector<BufferUse> uses_;
};

/// The format in which numbers for a buffer are drawn.
Element element_of(const BufferUse& use) {
  const int bytes = use.element_bytes;
  if (use.multiplied)
    for (int i = 0; i < kernels::kElementCount; ++i) {
      const auto element = static_cast<Element>(i);
      if (type_of(element) == *use.multiplied &&
          (bytes == 0 || bytes == kernels::element_bytes(element)))
        return element;
    }
  const bool is_of_integers = use.multiplied && numerics::info(*use.multiplied).element_class !=
                                                    numerics::ElementClass::kFloat;
  if (bytes == 1 || (bytes == 0 && is_of_integers)) return Element::kInt8;
  if (bytes == 2) return Element::kFp16;
  return bytes == 8 ? Element::kFp64 : Element::kFp32;
}

void fill_drawn(std::span<std::uint8_t> bytes, Element element, Distribution distribution,
                std::uint64_t seed, std::uint32_t stream) {
  const auto width = static_cast<std::size_t>(kernels::element_bytes(element));
  const NumberKind kind = element == Element::kInt8 ? NumberKind::kInt8 : NumberKind::kReal;
  Matrix row{1, 1, static_cast<std::int64_t>(bytes.size() / width), {}};
  row.values = draw(distribution, kind, seed, stream, bytes.size() / width);
  (void)store(row, {element, /*row_major=*/true}, bytes);
}

/// Fills the memory; returns what each buffer starts as.
std::vector<BufferValues> fill_memory(const BufferUses& uses, Distribution distribution,
                                      std::uint64_t seed, functional::GlobalMemory& memory) {
  std::vector<BufferValues> buffers;
  std::uint32_t stream = 0;
  for (const BufferUse& use : uses.all()) {
    const std::span<std::uint8_t> bytes = memory.buffer(static_cast<int>(buffers.size()));
    BufferValues& buffer = buffers.emplace_back();
    buffer.name = use.buffer.name;
    buffer.bytes = static_cast<std::int64_t>(bytes.size());
    buffer.is_written = use.stored_by.has_value();
    if (use.is_drawn()) {
      const Element element = element_of(use);
      buffer.starts_as = kernels::element_name(element);
      fill_drawn(bytes, element, distribution, seed, stream++);
    } else if (use.buffer.flags || use.is_changed) {
      buffer.starts_as = "zeros";
    } else {
      buffer.starts_as = "ff";
      std::ranges::fill(bytes, kUnwrittenByte);
    }
  }
  return buffers;
}

void note_end(std::span<const std::uint8_t> bytes, BufferValues& buffer) {
  buffer.checksum = checksum_of(bytes);
  buffer.first_words.resize(std::min(kFirstWords, bytes.size() / sizeof(std::uint32_t)));
  std::memcpy(buffer.first_words.data(), bytes.data(),
              buffer.first_words.size() * sizeof(std::uint32_t));
}

}  // namespace

std::uint64_t checksum_of(std::span<const std::uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

numerics::Result<ProgramValues> execute_programs(std::span<const isa::KernelLaunch> stream,
                                                 Distribution distribution, std::uint64_t seed,
                                                 const numerics::TensorArithmetic& core,
                                                 functional::MmaEngine* engine,
                                                 const functional::Poll& poll) {
  functional::GlobalMemory memory(stream);
  ProgramValues values;
  values.buffers = fill_memory(BufferUses(stream), distribution, seed, memory);
  const auto executed = functional::execute(stream, core, memory, engine, poll);
  if (!executed.has_value()) return executed.refusal();
  values.racing_bytes = executed.value().racing_bytes;
  for (const functional::Race& race : executed.value().races) {
    const isa::KernelLaunch& launch = stream[static_cast<std::size_t>(race.launch)];
    values.races.push_back("kernel " + launch.name + ": " + to_string(race, launch));
  }
  for (std::size_t i = 0; i < values.buffers.size(); ++i)
    if (values.buffers[i].is_written)
      note_end(std::as_const(memory).buffer(static_cast<int>(i)), values.buffers[i]);
  return values;
}

}  // namespace tcsim::values
