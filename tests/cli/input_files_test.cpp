#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/errors/errors.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/sanitizers.hpp"

namespace tcsim::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

void write(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// Every command that reads a file, with FILE in its place.
const std::vector<Words>& commands() {
  static const std::vector<Words> all{
      {"check", "FILE"},
      {"run", "gemm:16", "-m", "FILE", "--no-files"},
      {"run", "csv:FILE", "-m", "lab-tiny", "--no-files"},
      {"run", "trace:FILE", "-m", "lab-tiny", "--no-files"},
      {"run", "net:FILE", "-m", "lab-tiny", "--no-files"},
      {"trace", "info", "FILE"},
      {"import", "onnx", "FILE", "-o", "out.yaml"},
      {"import", "csv", "FILE", "-o", "out.yaml"},
      {"import", "scalesim", "FILE", "-o", "out.yaml"},
      {"validate", "FILE", "--no-files"},
      {"microbench", "lab-tiny", "--table", "FILE"},
      {"sweep", "plan", "FILE"},
      {"plot", "FILE", "--kind", "flops-vs-n"},
      {"mma", "check", "--arch", "ampere", "--dtype", "fp16", "FILE"},
      {"mma", "tile", "FILE"},
  };
  return all;
}

Words on(Words words, const std::string& file) {
  for (std::string& word : words)
    if (const std::size_t at = word.find("FILE"); at != std::string::npos)
      word.replace(at, 4, file);
  return words;
}

/// The outcome of `words` with 512 MiB of address space for its data at most.
ChildResult bounded(const Words& words) {
  std::string line = "exec \"$0\" \"$@\"";
  if (!kHasAddressSanitizer) line = "ulimit -d 524288; " + line;
  Words all{"/bin/sh", "-c", line, program()};
  all.insert(all.end(), words.begin(), words.end());
  return command(all);
}

class HostileFile : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileFile, EndsEveryCommandWithAMessageAndLittleMemory) {
  const TemporaryHome home;
  const std::string kind = GetParam();
  std::string file = "hostile.yaml";
  if (kind == "device") file = "/dev/zero";
  if (kind == "sparse") {
    write(file, "x");
    std::filesystem::resize_file(file, std::uintmax_t{3} << 30);
  }
  if (kind == "token") write(file, std::string(50'000'000, 'x'));
  if (kind == "folder") std::filesystem::create_directory(file);
  for (const Words& words : commands()) {
    const ChildResult result = bounded(on(words, file));
    EXPECT_TRUE(result.status == kUserMistake || result.status == kFileTrouble)
        << words[0] << " " << words[1] << ": " << result.status << result.errors.substr(0, 500);
    EXPECT_EQ(result.signal, 0) << words[0] << " " << words[1];
    EXPECT_LT(result.errors.size(), 5000U) << words[0] << " " << words[1];
    EXPECT_NE(result.errors, "") << words[0] << " " << words[1];
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HostileFile,
                         ::testing::Values("device", "sparse", "token", "folder"));

TEST(InputFiles, ALatin1TextIsRefusedAtTheDoor) {
  const TemporaryHome home;
  write("m.yaml", "name: m\ndescription: caf\xe9\n");
  for (const Words& words : commands()) {
    if (words[0] == "import" && words[1] == "onnx") continue;
    const ChildResult result = tcsim(on(words, "m.yaml"));
    EXPECT_EQ(result.status, kUserMistake) << words[0] << " " << words[1] << result.errors;
    if (words[0] == "mma") continue;  // read a line at a time, the first one is a mistake
    EXPECT_THAT(result.errors, HasSubstr("m.yaml:2:17: byte 0xe9 is not UTF-8"))
        << words[0] << " " << words[1];
  }
}

TEST(InputFiles, NamesOfFilesMayBeAnyBytesAndTheRunIsSaved) {
  const TemporaryHome home;
  const std::string name = "caf\xe9";
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:64", "-m", "lab-tiny", "-o", name + ".tct"}).status,
            kDone);
  const ChildResult run =
      tcsim({"run", "trace:" + name + ".tct", "-m", "lab-tiny", "-o", name + "-run", "-q"});
  EXPECT_EQ(run.status, kDone) << run.errors;
  const auto manifest = nlohmann::json::parse(text_of(name + "-run/manifest.json"));
  EXPECT_EQ(manifest["complete"], true);
  EXPECT_EQ(manifest["arguments"][2], "trace:caf\\xe9.tct");
  EXPECT_EQ(manifest["arguments_escaped"], true);
  const auto stats = nlohmann::json::parse(text_of(name + "-run/stats.json"));
  EXPECT_GT(stats["cycles"], 0);
  EXPECT_EQ(tcsim({"show", name + "-run"}).status, kDone);
  EXPECT_EQ(tcsim({"show", name + "-run", "-f", "json"}).status, kDone);
  const ChildResult timeline = tcsim({"timeline", name + "-run", "--cycles", "0:100"});
  EXPECT_EQ(timeline.status, kDone) << timeline.errors;
  const ChildResult json =
      tcsim({"run", "trace:" + name + ".tct", "-m", "lab-tiny", "--no-files", "-f", "json"});
  EXPECT_EQ(json.status, kDone);
  EXPECT_EQ(nlohmann::json::parse(json.output)["cycles"], stats["cycles"]);
}

