#include "workloads/traceg/trace_writer.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>

#include "models/isa/group_mma.hpp"
#include "models/isa/operands.hpp"
#include "sim/errors/errors.hpp"
#include "workloads/traceg/spooled_recording.hpp"
#include "workloads/traceg/warp_walk.hpp"

namespace tcsim::traceg {
namespace {

constexpr int kMaskDigits = 8;
constexpr int kPcDigits = 4;

void add_decimal(std::string& text, std::int64_t value) { text += std::to_string(value); }

void add_hex(std::string& text, std::uint64_t value, int digits = 1) {
  std::array<char, 16> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, 16).ptr;
  const auto size = static_cast<int>(end - buffer.data());
  if (size < digits) text.append(static_cast<std::size_t>(digits - size), '0');
  text.append(buffer.data(), end);
}

/// The addresses of the lanes that take part, in order.
std::vector<std::int64_t> gathered(const WarpWalk& walk) {
  std::vector<std::int64_t> addresses;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if ((walk.lanes() >> lane & 1) != 0) addresses.push_back(walk.addresses()[lane]);
  return addresses;
}

/// The stride that mode 1 can express: adjacent lanes with one stride.
std::optional<std::int64_t> stride_of(const std::vector<std::int64_t>& addresses,
                                      std::uint32_t lanes) {
  const auto size = static_cast<int>(addresses.size());
  const bool is_contiguous = std::countr_one(lanes >> std::countr_zero(lanes)) == size;
  if (!is_contiguous) return std::nullopt;
  const std::int64_t stride = size > 1 ? addresses[1] - addresses[0] : 0;
  for (std::size_t i = 1; i < addresses.size(); ++i)
    if (addresses[i] - addresses[i - 1] != stride) return std::nullopt;
  return stride;
}

void add_addresses(std::string& text, const WarpWalk& walk, AddressMode mode) {
  if (walk.lanes() == 0) {
    text += " 0";
    return;
  }
  const std::vector<std::int64_t> addresses = gathered(walk);
  const auto add_address = [&text](std::int64_t address) {
    text += " 0x";
    add_hex(text, static_cast<std::uint64_t>(address));
  };
  const bool may_stride = mode == AddressMode::kStride || mode == AddressMode::kShortest;
  if (const auto stride = stride_of(addresses, walk.lanes()); stride && may_stride) {
    text += " 1";
    add_address(addresses.front());
    text += ' ';
    add_decimal(text, *stride);
  } else if (mode == AddressMode::kDifferences || mode == AddressMode::kShortest) {
    text += " 2";
    add_address(addresses.front());
    for (std::size_t i = 1; i < addresses.size(); ++i) {
      text += ' ';
      add_decimal(text, addresses[i] - addresses[i - 1]);
    }
  } else {
    text += " 0";
    for (const std::int64_t address : addresses) add_address(address);
  }
}

/// Bytes for each address of a copy of TMA: all pieces are whole multiples of that.
int piece_width(const isa::RecordedBox& box) {
  constexpr std::int64_t kLine = 128;
  std::int64_t width = kLine;
  for (const isa::RecordedBox::Piece& piece : box.pieces) width = std::gcd(width, piece.bytes);
  return static_cast<int>(width);
}

/// Adds the text of a copy of TMA from its width on.
void add_box(std::string& text, const ExecutedBox& executed, bool to_many) {
  const int width = piece_width(executed.box);
  const auto add = [&text](std::string_view front, std::uint64_t value) {
    text += front;
    add_hex(text, value);
  };
  text += ' ';
  add_decimal(text, width);
  add(" 0x", static_cast<std::uint64_t>(executed.barrier));
  text += to_many ? " 1" : " 0";
  if (to_many) add(" 0x", static_cast<std::uint64_t>(executed.ranks));
  std::int64_t inside = 0;
  for (const isa::RecordedBox::Piece& piece : executed.box.pieces) inside += piece.bytes;
  text += ' ';
  add_decimal(text, executed.box.bytes);
  text += ' ';
  add_decimal(text, executed.box.bytes - inside);
  add(" 4 0x", static_cast<std::uint64_t>(executed.address));
  text += ' ';
  add_decimal(text, inside / width);
  std::int64_t last = 0;
  for (const isa::RecordedBox::Piece& piece : executed.box.pieces) {
    for (std::int64_t at = piece.offset; at < piece.offset + piece.bytes; at += width) {
      if (at == 0) continue;
      text += ' ';
      add_decimal(text, at - last);
      last = at;
    }
  }
}

/// The word that initialises an mbarrier, as InstructionReader decodes it.
std::uint64_t mbarrier_word(std::int64_t arrivals) {
  constexpr std::int64_t kCounts = std::int64_t{1} << 20;
  const auto left = static_cast<std::uint64_t>(kCounts - arrivals) & (kCounts - 1);
  return left << 1 | left << 43;
}

void add_register(std::string& text, int number) {
  text += " R";
  add_decimal(text, number);
}

/// True for operations on mbarriers.
bool is_on_mbarrier(const isa::Instruction& instruction) {
  return CodeLine{0, instruction, {}}.is_on_mbarrier();
}

/// The mnemonic in SASS form.
std::string_view mnemonic_of(const isa::Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  if (info.effect == isa::Effect::kSkipLoop) return "BRA";
  std::string_view name = info.mnemonic;
  // In SASS the operands determine where A comes from.
  if (info.effect == isa::Effect::kGroupMma && name.ends_with(".RS")) name.remove_suffix(3);
  return name;
}

/// The text from the number of destinations to the width; without the width for copies of TMA,
/// which have several.
std::string operands_text(const isa::Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  std::string text;
  const bool writes = info.dst_registers > 0 && instruction.dst != isa::kZeroRegister;
  text += writes ? " 1" : " 0";
  if (writes) add_register(text, instruction.dst);
  text += ' ';
  text += mnemonic_of(instruction);
  if (is_on_mbarrier(instruction)) return text + " 2 UR0 UR0 " + std::to_string(isa::kBarrierBytes);
  std::vector<int> sources;
  for (std::size_t i = 0; i < info.src_registers.size(); ++i)
    if (info.src_registers[i] > 0) sources.push_back(instruction.src[i]);
  const bool is_replaced = instruction.has_immediate || instruction.has_constant;
  if (is_replaced && info.effect == isa::Effect::kNone && !sources.empty()) sources.pop_back();
  // SASS has the shared address of a copy first.
  if (info.effect == isa::Effect::kCopyGlobalToShared) std::swap(sources[0], sources[1]);
  text += ' ';
  add_decimal(text, static_cast<std::int64_t>(sources.size()));
  for (const int source : sources) add_register(text, source);
  if (info.effect == isa::Effect::kGroupMma)
    text += (instruction.immediate & isa::kClosesGroup) != 0 ? " 1" : " 0";
  if (isa::copies_tile(info.effect)) return text;
  text += ' ';
  add_decimal(text, isa::is_memory(instruction.opcode) ? info.bytes_per_lane : 0);
  return text;
}

/// True if the trace needs values: mbarriers do, barriers of some warps need a second immediate,
/// clusters a tracer that supports them.
bool needs_values(const isa::KernelLaunch& launch) {
  const auto needs = [](const isa::Instruction& instruction) {
    const isa::Effect effect = isa::opcode_info(instruction.opcode).effect;
    return isa::is_asynchronous(effect) || effect == isa::Effect::kBarrierArrive ||
           (effect == isa::Effect::kBarrier && isa::named_barrier(instruction.immediate).warps > 0);
  };
  return launch.cluster_size() > 1 ||
         std::ranges::any_of(launch.programs, [&](const isa::WarpProgram& program) {
           return std::ranges::any_of(program.instructions, needs);
         });
}

class Writer {
 public:
  Writer(const isa::KernelLaunch& launch, const WriteOptions& options, ByteSink& sink)
      : launch_(launch), has_values_(needs_values(launch)), options_(options), sink_(sink) {
    int first = 0;
    for (const isa::WarpProgram& program : launch.programs) {
      first_code_.push_back(first);
      for (const isa::Instruction& instruction : program.instructions)
        operands_.push_back(operands_text(instruction));
      first += static_cast<int>(program.instructions.size());
    }
  }

