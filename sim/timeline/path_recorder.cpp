#include "sim/timeline/path_recorder.hpp"

#include <algorithm>
#include <utility>

#include "sim/timeline/path_listener.hpp"

namespace tcsim::timeline {

PathRecorder::PathRecorder(std::set<int> sms)
    : sms_(std::move(sms)), shared_(std::make_unique<PathEvents>()) {}
PathRecorder::~PathRecorder() { listeners_.clear(); }

sm::Observer* PathRecorder::observer(int sm, Cycle origin) {
  if (!sms_.contains(sm)) return nullptr;
  shared_->origin = origin;
  const auto place = static_cast<std::size_t>(sm);
  if (listeners_.size() <= place) listeners_.resize(place + 1);
  shared_->reads.listen_to(sm);
  listeners_[place] = std::make_unique<PathListener>(sm, *shared_);
  return listeners_[place].get();
}

memory::Observer& PathRecorder::reads() { return shared_->reads; }

std::vector<KernelPath> PathRecorder::take(const std::vector<KernelEnd>& ends) const {
  std::vector<KernelPath> paths = shared_->programs;
  for (std::size_t i = 0; i < paths.size() && i < ends.size(); ++i) {
    KernelPath& path = paths[i];
    path.start = ends[i].start;
    path.end = ends[i].end;
    const auto [last, cause] =
        listeners_[static_cast<std::size_t>(ends[i].sm)]->last_of(i, path.end + shared_->origin);
    Cycle until = path.end;
    PathCause why = cause;
    for (std::uint32_t at = last.index(); at != PathNode::kNone;) {
      const PathNode& node = shared_->nodes[at];
      const Cycle from = node.at - shared_->origin;
      if (from < until)
        path.steps.push_back({from, until, why, node.sm, node.warp, node.cta, node.program,
                              node.instruction, node.loop, node.trip});
      until = from;
      why = node.cause;
      at = node.before;
    }
    path.complete = until == path.start;
    std::ranges::reverse(path.steps);
  }
  return paths;
}

}  // namespace tcsim::timeline
