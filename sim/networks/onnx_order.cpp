#include "sim/networks/onnx_order.hpp"

#include <map>
#include <set>
#include <vector>

#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/networks/onnx_attributes.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

using Node = onnx::NodeProto;

class Order {
 public:
  Order(const onnx::GraphProto& graph, const std::string& file) : file_(file) {
    known_.insert("");  // an input that is left out
    for (const auto& input : graph.input()) known_.insert(input.name());
    for (const auto& weight : graph.initializer()) known_.insert(weight.name());
    for (const auto& weight : graph.sparse_initializer()) known_.insert(weight.values().name());
    for (const Node& node : graph.node())
      for (const std::string& output : node.output()) makers_.emplace(output, &node);
  }

  void take(const Node& node) {
    for (const std::string& input : node.input())
      if (!known_.contains(input)) refuse(node, input);
    known_.insert(node.output().begin(), node.output().end());
  }

 private:
  [[noreturn]] void refuse(const Node& node, const std::string& input) const {
    const auto maker = makers_.find(input);
    std::string reason;
    if (maker == makers_.end())
      reason = ", which no node makes and which is neither an input nor a weight" + nearest(input);
    else if (needs(*maker->second, node))
      reason = ", which " + named(*maker->second) + " makes of the result of " +
               files::shown(title_of(node)) + ": the graph is cyclic";
    else
      reason = ", which " + named(*maker->second) +
               " makes after it: nodes must be in an order in which they can run";
    throw InputError({file_ + ": " + named(node) + ": reads " + files::shown(input) + reason});
  }

  [[nodiscard]] std::string nearest(const std::string& input) const {
    std::vector<std::string_view> names(known_.begin(), known_.end());
    return files::did_you_mean(input, names);
  }

  /// Whether `other` is `node` or makes something of which `node` comes.
  [[nodiscard]] bool needs(const Node& node, const Node& other) const {
    std::set<const Node*> seen;
    std::vector<const Node*> open{&node};
    while (!open.empty()) {
      const Node* const next = open.back();
      open.pop_back();
      if (next == &other) return true;
      if (!seen.insert(next).second) continue;
      for (const std::string& input : next->input())
        if (const auto maker = makers_.find(input); maker != makers_.end())
          open.push_back(maker->second);
    }
    return false;
  }

  const std::string& file_;
  std::set<std::string> known_;
  std::map<std::string, const Node*> makers_;
};

}  // namespace

void require_order(const onnx::GraphProto& graph, const std::string& file) {
  Order order(graph, file);
  for (const Node& node : graph.node()) order.take(node);
}

}  // namespace tcsim::networks