  void run() {
    write_header();
    const auto& grid = launch_.grid;
    for (std::int64_t z = 0; z < grid[2]; ++z)
      for (std::int64_t y = 0; y < grid[1]; ++y)
        for (std::int64_t x = 0; x < grid[0]; ++x) write_cta({x, y, z});
    sink_.finish();
  }

 private:
  void write_header() {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    std::string name = launch_.name;
    for (char& c : name)
      if (c == '\n' || c == '\r') c = ' ';
    const auto& grid = launch_.grid;
    sink_.write("-kernel name = " + name + "\n-kernel id = " + number(options_.kernel_id) +
                "\n-grid dim = (" + number(grid[0]) + "," + number(grid[1]) + "," +
                number(grid[2]) + ")\n-block dim = (" +
                number(std::int64_t{32} * launch_.warps_per_cta) +
                ",1,1)\n-shmem = " + number(launch_.shared_bytes_per_cta) +
                "\n-nregs = " + number(launch_.registers_per_thread) +
                "\n-binary version = " + number(options_.sm_version) +
                "\n-cuda stream id = 0\n-shmem base_addr = 0x1fffffe000000"  // beyond all buffers
                "\n-local mem base_addr = 0x1ffffff000000"
                "\n-nvbit version = none, written by tcsim\n-accelsim tracer version = " +
                number(has_values_ ? kWithValues : kWithoutValues) +
                "\n-enable lineinfo = 0\n\n#fields: PC mask destinations [registers] operation "
                "sources [registers] width [mode addresses] immediate" +
                (has_values_ ? " immediate [values]\n" : "\n"));
  }

