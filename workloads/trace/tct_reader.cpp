#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/any_variable.hpp"
#include "models/isa/assemble.hpp"
#include "models/isa/name_text.hpp"
#include "models/isa/uniforms.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct.hpp"
#include "workloads/trace/tct_header.hpp"
#include "workloads/trace/tct_instruction.hpp"

namespace tcsim::trace {
namespace {

using isa::kLanes;
using isa::kMostTrips;

constexpr std::size_t kMostMessages = 200;
constexpr std::int64_t kMostRange = std::numeric_limits<std::int64_t>::max();

class TctReader {
 public:
  explicit TctReader(const std::string& file_name)
      : file_name_(file_name), context_{launch_}, header_(launch_) {
    // The largest values are used until the lines are read, so that a wrong line causes no further
    // messages.
    launch_.registers_per_thread = 255;
    launch_.warps_per_cta = 32;
    launch_.program_of_warp.assign(32, isa::kNoIndex);
  }

  isa::KernelLaunch read(std::string_view text) {
    for (std::size_t start = 0; start <= text.size() && messages_.size() < kMostMessages;) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      ++line_;
      read_line(text.substr(start, end - start));
      start = end + 1;
    }
    finish();
    if (!messages_.empty()) throw InputError(std::move(messages_));
    return std::move(launch_);
  }

 private:
  void report(int line, int column, const std::string& what, const std::string& reason) {
    messages_.push_back(file_name_ + ":" + std::to_string(line) + ":" + std::to_string(column) +
                        ": " + what + ": " + reason);
  }

  void read_line(std::string_view text) {
    Cursor cursor(text);
    if (cursor.at_end()) return;
    try {
      read_statement(cursor);
    } catch (const Mistake& mistake) {
      report(line_, mistake.column, mistake.what, mistake.reason);
    }
  }

  void read_statement(Cursor& cursor) {
    const std::string_view word = cursor.word();
    if (TctHeader::is_key(word)) {
      if (in_program()) cursor.fail("header", files::shown(word) + " after a program");
      if (!has_header_line_ && word != "tct")
        report(line_, cursor.column(), "header", "the file must start with 'tct 1'");
      has_header_line_ = true;
      if (word == "buffer") buffer_lines_.push_back(line_);
      if (word == "tensormap") map_lines_.push_back(line_);
      if (word == "cluster") cluster_line_ = line_;
      header_.read(cursor);
    } else if (word == "program") {
      start_program(cursor);
    } else if (!in_program()) {
      cursor.fail("line", "expected a header line or 'program', got " + cursor.seen() +
                              files::did_you_mean(word, TctHeader::keys()));
    } else if (word == "uniform") {
      read_uniform(cursor);
    } else if (word == "loop") {
      start_loop(cursor);
    } else if (word == "end") {
      end_loop(cursor);
    } else {
      program().instructions.push_back(parse_instruction(cursor, context_, *tables_));
      lines_.back().instructions.push_back(line_);
      const isa::Instruction& read = program().instructions.back();
      if (read.opcode == isa::Opcode::kUsetmaxreg)
        context_.raised_registers = std::max(context_.raised_registers, read.immediate);
    }
  }

  [[nodiscard]] bool in_program() const { return !launch_.programs.empty(); }
  isa::WarpProgram& program() { return launch_.programs.back(); }

  void check_header() {
    for (const std::string_view key : header_.missing()) {
      report(line_, 1, "header", files::shown(key) + " is missing");
    }
  }

  void start_program(Cursor& cursor) {
    if (!in_program()) {
      check_header();
      for (std::size_t i = 0; i < launch_.grid.size(); ++i) {
        context_.ranges[i] = launch_.grid[i] - 1;
      }
      context_.ranges[static_cast<std::size_t>(isa::Variable::kWarp)] = launch_.warps_per_cta - 1;
      context_.ranges[static_cast<std::size_t>(isa::Variable::kLane)] = kLanes - 1;
    }
    close_program();
    // Outside its loop a counter is 0.
    for (int depth = 0; depth < isa::kMaxLoopDepth; ++depth) range_of_loop(depth) = 0;
    for (int i = 0; i < isa::kMaxUniforms; ++i) range_of_uniform(i) = -1;
    context_.raised_registers = 0;
    launch_.programs.emplace_back();
    lines_.push_back({line_, {}, {}});
    tables_ = std::make_unique<ProgramTables>(program());
    cursor.take("program", "program");
    program().name = cursor.take_name("program");
    parse_warps(cursor, static_cast<int>(launch_.programs.size()) - 1, launch_.program_of_warp);
    cursor.take_end();
  }

