#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {

std::span<const Target> targets() {
  static const std::vector<Target> kAll{
      kHex,           kJsonLine,     kVectorTable,    kNpy,
      kSafetensors,   kTct,          kTraceg,         kKernelsList,
      kMachine,       kSetWords,     kNetwork,        kScalesim,
      kOnnx,          kNetworkCsv,   kWorkloadWords,  kWorkloadCsv,
      kMeasuredTimes, kAccuracies,   kPublishedTable, kLab,
      kAnswerSheet,   kSpec,         kExpression,     kStatsJson,
      kManifestJson,  kRunDirectory, kRowsJson,       kResultTable,
      kPlanJson,      kPointJson,    kFailureJson};
  return kAll;
}

}  // namespace tcsim::fuzz
