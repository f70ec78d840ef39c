#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "tests/cli/mistake.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class WrongCommandLine : public ::testing::TestWithParam<Mistake> {};

TEST_P(WrongCommandLine, GetsOneMessageAndItsStatus) {
  const TemporaryHome home;
  const ChildResult result = tcsim(GetParam().arguments);
  EXPECT_EQ(result.errors, GetParam().message + "\n");
  EXPECT_EQ(result.status, GetParam().status);
  EXPECT_EQ(result.output, "");
  EXPECT_TRUE(std::filesystem::is_empty(".")) << "a wrong command writes no files";
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, WrongCommandLine,
    ::testing::Values(
        Mistake{"UnknownCommand",
                {"rum", "gemm:64"},
                2,
                "tcsim: unknown command 'rum'; did you mean \"run\"?"},
        Mistake{"UnknownOption",
                {"run", "--machin", "v100", "gemm:64"},
                2,
                "tcsim run: unknown option '--machin'; did you mean \"--machine\"?"},
        Mistake{"UnknownOptionWithValue",
                {"run", "gemm:64", "-m", "v100", "--quantumm=4"},
                2,
                "tcsim run: unknown option '--quantumm'; did you mean \"--quantum\"?"},
        Mistake{"OptionPrefix",
                {"run", "gemm:64", "-m", "v100", "--max", "4"},
                2,
                "tcsim run: unknown option '--max'; see 'tcsim run --help'"},
        Mistake{"NothingButDashes",
                {"run", "gemm:64", "-m", "v100", "---"},
                2,
                "tcsim run: unknown option '---'; see 'tcsim run --help'"},
        Mistake{"SecondWorkload",
                {"run", "gemm:64", "gemm:128", "-m", "v100"},
                2,
                "tcsim run: unexpected argument 'gemm:128'"},
        Mistake{"WordBehindTheMark",
                {"run", "-m", "v100", "--", "gemm:64", "x"},
                2,
                "tcsim run: unexpected argument 'x'"},
        Mistake{"OptionGivenTwice",
                {"run", "gemm:64", "-m", "v100", "-j", "1", "-j", "2"},
                2,
                "tcsim: --jobs: given twice"},
        Mistake{"SecondName",
                {"library", "parse", "ampere_sgemm_128x64_tn", "tn"},
                2,
                "tcsim library parse: unexpected argument 'tn'"},
        Mistake{"NoWorkload",
                {"run", "-m", "v100"},
                2,
                "tcsim run: which workload? For example, tcsim run gemm:4096 -m a100"},
        Mistake{"NoMachine",
                {"run", "gemm:64"},
                2,
                "tcsim run: which machine? Add -m NAME or -m FILE; tcsim machine list shows the "
                "presets"},
        Mistake{"QuantumIsNoNumber",
                {"run", "gemm:64", "-m", "v100", "--quantum", "fast"},
                2,
                "tcsim run: --quantum: 'fast' is not a whole number from 1 to 9223372036854775807"},
        Mistake{"QuantumIsZero",
                {"run", "gemm:64", "-m", "v100", "--quantum", "0"},
                2,
                "tcsim run: --quantum: '0' is not a whole number from 1 to 9223372036854775807"},
        Mistake{
            "MaxCyclesIsNegative",
            {"run", "gemm:64", "-m", "v100", "--max-cycles=-5"},
            2,
            "tcsim run: --max-cycles: '-5' is not a whole number from 1 to 9223372036854775807"},
        Mistake{"MaxCyclesIsTooLarge",
                {"run", "gemm:64", "-m", "v100", "--max-cycles", "99999999999999999999"},
                2,
                "tcsim run: --max-cycles: '99999999999999999999' is not a whole number from 1 to "
                "9223372036854775807"},
        Mistake{"TimeoutIsNoNumber",
                {"run", "gemm:64", "-m", "v100", "--timeout", "1min"},
                2,
                "tcsim run: --timeout: '1min' is not a number of seconds from 1e-6 to 1e9"},
        Mistake{"UnknownFormat",
                {"run", "gemm:64", "-m", "v100", "-f", "xml"},
                2,
                "--format: 'xml' is not one of text, json, csv, md"},
        Mistake{"UnknownUnit",
                {"run", "gemm:64", "-m", "v100", "--unit", "tesnor"},
                2,
                "tcsim run: --unit: 'tesnor' is not one of tensor, cuda-core; did you mean "
                "\"tensor\"?"},
        Mistake{"UnknownFidelity",
                {"run", "gemm:64", "-m", "v100", "--fidelity", "smapled:3%"},
                2,
                "tcsim run: --fidelity: 'smapled:3%' is not one of cycle, sampled, sampled:2%, "
                "auto, auto:2%; did you mean \"sampled\"?"},
        Mistake{"OutOfNoName",
                {"run", "gemm:64", "-m", "v100", "-o", ""},
                2,
                "tcsim run: -o: the name is empty"},
        Mistake{"OutOfNoNameBelow",
                {"trace", "emit", "gemm:64", "-m", "v100", "--out", ""},
                2,
                "tcsim trace emit: -o: the name is empty"},
        Mistake{"OutThatIsTooLong",
                {"run", "gemm:64", "-m", "lab-tiny", "-q", "-o", std::string(300, 'x')},
                5,
                std::string(300, 'x') + ": File name too long"},
        Mistake{"TooManyJobs",
                {"run", "gemm:64", "-m", "v100", "-j", "2000000"},
                2,
                "tcsim run: --jobs: '2000000' is not a whole number from 1 to 1000000"},
        Mistake{"FilesAndNoFiles",
                {"run", "gemm:64", "-m", "v100", "-o", "out", "--no-files"},
                2,
                "tcsim run: --no-files and -o contradict each other"},
        Mistake{"QuietAndVerbose",
                {"run", "gemm:64", "-m", "v100", "-q", "-v"},
                2,
                "tcsim run: -q and -v contradict each other"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CommandLine, WithoutACommandNamesThem) {
  const ChildResult result = tcsim({});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, StartsWith("tcsim: which command? (run"));
}

TEST(CommandLine, AWordOfACommandIsNotTakenForAnotherCommand) {
  const TemporaryHome home;
  const ChildResult result =
      tcsim({"mma", "check", "--arch", "volta", "--dtype", "fp16", "missing.csv"});
  EXPECT_THAT(result.errors, StartsWith("missing.csv: cannot read"));
  EXPECT_EQ(result.status, 5);
}

TEST(CommandLine, ALinkThatLeadsNowhereIsNoPlaceForFiles) {
  const TemporaryHome home;
  std::filesystem::create_symlink("loop", "loop");
  std::filesystem::create_symlink("gone", "dangling");
  const auto errors_of = [](const char* out) {
    const ChildResult result = tcsim({"run", "gemm:64", "-m", "lab-tiny", "-q", "-o", out});
    EXPECT_EQ(result.status, 5) << out;
    return result.errors;
  };
  EXPECT_EQ(errors_of("loop"), "loop: Too many levels of symbolic links\n");
  EXPECT_EQ(errors_of("dangling"), "dangling: is a link to nothing\n");
}

TEST(CommandLine, AnOptionWithoutItsValueIsAMistake) {
  const ChildResult result = tcsim({"run", "gemm:64", "-m"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("--machine"));
}

TEST(CommandLine, VersionNamesNumberAndRevision) {
  const ChildResult result = tcsim({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output,
              ::testing::MatchesRegex("tcsim [0-9]+\\.[0-9]+\\.[0-9]+ \\([0-9a-f]+(-dirty)?\\)\n|"
                                      "tcsim [0-9]+\\.[0-9]+\\.[0-9]+ \\(unknown\\)\n"));
}

TEST(CommandLine, HelpListsCommandsAndStatuses) {
  const ChildResult result = tcsim({"--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("run"));
  EXPECT_THAT(result.output, HasSubstr("130 interrupted"));
}

TEST(CommandLine, HelpAsACommandIsThatOfTheOption) {
  EXPECT_EQ(tcsim({"help"}).output, tcsim({"--help"}).output);
  EXPECT_EQ(tcsim({"help", "lab"}).output, tcsim({"lab", "--help"}).output);
  EXPECT_EQ(tcsim({"help", "lab", "start"}).output, tcsim({"lab", "start", "--help"}).output);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"help", "rnu"}, {"rnu", "--help"}}) {
    const ChildResult unknown = tcsim(words);
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("did you mean \"run\"?"));
  }
}

TEST(CommandLine, HelpOfEveryCommandHasAnExampleOfIt) {
  std::istringstream manual(tcsim({"manual", "-f", "md"}).output);
  int commands = 0;
  for (std::string line; std::getline(manual, line);) {
    const std::string heading = "## tcsim ";
    if (!line.starts_with(heading)) continue;
    ++commands;
    const std::string command = line.substr(heading.size());
    std::istringstream words(command);
    std::vector<std::string> help{std::istream_iterator<std::string>(words), {}};
    help.emplace_back("--help");
    EXPECT_THAT(tcsim(help).output,
                ::testing::ContainsRegex("Examples?:[ \n]+tcsim " + command + "[ \n]"));
  }
  EXPECT_GT(commands, 40);
}

TEST(CommandLine, HelpOfRunListsEveryOption) {
  const ChildResult result = tcsim({"run", "--help"});
  EXPECT_EQ(result.status, 0);
  for (const char* option :
       {"--machine", "--set", "--tile", "--unit", "--quantum", "--max-cycles", "--timeout", "--out",
        "--force", "--no-files", "--format", "--jobs", "--limit", "--quiet", "--verbose"}) {
    EXPECT_THAT(result.output, HasSubstr(option));
  }
}

TEST(CommandLine, HelpNamesTheDefaultOfEveryOptionWithWords) {
  const auto says = [](std::vector<std::string> command, const char* text) {
    command.emplace_back("--help");
    EXPECT_THAT(tcsim(command).output, HasSubstr(text)) << command[0];
  };
  says({"run"}, "cycle (default); sampled:E%");
  says({"run"}, "boost (default); load:");
  says({"run"}, "model (default), or rtl");
  says({"run"}, "conv:.., attn:..");
  says({"plot"}, "(default: svg)");
  says({"timeline"}, "; default: text");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"peak"}, {"microbench"}, {"machine", "list"}, {"library", "list"}})
    says(command, "text, json, csv or md (default: text)");
}

TEST(Completion, KnowsTheWordsOfFidelity) {
  EXPECT_EQ(tcsim({"complete", "--", "run", "--fidelity", ""}).output, "cycle\nsampled\nauto\n");
}

TEST(Completion, KnowsTheWordsOfTables) {
  const auto completed = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"complete", "--"});
    return tcsim(words).output;
  };
  EXPECT_EQ(completed({"machine", "explain", "clocks.sm"}), "clocks.sm_mhz\n");
  EXPECT_EQ(completed({"microbench", "a100", "--suite", "l"}), "l1\nl2\nlaunch\n");
  EXPECT_EQ(completed({"plot", "run", "--kind", "s"}), "speedup\nstalls\n");
  EXPECT_EQ(completed({"timeline", "run", "--to", ""}), "text\nkanata\nperfetto\n");
  EXPECT_EQ(completed({"mma", "--arch", "a"}), "ampere\nada\n");
}

}  // namespace
}  // namespace tcsim::cli
