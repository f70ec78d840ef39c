#pragma once

#include <cstddef>
#include <functional>

#include "sim/config/load.hpp"
#include "sim/report/network_report.hpp"
#include "sim/report/streams_report.hpp"
#include "sim/run/hooks.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "sim/run/request.hpp"
#include "workloads/networks/network.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::run {

/// A network made ready for one machine.
class NetworkSession {
 public:
  /// Hears of each step when it is done, from 1 to `count`.
  using StepListener =
      std::function<void(std::size_t number, std::size_t count, const report::NetworkStep& step)>;

  /// Reads network and machine. Throws as Session does.
  NetworkSession(const RunRequest& request, const Hooks& hooks);

  [[nodiscard]] const config::Machine& machine() const { return machine_.machine; }

  /// Hears of every step that differs from those before, made ready, and how many are as it is.
  using StepVisitor =
      std::function<void(const networks::Step& step, const PreparedRun& run, std::int64_t times)>;
  void visit_steps(const StepVisitor& visitor) const;

  /// Runs every step until one is stopped; all at one clock, which the mean draw of the network
  /// settles where the request asks for it: boards set theirs over many steps.
  [[nodiscard]] report::NetworkRun run(const StepListener& listener) const;
  /// Runs request.streams instances side by side, and once more in turn.
  [[nodiscard]] report::StreamsRun run_streams() const;

 private:
  [[nodiscard]] RunRequest settled_request() const;
  [[nodiscard]] report::NetworkRun run_on(const config::MachineFile& machine,
                                          const StepListener& listener) const;

  const RunRequest request_;
  const Hooks hooks_;
  const networks::Network network_;  ///< whole
  const config::MachineFile machine_;
  const networks::Network part_;  ///< what one GPU does of it
  const networks::Program program_;
  const networks::Placement placement_;
};

}  // namespace tcsim::run
