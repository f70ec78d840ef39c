#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "sim/gpu/loop_history.hpp"
#include "sim/networks/l2_contents.hpp"
#include "sim/report/network_report.hpp"
#include "sim/run/prepare/step.hpp"
#include "sim/run/request.hpp"
#include "sim/run/step_clusters.hpp"

namespace tcsim::run {

/// Runs the steps of a network one after the other on one machine; the L2 carries over. A step
/// whose kernels and L2 are those of an earlier step has its result and is not simulated again. In
/// a sampled run, a step that is estimated from another with the same kernels is not simulated
/// either.
class NetworkSimulation {
 public:
  NetworkSimulation(const RunRequest& request, const config::MachineFile& machine,
                    const networks::Placement& placement);

  /// The result of the next step. `keep_going`, or `most_cycles` where the request has a limit, may
  /// end it early; then `stopped` is set and the result is partial. Throws as prepare_run does,
  /// with the layer named first.
  report::NetworkStep run(const networks::Step& step, double most_cycles,
                          const std::function<bool()>& keep_going);
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  struct Earlier {
    std::string key;
    nlohmann::ordered_json result;
    std::vector<std::uint64_t> lines;  ///< packed
  };

  report::NetworkStep simulate_or_estimate(const networks::Step& step, double most_cycles,
                                           const std::function<bool()>& keep_going);
  bool take_similar_step(const std::string& kernels, const networks::L2Contents::Shape& found,
                         const std::vector<memory::CachedLine>& before,
                         const report::RunInputs& inputs, report::NetworkStep& done);
  /// The `lines` of buffers that the step does not use.
  [[nodiscard]] double dirty_bytes_of_others(const std::vector<memory::CachedLine>& lines) const;
  const Earlier* find(const std::string& key) const;
  void keep(Earlier earlier);

  const RunRequest& request_;
  const config::MachineFile& machine_;
  StepPreparation preparation_;
  networks::L2Contents contents_;
  StepClusters clusters_;
  std::map<std::string, gpu::LoopHistory> histories_;  ///< of sampled steps, by their kernels
  std::deque<Earlier> earlier_;                        ///< the latest at the end
  std::vector<memory::CachedLine> left_;  ///< by a step that is not simulated; its room is kept
  bool has_estimated_ = false;  ///< a step: those behind it find an L2 that was not simulated
  bool stopped_ = false;
};

}  // namespace tcsim::run
