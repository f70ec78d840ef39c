#include "sim/gpu/simulation.hpp"

#include <systemc>

#include <algorithm>
#include <optional>
#include <span>

#include "models/memory/memory_system.hpp"
#include "models/memory/network.hpp"
#include "models/sm/sm.hpp"
#include "sim/config/peak.hpp"
#include "sim/gpu/cta_scheduler.hpp"
#include "sim/gpu/deadlock.hpp"
#include "sim/gpu/initial_contents.hpp"
#include "sim/gpu/memory_shell.hpp"
#include "sim/gpu/sampler.hpp"
#include "sim/gpu/sm_array.hpp"
#include "sim/gpu/sm_shell.hpp"
#include "sim/gpu/systemc_context.hpp"

namespace tcsim::gpu {
namespace {

/// Interval of the deadlock checks: long, so that they cost nothing, and at cycles that do not
/// depend on the windows.
constexpr Cycle kDeadlockCheckCycles = 16'384;

/// Between a warm-up and the counted run: longer than stores take to arrive, so that only cache
/// lines remain.
constexpr Cycle kRestCycles = 100'000;

/// With fewer SMs than this, a host thread is done before another thread has woken up.
constexpr int kFewestSmsPerThread = 8;

/// The point in simulated time of an SM clock edge. The cycle count stays exact; only the time
/// stamp is rounded.
sc_core::sc_time time_of(Cycle cycle, int mhz) {
  constexpr std::uint64_t kFemtosecondsPerMicrosecond = 1'000'000'000;
  const auto cycles = static_cast<std::uint64_t>(cycle);
  const auto per_us = static_cast<std::uint64_t>(mhz);
  return sc_core::sc_time::from_value(cycles / per_us * kFemtosecondsPerMicrosecond +
                                      cycles % per_us * kFemtosecondsPerMicrosecond / per_us);
}

/// Brings the times of `span` to the clock of the run, and counts the idle cycles there: the SMs
/// without CTAs are idle in what a sampled run leaves out too.
template <typename Convert>
void put_on_run_clock(KernelSpan& span, const Convert& convert) {
  CtaSpread& spread = span.spread;
  span.start = convert(span.start);
  span.end = convert(span.end);
  for (Cycle& done : spread.done) {
    done = convert(done);
    spread.idle_cycles += std::max<Cycle>(span.end - done, 0);  // an unfinished kernel has no end
  }
  if (!spread.done.empty()) spread.first_done = std::ranges::min(spread.done);
}

}  // namespace

/// Owns the models and their shells, and runs the window: boundary (exchange, placement), then the
/// SMs.
class Simulation::Shells {
 public:
  using Streams = std::vector<std::vector<isa::KernelLaunch>>;

  Shells(const config::Machine& machine, const SimulationOptions& options)
      : machine_(machine),
        options_(options),
        root_("gpu"),
        topology_(memory::make_topology(machine.gpu.sms_per_tpc, machine.gpu.sms_per_gpc)),
        memory_(machine.noc, machine.l2, machine.tlb, machine.dram,
                {machine.clocks.sm_mhz, machine.clocks.l2_mhz, machine.clocks.memory_mhz},
                topology_, root_),
        boundary_("boundary", -1),  // so that the first boundary, 0, is a change
        window_end_("window_end"),
        contents_(machine_, options_, memory_, sms_) {
    for (int i = 0; i < machine.gpu.sms; ++i) {
      sms_.push_back(std::make_unique<sm::Sm>(machine.sm, i, root_));
      sms_.back()->use(clusters_);
      if (options.tensor_unit) attach_tensor_units(i);
      shells_.push_back(
          std::make_unique<SmShell>(("sm_" + std::to_string(i)).c_str(), *sms_.back()));
    }
    sm_array_ = std::make_unique<SmArray>("sms", shells_, window_end_);
    scheduler_ = std::make_unique<CtaScheduler>("cta_scheduler", machine_, shells_, sms_, clusters_,
                                                boundary_);
    memory_.use(clusters_);
    memory_shell_ = std::make_unique<MemoryShell>("memory", memory_, shells_, boundary_);
    probe_.emplace(root_);
  }

