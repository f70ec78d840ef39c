#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tcsim::serve::http {

/// The header of a request as received, not yet trusted. Fields that were not sent are
/// empty.
struct Incoming {
  std::string method;  ///< "GET"
  std::string target;  ///< "/api/runs?all=1"
  int hosts = 0;       ///< how many Host fields there are
  std::string host;
  std::string origin;
  std::string cookie;
  std::string authorization;
  std::string content_type;
  std::string fetch_site;     ///< Sec-Fetch-Site, which browsers send and scripts on pages cannot
  std::string fetch_mode;     ///< Sec-Fetch-Mode
  std::string local_address;  ///< of this end of the connection: "127.0.0.1", "::1"
};

/// A request that the gate has admitted.
struct Request {
  std::string method;
  std::string path;                          ///< as sent, nothing decoded
  std::map<std::string, std::string> query;  ///< decoded; of a name given twice the first
  std::string client;  ///< who asks: one browser, or all scripts together; empty: anybody
  std::string body;
};

struct Reply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> fields{};  ///< further header fields
};

/// Where the reply to one request goes. All copies are the same place.
class Answer {
 public:
  using Act = std::function<void()>;

  Answer(std::function<void(Reply)> send, std::function<void(Act)> when_gone)
      : send_(std::move(send)), when_gone_(std::move(when_gone)) {}

  /// To be called once, at any later time.
  void operator()(Reply reply) const { send_(std::move(reply)); }
  /// Until the reply is there, `act` is called, once, if whoever asked has gone: nobody needs the
  /// reply any more, and it may be left out.
  void when_gone(Act act) const { when_gone_(std::move(act)); }

 private:
  std::function<void(Reply)> send_;
  std::function<void(Act)> when_gone_;
};

/// Answers requests; receives them one after the other, on one thread.
using Application = std::function<void(Request, Answer)>;

/// A refusal in words, as JSON: {"message": ...}.
Reply refusal(int status, const std::string& message);

/// The path and the decoded query of `target`. False if it is not of the form /path?a=b with
/// printable ASCII, or its query has a broken escape.
bool split_target(const std::string& target, std::string& path,
                  std::map<std::string, std::string>& query);

}  // namespace tcsim::serve::http