  void write_cta(const std::array<std::int64_t, 3>& cta) {
    sink_.write("\n#BEGIN_TB\n\nthread block = " + std::to_string(cta[0]) + "," +
                std::to_string(cta[1]) + "," + std::to_string(cta[2]) + "\n");
    if (launch_.cluster_size() > 1) write_cluster(cta);
    for (int warp = 0; warp < launch_.warps_per_cta; ++warp) write_warp(cta, warp);
    sink_.write("\n#END_TB\n");
  }

  void write_cluster(const std::array<std::int64_t, 3>& cta) {
    const auto triple = [](const std::array<std::int64_t, 3>& of) {
      return std::to_string(of[0]) + "," + std::to_string(of[1]) + "," + std::to_string(of[2]);
    };
    std::array<std::int64_t, 3> cluster{};
    std::array<std::int64_t, 3> place{};
    for (std::size_t i = 0; i < cta.size(); ++i) {
      cluster[i] = cta[i] / launch_.cluster[i];
      place[i] = cta[i] % launch_.cluster[i];
    }
    const std::int64_t rank =
        place[0] + launch_.cluster[0] * (place[1] + launch_.cluster[1] * place[2]);
    sink_.write("cluster id = " + triple(cluster) + "\ncluster cta = " + triple(place) +
                "\ncluster rank = " + std::to_string(rank) + "\n");
  }

  void write_warp(const std::array<std::int64_t, 3>& cta, int warp) {
    const int first = first_code_[static_cast<std::size_t>(
        launch_.program_of_warp[static_cast<std::size_t>(warp)])];
    text_.clear();
    std::int64_t count = 0;
    for (WarpWalk walk(launch_, cta, warp); walk.next(); ++count)
      add_instruction(walk, first + walk.position());
    sink_.write("\nwarp = " + std::to_string(warp) + "\ninsts = " + std::to_string(count) + "\n");
    sink_.write(text_);
  }

