#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <variant>

#include "sim/errors/errors.hpp"
#include "sim/report/manifest.hpp"
#include "sim/sweep/collect.hpp"

namespace tcsim::sweep {
namespace {

namespace fs = std::filesystem;
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;  // none: NULL

constexpr const char* kSchema = R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
BEGIN;
CREATE TABLE sweep (name TEXT, description TEXT, revision TEXT, spec TEXT);
CREATE TABLE point (number INTEGER PRIMARY KEY, configuration INTEGER, name TEXT, part TEXT,
  count INTEGER, state TEXT, inputs TEXT, key TEXT, wall_s REAL);
CREATE TABLE param (point INTEGER REFERENCES point, name TEXT, value TEXT,
  PRIMARY KEY (point, name));
CREATE TABLE metric (point INTEGER REFERENCES point, name TEXT, value, PRIMARY KEY (point, name));
CREATE TABLE failure (point INTEGER PRIMARY KEY REFERENCES point, status INTEGER, signal INTEGER,
  reason TEXT, last_lines TEXT, command TEXT);
)";

class Database {
 public:
  explicit Database(const fs::path& path) {
    sqlite3* handle = nullptr;
    const int status = ::sqlite3_open(path.c_str(), &handle);
    handle_.reset(handle);
    check(status);
  }

  void execute(const std::string& sql) {
    check(::sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr));
  }

  /// `sql` with its question marks standing for `values`.
  void execute(const char* sql, const std::vector<Value>& values) {
    sqlite3_stmt* raw = nullptr;
    check(::sqlite3_prepare_v2(handle_.get(), sql, -1, &raw, nullptr));
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, ::sqlite3_finalize);
    int index = 0;
    for (const Value& value : values) check(bind(raw, ++index, value));
    if (::sqlite3_step(raw) != SQLITE_DONE) check(::sqlite3_errcode(handle_.get()));
  }

 private:
  static int bind(sqlite3_stmt* statement, int index, const Value& value) {
    if (std::holds_alternative<std::monostate>(value)) return ::sqlite3_bind_null(statement, index);
    if (const auto* number = std::get_if<std::int64_t>(&value))
      return ::sqlite3_bind_int64(statement, index, *number);
    if (const auto* number = std::get_if<double>(&value))
      return ::sqlite3_bind_double(statement, index, *number);
    const auto& text = std::get<std::string>(value);
    return ::sqlite3_bind_text(statement, index, text.c_str(), static_cast<int>(text.size()),
                               SQLITE_TRANSIENT);
  }

  void check(int status) {
    if (status != SQLITE_OK)
      throw IoError(fmt::format("sweep.sqlite: {}", ::sqlite3_errmsg(handle_.get())));
  }

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_{nullptr, ::sqlite3_close};
};

std::string quoted(const std::string& name, char quote) {
  std::string text(1, quote);
  for (const char c : name) text += c == quote ? std::string(2, quote) : std::string(1, c);
  return text + quote;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// One column per parameter and metric.
std::string view_of(const Plan& plan, const std::vector<Row>& rows) {
  std::string sql =
      "CREATE VIEW wide AS SELECT point.number, point.configuration, point.part, point.state";
  const auto add = [&](const char* table, const std::string& name) {
    sql += fmt::format(
        ",\n (SELECT value FROM {0} WHERE {0}.point = number AND {0}.name = {1}) AS {2}", table,
        quoted(name, '\''), quoted(name, '"'));
  };
  for (const std::string& name : plan.parameters) add("param", name);
  for (const Row& row : rows) {
    if (row.metrics.empty()) continue;
    for (const MetricValue& metric : row.metrics)
      if (std::ranges::find(plan.parameters, metric.name) == plan.parameters.end())
        add("metric", metric.name);
    break;
  }
  return sql + "\nFROM point;";
}

void add_row(Database& database, const Row& row) {
  const Point& point = *row.point;
  const std::int64_t number = point.number;
  const auto& result = row.record.result;
  const bool timed = result.is_object() && result.contains("simulation") &&
                     result["simulation"].contains("wall_s");
  database.execute("INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   {number, std::int64_t{point.configuration}, point.name, point.part, point.count,
                    std::string(state_text(row.record.state)), point.inputs, point.key,
                    timed ? Value(result["simulation"]["wall_s"].get<double>()) : Value()});
  for (const auto& [name, value] : point.parameters)
    database.execute("INSERT INTO param VALUES (?, ?, ?)", {number, name, value});
  for (const MetricValue& metric : row.metrics) {
    const Value value = metric.number ? Value(*metric.number) : Value(metric.text);
    database.execute("INSERT INTO metric VALUES (?, ?, ?)", {number, metric.name, value});
  }
  if (row.record.state == PointState::kDone || row.record.state == PointState::kOpen) return;
  const Failure& failure = row.record.failure;
  database.execute("INSERT INTO failure VALUES (?, ?, ?, ?, ?, ?)",
                   {number, std::int64_t{failure.status}, std::int64_t{failure.signal},
                    failure.reason, joined(failure.last_lines), report::shell_line(point.command)});
}

}  // namespace

void write_sqlite(const fs::path& path, const Plan& plan, const std::vector<Row>& rows) {
  Database database(path);
  database.execute(kSchema);
  database.execute("INSERT INTO sweep VALUES (?, ?, ?, ?)",
                   {plan.name, plan.description, plan.revision, plan.spec_text});
  for (const Row& row : rows) add_row(database, row);
  database.execute(view_of(plan, rows));
  database.execute("COMMIT;");
}

}  // namespace tcsim::sweep
