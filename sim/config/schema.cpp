#include "sim/config/schema.hpp"

#include <algorithm>
#include <array>

#include "models/isa/opcode.hpp"
#include "models/isa/shaped_mma.hpp"
#include "sim/config/schema_tables.hpp"
#include "sim/files/nearest.hpp"

namespace tcsim::config {
namespace {

std::vector<Key> all_keys() {
  std::vector<Key> all;
  for (const auto& part : {chip_keys(), numerics_keys(), sm_keys(), pipe_keys(), memory_keys(),
                           dram_keys(), launch_keys(), link_keys(), energy_keys()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = all_keys();
  return rows;
}

const std::vector<Section>& sections() {
  static const std::vector<Section> rows{
      {"descriptive", "What identifies the product; no result depends on it."},
      {"features", "Instruction-set features that kernels use."},
      {"numerics",
       "Arithmetic of the tensor cores, as changes to that of a generation; may be left out."},
      {"numerics.fp16", "Sums of FP16 products."},
      {"numerics.bf16", "Sums of BF16 products."},
      {"numerics.tf32", "Sums of TF32 products."},
      {"numerics.fp8", "Sums of FP8 products."},
      {"gpu", "How many SMs there are and how they are grouped."},
      {"clocks", "The clock domains."},
      {"sm", "One streaming multiprocessor."},
      {"sm.residency", "What one SM can hold at once."},
      {"sm.register_file", "The registers of one sub-core."},
      {"sm.instruction_fetch", "Instruction caches of sub-cores and SM, and their prefetch."},
      {"sm.constant_cache", "Caches for constant operands and LDC."},
      {"sm.memory_queue", "The queue of memory instructions of one sub-core."},
      {"sm.shared_memory", "The shared memory of one SM."},
      {"sm.l1", "The L1 data cache of one SM."},
      {"sm.pipes", "The CUDA-core pipes of one SM. Issue interval = 32 x sub_cores / lanes."},
      {"sm.tensor", "The tensor cores."},
      {"sm.tensor.products",
       "Products of a format that take the place of one FP16 product in a pass; 0: not supported."},
      {"sm.barrier", "CTA-wide barriers."},
      {"sm.group_tensor", "Products of warpgroups, which the tensor cores of an SM share (wgmma)."},
      {"sm.mbarrier", "Barriers in shared memory with phases (mbarrier)."},
      {"sm.tile_copy", "The unit that copies boxes of tensors (TMA)."},
      {"sm.cluster", "Clusters of CTAs and the network between the SMs of a GPC."},
      {"noc", "The network between SMs and L2 slices."},
      {"tlb", "Address translation: the TLBs of TPCs and chip."},
      {"l2", "The L2 cache."},
      {"dram", "The memory channels; times are rounded up to memory clocks."},
      {"launch", "Starting kernels and CTAs."},
      {"nvlink", "How GPUs are connected, for the model of tensor parallelism; may be left out."},
      {"energy", "Energy per event at the boost clock; no cycle depends on it."},
  };
  return rows;
}

const Key* find_key(std::string_view path) {
  const auto& rows = keys();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Key& key) { return key.path == path; });
  return found == rows.end() ? nullptr : &*found;
}

bool is_section(std::string_view path) {
  const auto& rows = sections();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Section& section) { return section.path == path; });
}

std::vector<std::string_view> children(std::string_view path) {
  std::vector<std::string_view> names;
  for (const Key& key : keys()) {
    std::string_view rest = key.path;
    if (!path.empty()) {
      if (!rest.starts_with(path) || rest.size() <= path.size() || rest[path.size()] != '.')
        continue;
      rest.remove_prefix(path.size() + 1);
    }
    const std::string_view name = rest.substr(0, rest.find('.'));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

std::string_view kind_name(const Key& key) {
  static constexpr std::array<std::string_view, std::variant_size_v<Slot>> kNames{
      "integer",
      "integer",
      "number",
      "text",
      "list of integers",
      "list of integers",
      "list of texts",
      "mapping of instructions",
      "integer or derived",
      "shape"};
  return kNames[key.slot.index()];
}

std::vector<std::string_view> allowed_words(const Key& key) {
  std::vector<std::string_view> words;
  std::string_view rest = key.words;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    words.push_back(rest.substr(0, bar));
    rest = bar == std::string_view::npos ? std::string_view{} : rest.substr(bar + 1);
  }
  return words;
}

std::vector<std::string_view> mma_mnemonics() {
  std::vector<std::string_view> names;
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<isa::Opcode>(i);
    if (isa::is_mma(opcode)) names.push_back(isa::opcode_info(opcode).mnemonic);
  }
  return names;
}

std::string unknown_mma(const std::string& mnemonic) {
  const std::string reason = isa::why_no_shaped_mma(mnemonic);
  if (!reason.empty()) return "no such MMA: " + reason;
  if (const auto opcode = isa::parse_opcode(mnemonic); opcode && isa::is_group_mma(*opcode))
    return "a product of a warpgroup, timed by the rate of its type and the keys of "
           "sm.group_tensor";
  return "unknown MMA instruction" + files::did_you_mean(mnemonic, mma_mnemonics());
}

}  // namespace tcsim::config