  void add_instruction(const WarpWalk& walk, int code) {
    const isa::Instruction& instruction = walk.instruction();
    add_hex(text_, static_cast<std::uint64_t>(code) * isa::kInstructionBytes, kPcDigits);
    text_ += ' ';
    add_hex(text_, walk.lanes(), kMaskDigits);
    text_ += operands_[static_cast<std::size_t>(code)];
    const isa::Effect effect = isa::opcode_info(instruction.opcode).effect;
    const bool on_mbarrier = is_on_mbarrier(instruction);
    if (isa::is_memory(effect) || on_mbarrier) add_addresses(text_, walk, options_.mode);
    if (isa::copies_tile(effect))
      add_box(text_, walk.box(), effect == isa::Effect::kLoadTileToMany);
    const bool counts = effect == isa::Effect::kWaitCopyGroups ||
                        effect == isa::Effect::kWaitGroupMmas ||
                        effect == isa::Effect::kSetRegisters;
    const bool is_barrier = isa::is_named_barrier(effect);
    const isa::NamedBarrier named = isa::named_barrier(is_barrier ? instruction.immediate : 0);
    const int number = has_values_ ? named.number : 0;
    text_ += ' ';
    add_decimal(text_, counts ? instruction.immediate : number);
    if (has_values_) add_values(walk, on_mbarrier, named.warps * isa::kLanes);
    text_ += '\n';
  }

  /// The second immediate, and the address and value of an mbarrier's operation.
  void add_values(const WarpWalk& walk, bool on_mbarrier, int second_immediate) {
    text_ += ' ';
    add_decimal(text_, second_immediate);
    text_ += on_mbarrier && walk.lanes() != 0 ? " Val 1 0x" : " NoVal";
    if (!on_mbarrier || walk.lanes() == 0) return;
    const auto lane = static_cast<std::size_t>(std::countr_zero(walk.lanes()));
    add_hex(text_, static_cast<std::uint64_t>(walk.addresses()[lane]));
    text_ += " 1 0x";
    const bool starts =
        isa::opcode_info(walk.instruction().opcode).effect == isa::Effect::kInitBarrier;
    add_hex(text_, starts ? mbarrier_word(walk.value()) : static_cast<std::uint64_t>(walk.value()));
  }

  static constexpr int kWithoutValues = 5;  ///< versions of the tracer
  static constexpr int kWithValues = 6;

  const isa::KernelLaunch& launch_;
  const bool has_values_;
  const WriteOptions& options_;
  ByteSink& sink_;
  std::vector<int> first_code_;        ///< by program: number of its first instruction
  std::vector<std::string> operands_;  ///< by number of the instruction
  std::string text_;                   ///< of one warp
};

}  // namespace

void write_recording(const isa::KernelLaunch& launch, const WriteOptions& options, ByteSink& sink) {
  Writer(launch, options, sink).run();
}

void save_recording(const isa::KernelLaunch& launch, const WriteOptions& options,
                    const std::string& path) {
  const std::unique_ptr<ByteSink> sink = create_file(path);
  write_recording(launch, options, *sink);
}

void save_stream(const std::vector<isa::KernelLaunch>& launches, int sm_version,
                 const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(folder + ": " + "cannot create: " + error.message());
  const std::filesystem::path home(folder);
  std::string list;
  int id = 0;
  for (const isa::KernelLaunch& launch : launches) {
    ++id;
    for (const isa::Buffer& buffer : launch.buffers) {
      if (id > 1 || !buffer.input) continue;
      list += "MemcpyHtoD,0x";
      add_hex(list, buffer.base_address);
      list += "," + std::to_string(buffer.bytes) + "\n";
    }
    const std::string name = "kernel-" + std::to_string(id) + ".traceg";
    save_recording(launch, {sm_version, id}, (home / name).string());
    list += name + "\n";
  }
  const std::unique_ptr<ByteSink> sink = create_file((home / "kernelslist.g").string());
  sink->write(list);
  sink->finish();
}

}  // namespace tcsim::traceg