  void close_program() {
    for (const OpenLoop& loop : open_) report(loop.line, 1, "loop", "no 'end' closes it");
    open_.clear();
  }

  std::int64_t& range_of_loop(int depth) {
    return context_.ranges[static_cast<std::size_t>(isa::Variable::kLoop0) + depth];
  }

  std::int64_t& range_of_uniform(int number) {
    return context_.ranges[static_cast<std::size_t>(isa::uniform_variable(number))];
  }

  void read_uniform(Cursor& cursor) {
    cursor.take("uniform", "uniform");
    const auto number = static_cast<int>(program().uniforms.size());
    if (number >= isa::kMaxUniforms)
      cursor.fail("uniform", "a program has at most " + std::to_string(isa::kMaxUniforms));
    if (!program().instructions.empty() || !open_.empty())
      cursor.fail("uniform", "uniforms must come before the first instruction");
    cursor.take("u" + std::to_string(number), "uniform");
    cursor.take("=", "uniform");
    VariableRanges ranges = context_.ranges;
    ranges[static_cast<std::size_t>(isa::Variable::kLoop0)] = kMostTrips - 1;
    for (const isa::Variable variable : {isa::Variable::kWarp, isa::Variable::kLane})
      ranges[static_cast<std::size_t>(variable)] = -1;
    // Refers to itself: a running sum, whose form isa::validate checks.
    ranges[static_cast<std::size_t>(isa::uniform_variable(number))] = 0;
    isa::Expression value = parse_expression(cursor, ranges);
    cursor.take_end();
    const std::int64_t range = largest_magnitude(value, ranges);
    const bool is_running = isa::any_variable(
        value, [&](isa::Variable variable) { return variable == isa::uniform_variable(number); });
    range_of_uniform(number) =
        is_running ? std::min(range, kMostRange / kMostTrips) * kMostTrips : range;
    program().uniforms.push_back(std::move(value));
  }

  void start_loop(Cursor& cursor) {
    cursor.take("loop", "loop");
    const int depth = static_cast<int>(open_.size());
    // Opened even if the rest of the line is wrong, so that its end finds the loop.
    open_.push_back({static_cast<int>(program().loops.size()), line_});
    lines_.back().loops.push_back(line_);
    program().loops.push_back(
        {.first = static_cast<int>(program().instructions.size()), .last = 0, .depth = depth});
    if (depth >= isa::kMaxLoopDepth) cursor.fail("loop", "loops nest at most four deep");
    // Loop variables have no value in an iteration count.
    VariableRanges ranges = context_.ranges;
    for (int d = 0; d < isa::kMaxLoopDepth; ++d) {
      ranges[static_cast<std::size_t>(isa::Variable::kLoop0) + d] = -1;
    }
    range_of_loop(depth) = 0;
    cursor.take("i" + std::to_string(depth), "loop");
    cursor.take("<", "loop");
    const int column = cursor.column();
    isa::Expression trips = parse_expression(cursor, ranges);
    const std::int64_t most = largest_value(trips, ranges);
    // The values of uniforms have a far higher bound; isa::validate looks at the values themselves.
    if (!isa::uses_uniforms(trips) && (most < 1 || most > kMostTrips)) {
      throw Mistake{column, "loop", "a loop runs 1 to 2147483647 times"};
    }
    range_of_loop(depth) = std::max<std::int64_t>(0, most - 1);
    program().loops.back().trips = std::move(trips);
    if (cursor.accept("until")) program().loops.back().until = parse_expression(cursor, ranges);
    if (cursor.accept("numbers"))
      program().loops.back().numbers = cursor.take_integer("numbers", 1, kMostTrips);
    cursor.take_end();
  }

