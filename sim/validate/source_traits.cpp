#include "sim/validate/source_traits.hpp"

#include <array>

namespace tcsim::validate {
namespace {

// Gaps and floors as the sources or the shortest times in them state them
// (tests/validation/SOURCES.md). CUPTI and profiler times (VIDUR, XLA) hold the kernel alone, graph
// replay (AIC) a gap of 1 to 1.5 us; wall clocks with a synchronisation add the host's part to
// every call (LLMCOMPASS, NEUSIGHT), those over many calls only hide the kernel behind it
// (DEEPBENCH, DEEPLINK).
constexpr std::array<SourceTraits, 14> kSources{{
    {"AIC", 1.25, 2.4, L2State::kWarm},
    {"AIC_INT8", 7.0, 7.0, L2State::kWarm},
    {"VIDUR", 0.0, 0.0, L2State::kWarm},
    {"DEEPBENCH", std::nullopt, 8.0, L2State::kWarm},
    {"DEEPBENCH_T4", std::nullopt, 8.0, L2State::kWarm},
    {"DEEPLINK", std::nullopt, 5.0, L2State::kWarm},
    {"LLMCOMPASS", 27.5, 0.0, L2State::kWarm},
    {"NEUSIGHT", 45.0, 0.0, L2State::kWarm},
    {"AZURE", std::nullopt, 0.0, L2State::kWarm},
    {"FLAGPERF", std::nullopt, 0.0, L2State::kWarm},
    {"CUTLASSDOC", std::nullopt, 0.0, L2State::kWarm},
    {"XLA", 0.0, 0.0, L2State::kCold},
    {"TILELANG", std::nullopt, 0.0, L2State::kWarm},
    {"AMOS", std::nullopt, 17.5, L2State::kWarm},
}};

}  // namespace

SourceTraits traits_of(std::string_view id) {
  for (const SourceTraits& row : kSources)
    if (row.id == id) return row;
  return {id, std::nullopt, 0.0, L2State::kWarm};
}

}  // namespace tcsim::validate
