#include "sim/cli/examples.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sim/cli/command_tree.hpp"

namespace tcsim::cli {
namespace {

/// A group of commands has the example of its first command.
constexpr std::array<std::string_view, 41> kExamples{
    "tcsim run gemm:4096 -m a100",
    "tcsim peak a100",
    "tcsim machine list",
    "tcsim machine show a100",
    "tcsim machine new mine --from a100 --set clocks.sm_mhz=1200",
    "tcsim machine explain l2.bytes",
    "tcsim machine area a100",
    "tcsim machine schema",
    "tcsim machine diff a100 h100",
    "tcsim library list",
    "tcsim library show cublas-ampere",
    "tcsim library explain gemm:4096 -m a100",
    "tcsim library parse ampere_fp16_s16816gemm_fp16_256x64_ldg8_f2f_stages_64x3_tn",
    "tcsim library score tests/validation/kernels_h200.csv.gz",
    "tcsim check mine.yaml",
    "tcsim microbench a100",
    "tcsim trace emit gemm:64 -m a100 -o gemm.tct",
    "tcsim trace info gemm.tct",
    "tcsim trace run gemm.tct -m a100",
    "tcsim validate tests/validation/times_t4.csv",
    "tcsim import onnx model.onnx -o model.yaml",
    "tcsim sweep plan configs/studies/flops-vs-n.yaml",
    "tcsim sweep run configs/studies/flops-vs-n.yaml",
    "tcsim sweep work sweep-flops-vs-n --shard 3/8",
    "tcsim sweep status sweep-flops-vs-n --watch",
    "tcsim sweep submit configs/studies/flops-vs-n.yaml -o study --tasks 8",
    "tcsim sweep collect sweep-flops-vs-n",
    "tcsim plot run-0001 --kind roofline -o roofline.svg",
    "tcsim timeline run-0001 --cycles 9000:9064",
    "tcsim show run-0001 --section memory",
    "tcsim compare run-0001 run-0002",
    "tcsim metrics l2_hit_rate",
    "tcsim lab list",
    "tcsim lab start 2 --student ada",
    "tcsim lab check 02-flops-against-n",
    "tcsim lab grade 2 02-flops-against-n --student ada",
    "tcsim mma --arch ampere --dtype fp16 --a 3c00 --b 3c00 --explain",
    "tcsim rtl build a100",
    "tcsim verify rtl -m a100",
    "tcsim manual | man -l -",
    "tcsim completion bash",
};

}  // namespace

void add_examples(CLI::App& app) {
  const std::string path = path_of(app) + " ";
  const auto* const example = std::ranges::find_if(kExamples, [&](std::string_view line) {
    return (std::string(line) + " ").starts_with(path);
  });
  if (example != kExamples.end())
    app.footer(app.get_footer() + "\nExample: " + std::string(*example));
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    add_examples(*command);
}

}  // namespace tcsim::cli
