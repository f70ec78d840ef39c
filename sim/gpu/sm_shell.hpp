#pragma once

#include <systemc>

#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/sm.hpp"
#include "sim/gpu/mailbox.hpp"

namespace tcsim::gpu {

/// A command from the CTA scheduler to an SM: prepare for a kernel (`kernel` set) or start a CTA.
struct SmCommand {
  const sm::Kernel* kernel = nullptr;
  int cta_slots = 0;
  std::int64_t l1_bytes = 0;
  sm::CtaPlace cta{};
  Cycle at = 0;      ///< earliest first issue
  Cycle launch = 0;  ///< launch time of the kernel
};

/// The channels around one SM model. The caller uses `receive`, `run` and `send` in turn; only
/// `run` may be on any host thread.
class SmShell : public sc_core::sc_module {
 public:
  SmShell(const sc_core::sc_module_name& name, sm::Sm& model);

  Mailbox<SmCommand> commands;              ///< from the CTA scheduler
  Mailbox<memory::LineResponse> responses;  ///< from the memory side
  Mailbox<memory::LineRequest> requests;    ///< to the memory side
  Mailbox<Cycle> ended_ctas;                ///< to the CTA scheduler
  Mailbox<std::uint16_t> left_clusters;     ///< of CTAs that have ended, to the CTA scheduler
  Mailbox<sm::PeerMessage> messages;        ///< from other SMs

  /// Passes on the commands and data that have arrived.
  void receive();
  /// Advances the model to `until` (exclusive).
  void run(Cycle until) { model_.run(until); }
  /// Posts what the model produced before `until`; messages go to the shells of the receiving SMs.
  void send(Cycle until, const std::vector<std::unique_ptr<SmShell>>& shells);

 private:
  sm::Sm& model_;
  std::vector<SmCommand> received_commands_;
  std::vector<sm::PeerMessage> received_messages_;
};

}  // namespace tcsim::gpu
