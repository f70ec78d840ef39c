#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "tests/trace/random_launch.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::trace {
namespace {

RC_GTEST_PROP(TctProperty, ReadsBackEveryLaunchItWrote, (std::uint32_t seed)) {
  const isa::KernelLaunch launch = random_launch(seed, *rc::gen::inRange(0, 60));
  RC_ASSERT(isa::validate(launch).empty());
  const isa::KernelLaunch again = read_tct(write_tct(launch), "round.tct");
  RC_ASSERT(again == canonical(launch));
}

RC_GTEST_PROP(TctProperty, WritesWhatItReadByteForByte, (std::uint32_t seed)) {
  const std::string text = write_tct(random_launch(seed, *rc::gen::inRange(0, 60)));
  RC_ASSERT(write_tct(read_tct(text, "round.tct")) == text);
}

RC_GTEST_PROP(TctProperty, CanonicalFormsAreTheirOwn, (std::uint32_t seed)) {
  const isa::KernelLaunch once = canonical(random_launch(seed, *rc::gen::inRange(0, 60)));
  RC_ASSERT(canonical(once) == once);
  RC_ASSERT(isa::validate(once).empty());
}

/// `text` with a few bytes changed, removed, doubled or lines moved about.
std::string mutated(std::string text, std::mt19937& random) {
  static constexpr std::string_view kLetters = "0129-+*/%()[]{}<=@#\"\\,:RZixe \n\xff";
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(1 + below(12), text.size() - at);
    switch (below(4)) {
      case 0:
        text[at] = kLetters[below(kLetters.size())];
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      default:
        text.insert(at, 1, kLetters[below(kLetters.size())]);
        break;
    }
  }
  return text;
}

RC_GTEST_PROP(TctProperty, DamagedTextIsReadOrRefusedWithAPosition, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const std::string text =
      mutated(write_tct(random_launch(seed, *rc::gen::inRange(0, 30))), random);
  // A grid of billions is legal, but checking its trip counts takes long.
  const std::size_t grid = text.find("\ngrid ");
  RC_PRE(grid != std::string::npos && text.find('\n', grid + 1) < grid + 16);
  try {
    const isa::KernelLaunch launch = read_tct(text, "bad.tct");
    RC_ASSERT(isa::validate(launch).empty());
  } catch (const InputError& error) {
    RC_ASSERT(!error.messages().empty());
    for (const std::string& message : error.messages()) {
      RC_ASSERT(message.starts_with("bad.tct:"));
      RC_ASSERT(message.find('\n') == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tcsim::trace