  void end_loop(Cursor& cursor) {
    if (open_.empty()) cursor.fail("end", "no loop is open");
    const int index = open_.back().index;
    open_.pop_back();
    if (const int depth = static_cast<int>(open_.size()); depth < isa::kMaxLoopDepth) {
      range_of_loop(depth) = 0;
    }
    isa::Loop& loop = program().loops[index];
    loop.last = static_cast<int>(program().instructions.size());
    isa::Instruction branch{.opcode = isa::Opcode::kBra, .immediate = index};
    cursor.take("end", "end");
    parse_suffix(cursor, context_, *tables_, branch);
    program().instructions.push_back(branch);
    lines_.back().instructions.push_back(line_);
  }

  /// Checks that need the whole launch.
  void finish() {
    if (messages_.size() >= kMostMessages) {
      messages_.push_back(file_name_ + ": further mistakes are not shown");
      return;
    }
    close_program();
    if (!in_program()) {
      check_header();
      report(line_, 1, "program", "the file has none");
    }
    if (!messages_.empty()) return;
    const std::vector<int>& programs = launch_.program_of_warp;
    for (std::size_t warp = 0; warp < programs.size(); ++warp) {
      if (programs[warp] != isa::kNoIndex) continue;
      report(lines_[0].program, 1, "warps", "warp " + std::to_string(warp) + " has no program");
    }
    if (!messages_.empty()) return;
    for (const isa::LaunchProblem& problem : isa::launch_problems(launch_))
      report(line_of(problem), 1, "launch", problem.text);
    if (messages_.empty()) check_stalls();
  }

  /// A program of which some instructions have a stall would lose it when it is assembled.
  void check_stalls() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const isa::WarpProgram& program = launch_.programs[i];
      if (!isa::is_half_assembled(program)) continue;
      const auto number = static_cast<std::size_t>(isa::first_without_stall(program));
      report(lines_[i].instructions[number], 1, "stall",
             "missing, but other instructions of program " + isa::name_text(program.name) +
                 " have one: give every instruction one (except EXIT), or none, so that the "
                 "program is assembled");
    }
  }

  /// The line of the part of the launch that breaks a rule; 1 if that is none of the file's lines.
  [[nodiscard]] int line_of(const isa::LaunchProblem& problem) const {
    using Part = isa::LaunchProblem::Part;
    const auto line = [&](const std::vector<int>& lines) {
      return lines[static_cast<std::size_t>(problem.index)];
    };
    const auto program = [&]() -> const ProgramLines& {
      return lines_[static_cast<std::size_t>(problem.program)];
    };
    switch (problem.part) {
      case Part::kLaunch:
        return 1;
      case Part::kCluster:
        return cluster_line_;
      case Part::kBuffer:
        return line(buffer_lines_);
      case Part::kTensorMap:
        return line(map_lines_);
      case Part::kProgram:
        return program().program;
      case Part::kInstruction:
        return line(program().instructions);
      case Part::kLoop:
        return line(program().loops);
    }
    return 1;
  }

  struct ProgramLines {
    int program;
    std::vector<int> instructions;
    std::vector<int> loops;
  };
  struct OpenLoop {
    int index;
    int line;
  };

  const std::string& file_name_;
  isa::KernelLaunch launch_;
  LineContext context_;
  TctHeader header_;
  std::unique_ptr<ProgramTables> tables_;
  std::vector<OpenLoop> open_;
  std::vector<ProgramLines> lines_;  ///< indexed by program
  std::vector<int> buffer_lines_;    ///< indexed by buffer
  std::vector<int> map_lines_;       ///< indexed by tensor map
  std::vector<std::string> messages_;
  bool has_header_line_ = false;
  int cluster_line_ = 1;
  int line_ = 0;
};

}  // namespace

isa::KernelLaunch read_tct(std::string_view text, const std::string& file_name) {
  return TctReader(file_name).read(text);
}

}  // namespace tcsim::trace
