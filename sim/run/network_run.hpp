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

/// A network prepared for one machine.
class NetworkSession {
 public:
  /// Called for each finished step, from 1 to `count`.
  using StepListener =
      std::function<void(std::size_t number, std::size_t count, const report::NetworkStep& step)>;

  /// Reads the network and the machine. Throws as Session does.
  NetworkSession(const RunRequest& request, const Hooks& hooks);

  [[nodiscard]] const config::Machine& machine() const { return machine_.machine; }

  /// Calls `visitor` with every prepared step that differs from those before it, and with the
  /// number of equal steps.
  using StepVisitor =
      std::function<void(const networks::Step& step, const PreparedRun& run, std::int64_t times)>;
  void visit_steps(const StepVisitor& visitor) const;

  /// Runs every step until one is stopped, all at one clock. If the request asks for it, the mean
  /// power of the network sets this clock, since boards set theirs over many steps.
  [[nodiscard]] report::NetworkRun run(const StepListener& listener) const;
  /// Runs request.streams instances side by side, and once more in turn.
  [[nodiscard]] report::StreamsRun run_streams() const;

 private:
  [[nodiscard]] RunRequest settled_request() const;
  [[nodiscard]] report::NetworkRun run_on(const config::MachineFile& machine,
                                          const StepListener& listener) const;

  const RunRequest request_;
  const Hooks hooks_;
  const networks::Network network_;  ///< the whole network
  const config::MachineFile machine_;
  const networks::Network part_;  ///< the part of one GPU
  const networks::Program program_;
  const networks::Placement placement_;
};

}  // namespace tcsim::run
