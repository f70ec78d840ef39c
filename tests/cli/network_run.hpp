#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {

/// `tcsim run` of networks on lab-tiny, in a home directory that holds one as `repeated.yaml`.
class NetworkRun : public ::testing::Test {
 protected:
  using Json = nlohmann::ordered_json;

  /// Equal steps on tensors that stay in the L2, so that each finds what the one before left.
  static constexpr const char* kRepeated =
      "name: repeated\n"
      "input: {tokens: 64, c: 512}\n"
      "blocks:\n"
      "  b: {layers: [{name: r, op: relu}]}\n"
      "layers:\n"
      "  - {name: x, block: b, repeat: 8}\n";
  /// One product.
  static constexpr const char* kLinear =
      "name: linear\ninput: {tokens: 64, c: 64}\nlayers:\n  - {name: a, op: linear, out: 64}\n";

  NetworkRun() { std::ofstream("repeated.yaml") << kRepeated; }

  static Json run(std::vector<std::string> more) {
    std::vector<std::string> words{"run",  "net:repeated.yaml", "-m", "lab-tiny", "-f",
                                   "json", "--no-files",        "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output);
  }

  /// A language model of one layer.
  static void write_writer() {
    std::ofstream("writer.yaml") << "name: writer\ninput: {tokens: 16}\nlayers:\n"
                                    "  - {name: words, op: embedding, vocabulary: 128, out: 64}\n"
                                    "  - {name: qkv, op: linear, out: 192}\n"
                                    "  - {name: attention, op: attention, heads: 2, causal: true}\n"
                                    "  - {name: logits, op: linear, out: 128}\n";
  }

  TemporaryHome home_;
};

}  // namespace tcsim::cli
