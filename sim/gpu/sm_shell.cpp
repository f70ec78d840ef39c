#include "sim/gpu/sm_shell.hpp"

#include <algorithm>

namespace tcsim::gpu {

SmShell::SmShell(const sc_core::sc_module_name& name, sm::Sm& model)
    : sc_core::sc_module(name),
      commands("commands"),
      responses("responses"),
      requests("requests"),
      ended_ctas("ended_ctas"),
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
}

void SmShell::send(Cycle until) {
  for (auto* const made : {&model_.requests(), &model_.code_requests(), &model_.tile_requests()}) {
    const auto staying = std::ranges::lower_bound(*made, until, {}, &memory::LineRequest::cycle);
    requests.post(made->begin(), staying);
    made->erase(made->begin(), staying);
  }
  ended_ctas.post(model_.ended_ctas().begin(), model_.ended_ctas().end());
  model_.ended_ctas().clear();
}

}  // namespace tcsim::gpu
