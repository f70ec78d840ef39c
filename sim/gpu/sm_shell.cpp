#include "sim/gpu/sm_shell.hpp"

#include <algorithm>

namespace tcsim::gpu {

SmShell::SmShell(const sc_core::sc_module_name& name, sm::Sm& model)
    : sc_core::sc_module(name),
      commands("commands"),
      responses("responses"),
      requests("requests"),
      ended_ctas("ended_ctas"),
      left_clusters("left_clusters"),
      messages("messages"),
      model_(model) {}

void SmShell::receive() {
  received_commands_.clear();
  commands.take(received_commands_);
  for (const SmCommand& command : received_commands_) {
    if (command.kernel != nullptr) {
      model_.begin_kernel(*command.kernel, command.cta_slots, command.l1_bytes, command.launch,
                          command.at);
    } else {
      model_.start_cta(command.cta, command.at);
    }
  }
  responses.take(model_.inbox());
  received_messages_.clear();
  messages.take(received_messages_);
  for (const sm::PeerMessage& message : received_messages_) model_.post(message);
}

void SmShell::send(Cycle until, const std::vector<std::unique_ptr<SmShell>>& shells) {
  for (auto* const made : {&model_.requests(), &model_.code_requests(), &model_.tile_requests()}) {
    const auto staying = std::ranges::lower_bound(*made, until, {}, &memory::LineRequest::cycle);
    requests.post(made->begin(), staying);
    made->erase(made->begin(), staying);
  }
  for (const sm::PeerMessage& message : model_.outgoing_messages())
    shells[message.to]->messages.post(message);
  model_.outgoing_messages().clear();
  ended_ctas.post(model_.ended_ctas().begin(), model_.ended_ctas().end());
  model_.ended_ctas().clear();
  left_clusters.post(model_.left_clusters().begin(), model_.left_clusters().end());
  model_.left_clusters().clear();
}

}  // namespace tcsim::gpu