  Cycle largest_quantum() const {
    return std::max<Cycle>(
        1, std::min({memory_.largest_quantum(),
                     Cycle{machine_.launch.cta_release_cycles} + machine_.launch.cta_start_cycles,
                     CtaScheduler::overhead_cycles(machine_)}));
  }

  const stats::Group& counters() const { return root_; }

  void fill_l2(const std::vector<memory::CachedLine>& lines) { memory_.restore(lines); }
  void clean_l2() { memory_.clean_at_once(); }

  std::vector<memory::CachedLine> l2_lines() const {
    std::vector<memory::CachedLine> lines = memory_.lines();
    std::erase_if(lines, [](const auto& line) { return line.address >= memory::kCodeMemory; });
    return lines;
  }
  std::vector<memory::CachedLine> dirty_l2_lines() const { return memory_.dirty_lines(); }

  /// Runs `streams` together, after `before` without counting.
  Outcome run(const Streams& streams, const std::function<bool(const Progress&)>& keep_going,
              const std::vector<isa::KernelLaunch>& before) {
    const bool records = std::ranges::any_of(streams, has_recording) || has_recording(before);
    use_threads(records ? 1 : host_threads());
    contents_.fill_l2();
    Cycle origin = 0;
    if (!before.empty()) {
      Outcome outcome = run_from(0, {before}, keep_going);
      if (outcome.stop == StopReason::kFinished) origin = rest_after(outcome, keep_going);
      if (outcome.stop != StopReason::kFinished) return outcome;
    }
    if (options_.observer) attach_observers(origin);
    return run_from(origin, streams, keep_going);
  }

 private:
  static bool has_recording(const std::vector<isa::KernelLaunch>& launches) {
    return std::ranges::any_of(launches,
                               [](const auto& launch) { return launch.recording != nullptr; });
  }

  /// Tensor units, observers and recordings need not support concurrent SMs.
  int host_threads() const {
    if (options_.tensor_unit || options_.observer) return 1;
    return std::clamp(options_.threads, 1, std::max(1, machine_.gpu.sms / kFewestSmsPerThread));
  }

  void use_threads(int count) {
    threads_ = count;
    sm_array_->use_threads(count);
  }

  void attach_tensor_units(int index) {
    sm::Sm& sm = *sms_[static_cast<std::size_t>(index)];
    for (int i = 0; i < sm.sub_cores(); ++i) sm.attach(i, options_.tensor_unit(index, i));
  }

  void attach_observers(Cycle origin) {
    if (options_.memory_observer != nullptr) memory_.attach(*options_.memory_observer);
    for (int i = 0; i < machine_.gpu.sms; ++i) {
      sm::Observer* const observer = options_.observer(i, origin);
      if (observer != nullptr) sms_[static_cast<std::size_t>(i)]->attach(*observer);
    }
  }

  /// Runs `streams`, with the first kernels launched at `origin`, up to which everything has run
  /// except the exchange.
  Outcome run_from(Cycle origin, const Streams& streams,
                   const std::function<bool(const Progress&)>& keep_going) {
    scheduler_->enqueue(streams, origin);
    memory_.clear_flags();
    contents_.install_code(scheduler_->code_lines());
    for (const std::vector<isa::KernelLaunch>& launches : streams) contents_.install_data(launches);
    contents_.install_constants(scheduler_->constant_lines(), /*again=*/origin > 0);
    Outcome outcome;
    activity_ = ActivityLog();
    kernel_ends_.clear();
    kernel_end_due_ = kNever;
    Cycle next_check = origin + kDeadlockCheckCycles;
    now_ = origin;
    exchange(now_);
    let_memory_lag(true);
    root_.reset();
    scheduler_->counters_reset();
    memory_shell_->tell([this, origin](Side side, Cycle until) {
      if (ActivityTotals* totals = activity_.find(until - origin)) probe_->read(side, *totals);
    });
    std::optional<Sampler> sampler;
    const auto progress = [&] {
      return Progress{whole_time(sampler, now_ - origin), scheduler_->ctas_done(),
                      scheduler_->ctas_total(), warp_instructions()};
    };
    SamplingOptions sampling = options_.sampling.value_or(SamplingOptions{});
    sampling.max_cycles = options_.max_cycles;
    if (options_.sampling && streams.size() == 1)
      sampler.emplace(sampling, origin, sms_, memory_, *scheduler_, root_, dram_bytes_per_cycle(),
                      [&] { return !keep_going || keep_going(progress()); });
    while (!scheduler_->is_finished() && outcome.stop == StopReason::kFinished) {
      const Cycle before = now_;
      now_ = std::min({now_ + quantum(), origin + activity_.due(), next_check, kernel_end_due_});
      if (sampler) now_ = std::min(now_, sampler->due());
      if (options_.max_cycles > 0)
        now_ = std::min(now_, before + std::min(options_.max_cycles, kNever) -
                                  expected_time(sampler, before - origin));
      run_sms(now_);
      exchange(now_);
      if (sampler && now_ == sampler->due()) {
        memory_shell_->catch_up();
        for (const auto& shell : shells_) shell->receive();  // CTAs that are to start
        sampler->look();
      }
      observe(origin, sampler);
      outcome.cycles = now_ - origin;
      if (scheduler_->is_finished()) break;
      outcome.stop = stop_reason(expected_time(sampler, now_ - origin), progress(), keep_going);
      if (outcome.stop == StopReason::kFinished && sampler && sampler->has_given_up())
        outcome.stop = StopReason::kUnsure;
      if (now_ < next_check) continue;
      next_check = now_ + kDeadlockCheckCycles;
      memory_shell_->catch_up();
      if (outcome.stop == StopReason::kFinished && is_deadlocked(chip()))
        outcome.stop = StopReason::kDeadlock;
    }
    finish_run(origin, streams, sampler, outcome);
    return outcome;
  }