TEST(InputFiles, ControlBitsOfAProgramAreAllThereOrNone) {
  const TemporaryHome home;
  const auto run = [](const std::string& first, const std::string& second) {
    std::ofstream("k.tct") << "tct 1\nkernel k\ngrid 1 1 1\nwarps 1\nregisters 32\nshared 0\n"
                              "program main warps 0\n  MOV R2, 5"
                           << first << "\n  MOV R3, 5" << second << "\n  EXIT\n";
    return tcsim({"run", "trace:k.tct", "-m", "lab-tiny", "--no-files", "-q"});
  };
  EXPECT_EQ(run("", "").status, kDone);
  EXPECT_EQ(run(" {stall=4}", " {stall=4}").status, kDone);  // EXIT needs none
  const ChildResult half = run(" {stall=4}", "");
  EXPECT_EQ(half.status, kUserMistake);
  EXPECT_THAT(half.errors,
              StartsWith("k.tct:9:1: stall: missing, but other instructions of program main"));
  EXPECT_EQ(tcsim({"trace", "info", "k.tct"}).errors, half.errors);
}

TEST(InputFiles, AStreamIsReadAsOne) {
  const TemporaryHome home;
  const std::string a100 = TC_SOURCE_DIR "/configs/a100.yaml";
  const ChildResult pipe =
      command({"/bin/sh", "-c", "cat \"$1\" | \"$0\" check /dev/stdin", program(), a100});
  EXPECT_EQ(pipe.status, kDone) << pipe.errors;
  EXPECT_THAT(pipe.output, HasSubstr("no mistakes"));
}

TEST(InputFiles, ALongWordIsRepeatedInPart) {
  const TemporaryHome home;
  const std::string word(100'000, 'x');
  for (const Words& words :
       {Words{"run", "gemm:" + word, "-m", "lab-tiny"}, Words{"run", word, "-m", "lab-tiny"},
        Words{"run", "gemm:16", "-m", word},
        Words{"run", "gemm:16", "-m", "lab-tiny", "--set", word}, Words{"peak", word}, Words{word},
        Words{"run", "--" + word}}) {
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, kUserMistake) << words[0].substr(0, 10);
    EXPECT_LT(result.errors.size(), 6000U) << words[0].substr(0, 10);
  }
}

TEST(ImportCommand, RefusesTwoSizesOfADimension) {
  const TemporaryHome home;
  const ChildResult result =
      tcsim({"import", "onnx", "m.onnx", "-o", "n.yaml", "--dim", "N=3", "--dim", "N=5"});
  EXPECT_EQ(result.status, kUserMistake);
  EXPECT_THAT(result.errors, HasSubstr("tcsim import: --dim: 'N' is 3 and 5"));
}

}  // namespace
}  // namespace tcsim::cli
