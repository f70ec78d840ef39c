#include "sim/config/load.hpp"
#include "sim/config/machine_reader.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/library/library_reader.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::fuzz {
namespace {

std::optional<config::ShippedValue> no_preset(std::string_view /*key*/,
                                              const std::string& /*architecture*/) {
  return std::nullopt;
}

std::string machine_text(const char* name) {
  return test::text_of(files::data_folder("configs") / name);
}

/// What was accepted has a text that its hash is made of.
bool run_machine(Bytes bytes) {
  return accepts([&] {
    const config::MachineFile machine =
        config::read_machine_text("input", std::string(text_of(bytes)), {}, no_preset);
    require(!config::canonical_text(machine).empty(), "machine: no settings");
  });
}

std::vector<std::string> machine_seeds() {
  return {machine_text("lab-tiny.yaml"), machine_text("h100.yaml")};
}

bool run_numerics(Bytes bytes) {
  return accepts([&] {
    const config::NumericsFile read =
        config::read_numerics_text("input", std::string(text_of(bytes)));
    require(!read.numerics.base.empty(), "numerics: no base");
  });
}

std::vector<std::string> numerics_seeds() {
  return {"numerics: {base: volta, fp16: {products: 8, grid_fraction_bits: 20}}\n",
          "architecture: ampere\nnumerics:\n  bf16: {accumulator_fraction_bits: 14}\n"
          "  fp32_rounding: nearest_even\n  subnormals: flushed\n  block_order: descending\n"};
}

/// Words of --set, one a line.
bool run_set_words(Bytes bytes) {
  static const std::string machine = machine_text("lab-tiny.yaml");
  std::vector<std::string> words;
  std::string_view text = text_of(bytes);
  while (!text.empty()) {
    words.emplace_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(words.back().size() + 1, text.size()));
  }
  return accepts([&] { (void)config::read_machine_text("tiny", machine, words, no_preset); });
}

std::vector<std::string> set_words_seeds() {
  return {"l2.bytes=256 KiB", "clocks.sm_mhz=1000\nsm.sub_cores=2", "gpu.sms_per_gpc=[1]",
          "sm.dependences=control_bits\nl2.ways=8", "name=other"};
}

/// What was accepted has an identity and tiles of its own kernels alone.
bool run_library(Bytes bytes) {
  return accepts([&] {
    const auto library = library::read_library_text("input", std::string(text_of(bytes)));
    require(!library->identity.empty(), "library: no identity");
    for (const kernels::AttentionFamily& family : library->attention)
      for (const kernels::AttentionTile& row : family.tiles)
        require(row.tile.rows % (16 * row.tile.warps) == 0, "library: warps without whole rows");
  });
}

std::vector<std::string> library_seeds() {
  return {machine_text("libraries/cublas-ampere.yaml"),
          machine_text("libraries/flash-attention-3-ampere.yaml")};
}

}  // namespace

const Target machine_target{"machine", run_machine, machine_seeds, Form::kText};
const Target set_words_target{"set_words", run_set_words, set_words_seeds, Form::kText};
const Target numerics_target{"numerics", run_numerics, numerics_seeds, Form::kText};
const Target library_target{"library", run_library, library_seeds, Form::kText};

}  // namespace tcsim::fuzz