  /// `cycle` of a run on its own clock, with what `sampler` has left out.
  static Cycle whole_time(const std::optional<Sampler>& sampler, Cycle cycle) {
    return sampler ? sampler->log().whole_time(cycle) : cycle;
  }

  /// The same, with the gaps that are not closed yet.
  static Cycle expected_time(const std::optional<Sampler>& sampler, Cycle cycle) {
    return whole_time(sampler, cycle) + (sampler ? sampler->open_cycles() : 0);
  }

  /// Lets the machine come to rest after run_from has stopped, and completes `outcome`.
  void finish_run(Cycle origin, const Streams& streams, std::optional<Sampler>& sampler,
                  Outcome& outcome) {
    let_memory_lag(false);
    const Cycle end = scheduler_->is_finished() && !scheduler_->spans().empty()
                          ? std::ranges::max(scheduler_->spans(), {}, &KernelSpan::end).end
                          : now_;
    if (scheduler_->is_finished()) drain(end);
    if (sampler) sampler->finish();
    note_kernel_ends();
    outcome.kernels = scheduler_->spans();
    for (KernelSpan& span : outcome.kernels)
      put_on_run_clock(span, [&](Cycle cycle) { return whole_time(sampler, cycle - origin); });
    const Cycle simulated = end - origin;
    outcome.cycles = whole_time(sampler, simulated);
    simulated_ = simulated;
    if (outcome.stop == StopReason::kDeadlock) outcome.diagnosis = describe_deadlock(chip());
    for (const auto& sm : sms_) sm->charge_rest(origin + simulated);
    if (sampler) sampler->complete_cycles(outcome.cycles);
    outcome.activity = activity_.finish({simulated, probe_->read(), resident_warps()});
    for (ActivitySample& sample : outcome.activity) sample.at = whole_time(sampler, sample.at);
    if (sampler) outcome.sampling = sampler->log().sampling(outcome.cycles);
    for (std::size_t i = 0; streams.size() == 1 && i < kernel_ends_.size(); ++i)
      outcome.kernels[i].activity =
          kernel_ends_[i] - (i == 0 ? ActivityTotals{} : kernel_ends_[i - 1]);
  }

  Cycle quantum() const {
    Cycle largest = memory_lags_ ? lagging_quantum() : largest_quantum();
    // Messages between CTAs of a cluster must arrive after the window.
    if (scheduler_->uses_clusters())
      largest = std::min({largest, Cycle{machine_.sm.cluster.hop_cycles},
                          Cycle{machine_.sm.cluster.barrier_cycles}});
    return options_.quantum == 0 ? largest : std::clamp<Cycle>(options_.quantum, 1, largest);
  }
  Cycle lagging_quantum() const {
    const Cycle quantum = std::min(largest_quantum(), memory_.largest_quantum() / 2);
    return channels_can_lag() ? std::min(quantum, memory_.largest_lagging_quantum()) : quantum;
  }
  /// False if that required windows so short that they cost more than the channels.
  bool channels_can_lag() const {
    constexpr Cycle kShortest = 32;
    return memory_.largest_lagging_quantum() >= kShortest;
  }

