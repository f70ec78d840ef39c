#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// What is changed in an input beside its bytes.
enum class Form {
  kBinary,  ///< bytes alone
  kText,    ///< tokens and lines: YAML, CSV, traces, words
  kJson,    ///< members, elements and values of the document
};

/// A reader of foreign bytes under test.
struct Target {
  std::string_view name;
  /// Reads the bytes; true if they were accepted. Lets out nothing but std::logic_error, for a
  /// reader that accepted something and then contradicts itself.
  bool (*run)(Bytes);
  /// Inputs to start from, accepted ones among them.
  std::vector<std::string> (*seeds)();
  Form form = Form::kBinary;
  /// What gives most changed inputs the checksum that fits them, so that they get past it; or null.
  std::string (*sealed)(const std::string& text) = nullptr;
};

extern const Target kHex;
extern const Target kJsonLine;
extern const Target kVectorTable;
extern const Target kNpy;
extern const Target kSafetensors;
extern const Target kTct;
extern const Target kTraceg;
extern const Target kKernelsList;
extern const Target kMachine;
extern const Target kSetWords;
extern const Target kNetwork;
extern const Target kScalesim;
extern const Target kOnnx;
extern const Target kNetworkCsv;
extern const Target kWorkloadWords;
extern const Target kWorkloadCsv;
extern const Target kMeasuredTimes;
extern const Target kAccuracies;
extern const Target kPublishedTable;
extern const Target kLab;
extern const Target kAnswerSheet;
extern const Target kSpec;
extern const Target kExpression;
extern const Target kStatsJson;
extern const Target kManifestJson;
extern const Target kRunDirectory;
extern const Target kRowsJson;
extern const Target kResultTable;
extern const Target kPlanJson;
extern const Target kPointJson;
extern const Target kFailureJson;

/// All of them.
std::span<const Target> targets();

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void require(bool holds, const std::string& sentence) {
  if (!holds) throw std::logic_error(sentence);
}

}  // namespace tcsim::fuzz