  /// With several host threads, the memory side processes what the SMs sent in the previous window
  /// while the SMs run, and the DRAM channels process what the memory side sent in its previous
  /// window.
  void let_memory_lag(bool lags) {
    memory_lags_ = lags && threads_ > 1 && lagging_quantum() > 0;
    memory_shell_->lag(memory_lags_, channels_can_lag());
    sm_array_->run_beside(memory_lags_ ? memory_shell_->calls() : 0,
                          [this](std::size_t call) { memory_shell_->call(call); });
  }

  /// Lets the machine idle after the run of `outcome`, up to the returned cycle, which does not
  /// depend on the windows. The exchange at that cycle is left to the next run. If it is stopped,
  /// so is `outcome`.
  Cycle rest_after(Outcome& outcome, const std::function<bool(const Progress&)>& keep_going) {
    Cycle restart = simulated_ + kRestCycles;
    while (restart <= now_) restart += kRestCycles;
    while (now_ < restart) {
      now_ = std::min(now_ + quantum(), restart);
      run_sms(now_);
      if (now_ < restart) exchange(now_);
      if (keep_going && !keep_going({outcome.cycles, scheduler_->ctas_done(),
                                     scheduler_->ctas_total(), warp_instructions()})) {
        outcome.stop = StopReason::kInterrupted;
        break;
      }
    }
    for (const auto& sm : sms_) sm->charge_rest(restart);
    return restart;
  }

  /// Lets the memory side and the scheduler process what the SMs did before `now`.
  void exchange(Cycle now) {
    boundary_.write(now);
    // Once to perform the write, once to run the processes that wait for it; the very first start
    // does both.
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void run_sms(Cycle until) {
    window_end_.write(until);
    sc_core::sc_start(time_of(until, machine_.clocks.sm_mhz) - sc_core::sc_time_stamp());
  }
  /// Records the progress of the units, at the due cycles and after each kernel. At that point all
  /// answers to the kernel have arrived, none of its windows went further, and the next kernel has
  /// not begun.
  void observe(Cycle origin, std::optional<Sampler>& sampler) {
    if (now_ == origin + activity_.due()) add_sample(origin);
    const auto closed = closed_kernels();
    if (closed.size() > kernel_ends_.size())
      kernel_end_due_ =
          std::ranges::max_element(closed, {}, &KernelSpan::end)->end + largest_quantum();
    if (now_ < kernel_end_due_) return;
    memory_shell_->catch_up();
    if (sampler) sampler->end_kernels();
    note_kernel_ends();
  }
  /// Totals of units that lag behind the SMs are added when they reach this point.
  void add_sample(Cycle origin) {
    ActivitySample sample{now_ - origin, {}, resident_warps()};
    probe_->read(Side::kSms, sample.totals);
    if (memory_shell_->l2_until() == now_) probe_->read(Side::kL2, sample.totals);
    if (memory_shell_->channels_until() == now_) probe_->read(Side::kChannels, sample.totals);
    activity_.add(sample);
  }
  void note_kernel_ends() {
    kernel_ends_.resize(closed_kernels().size(), probe_->read());
    kernel_end_due_ = kNever;
  }
  /// The kernels before the first that has not ended.
  std::span<const KernelSpan> closed_kernels() const {
    const auto& spans = scheduler_->spans();
    return {spans.begin(), std::ranges::find(spans, 0, &KernelSpan::end)};
  }

  double dram_bytes_per_cycle() const {
    constexpr double kMegaPerGiga = 1000;
    return config::dram_bandwidth(machine_).gb_per_s * kMegaPerGiga / machine_.clocks.sm_mhz;
  }

  int resident_warps() const {
    int warps = 0;
    for (const auto& sm : sms_) warps += sm->resident_warps();
    return warps;
  }

  /// Lets stores in flight arrive after `end`, and the L2 clean lines, until a cycle that no window
  /// of the run exceeded, so that the counters do not depend on where the last window ended. Lines
  /// that are still due for cleaning are left to the next run, in whose time they are cleaned.
  void drain(Cycle end) {
    const Cycle cleaned = end + memory_.largest_quantum();
    while (now_ < cleaned) {
      now_ = std::min(now_ + quantum(), cleaned);
      run_sms(now_);
      exchange(now_);
    }
    memory_.let_clean(false);
    const auto is_silent = [](const auto& sm) { return !sm->has_requests(); };
    while (!memory_.is_quiet() || !std::all_of(sms_.begin(), sms_.end(), is_silent)) {
      now_ += quantum();
      run_sms(now_);
      exchange(now_);
    }
    memory_.let_clean(true);
  }

  StopReason stop_reason(Cycle expected, const Progress& progress,
                         const std::function<bool(const Progress&)>& keep_going) const {
    if (keep_going && !keep_going(progress)) return StopReason::kInterrupted;
    if (options_.max_cycles > 0 && expected >= options_.max_cycles) return StopReason::kCycleLimit;
    return StopReason::kFinished;
  }

  std::uint64_t warp_instructions() const {
    std::uint64_t sum = 0;
    for (const auto& sm : sms_) sum += sm->warp_instructions();
    return sum;
  }

  [[nodiscard]] ChipState chip() const { return {sms_, shells_, memory_, *scheduler_, now_}; }

  const config::Machine machine_;
  const SimulationOptions options_;
  SystemcContext context_;
  stats::Group root_;
  memory::Topology topology_;
  memory::MemorySystem memory_;
  memory::ClusterTable clusters_;
  Cycle now_ = 0;        ///< everything has run up to this cycle
  Cycle simulated_ = 0;  ///< cycles of the latest run, without what it skipped
  int threads_ = 1;      ///< host threads that share the SMs
  bool memory_lags_ = false;
  sc_core::sc_signal<Cycle> boundary_;
  sc_core::sc_signal<Cycle> window_end_;
  std::vector<std::unique_ptr<sm::Sm>> sms_;
  InitialContents contents_;
  std::vector<std::unique_ptr<SmShell>> shells_;
  std::unique_ptr<SmArray> sm_array_;
  std::unique_ptr<CtaScheduler> scheduler_;
  std::unique_ptr<MemoryShell> memory_shell_;
  std::optional<ActivityProbe> probe_;  ///< of the complete tree
  ActivityLog activity_;
  std::vector<ActivityTotals> kernel_ends_;  ///< sums at the ends of the kernels so far
  Cycle kernel_end_due_ = kNever;            ///< when the next of them is due
};

double KernelSpan::tail_share() const {
  if (end <= start) return 0;
  return static_cast<double>(end - spread.first_done) / static_cast<double>(end - start);
}

double KernelSpan::idle_share(int sms) const {
  if (end <= start) return 0;
  return static_cast<double>(spread.idle_cycles) / static_cast<double>((end - start) * sms);
}

Simulation::Simulation(const config::Machine& machine, const SimulationOptions& options)
    : shells_(std::make_unique<Shells>(machine, options)) {}
Simulation::~Simulation() = default;

Outcome Simulation::run(const std::vector<isa::KernelLaunch>& launches,
                        const std::function<bool(const Progress&)>& keep_going,
                        const std::vector<isa::KernelLaunch>& before) {
  return shells_->run({launches}, keep_going, before);
}

Outcome Simulation::run_streams(const std::vector<std::vector<isa::KernelLaunch>>& streams,
                                const std::function<bool(const Progress&)>& keep_going) {
  return shells_->run(streams, keep_going, /*before=*/{});
}

void Simulation::fill_l2(const std::vector<memory::CachedLine>& lines) { shells_->fill_l2(lines); }
void Simulation::clean_l2() { shells_->clean_l2(); }
std::vector<memory::CachedLine> Simulation::l2_lines() const { return shells_->l2_lines(); }

std::vector<memory::CachedLine> Simulation::dirty_l2_lines() const {
  return shells_->dirty_l2_lines();
}
const stats::Group& Simulation::counters() const { return shells_->counters(); }
Cycle Simulation::largest_quantum() const { return shells_->largest_quantum(); }

}  // namespace tcsim::gpu
