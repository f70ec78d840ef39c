#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/serve/raw_client.hpp"
#include "tests/serve/served.hpp"

// Requests that were damaged at random reach a listener over a socket. Each has to be answered or
// its connection closed, and nothing without the token may come through.
// TCSIM_FUZZ_REQUESTS=100000 makes it long.

namespace tcsim::serve {
namespace {

constexpr int kRequests = 4000;
constexpr int kRequestsOfAServer = 10000;  // a new port before the old one's are used up

int wanted_requests() {
  const char* const given = std::getenv("TCSIM_FUZZ_REQUESTS");
  return given == nullptr ? kRequests : std::max(1, std::atoi(given));
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t count) {
    return count == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  std::string damaged(std::string text, const std::string& other) {
    for (std::size_t times = 1 + below(4); times > 0; --times) damage(text, other);
    return text;
  }

 private:
  void damage(std::string& text, const std::string& other) {
    const std::size_t at = below(text.size() + 1);
    switch (below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 2:
        text.erase(at, 1 + below(20));
        break;
      case 3:
        text.insert(at, kTokens[below(std::size(kTokens))]);
        break;
      case 4:
        text.insert(at, text.substr(below(text.size() + 1), below(200)));
        break;
      case 5:
        text = text.substr(0, at) + other.substr(below(other.size() + 1));
        break;
      case 6:
        text.resize(at);
        break;
      default:
        text.insert(at, std::string(below(10000), "a\r\n:0"[below(5)]));
    }
  }

  static constexpr const char* kTokens[] = {"\r\n",
                                            "\r\n\r\n",
                                            "\n",
                                            "\r",
                                            " ",
                                            ":",
                                            "Content-Length: 99999999999999999999\r\n",
                                            "Content-Length: 5\r\n",
                                            "Transfer-Encoding: chunked\r\n",
                                            "Transfer-Encoding: gzip\r\n",
                                            "Expect: 100-continue\r\n",
                                            "Upgrade: websocket\r\nConnection: Upgrade\r\n",
                                            "Connection: close\r\n",
                                            "Connection: keep-alive\r\n",
                                            "Host: evil.example\r\n",
                                            "Origin: http://evil.example\r\n",
                                            "Authorization: Bearer x\r\n",
                                            "Cookie: tcsim-1=x\r\n",
                                            "../../../../etc/passwd",
                                            "%2e%2e%2f",
                                            "%00",
                                            "?token=",
                                            "ffffffffffffffff\r\n",
                                            "0\r\n\r\n",
                                            "HTTP/1.0",
                                            "HTTP/2.0",
                                            "GET",
                                            "POST",
                                            "DELETE",
                                            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                            "<script>alert(1)</script>",
                                            "\xff\xfe",
                                            "[::1]:",
                                            "{\"a\":[[[[[["};

  std::mt19937 random_;
};

std::vector<std::string> seeds(const Served& served) {
  return {served.request("GET", "/"),
          served.request("GET", "/api/runs?all=1&x=%20"),
          served.request("POST", "/api/runs", "", R"({"machine": "a100", "workload": "gemm:64"})"),
          served.request("DELETE", "/api/runs/0123456789abcdef0123456789abcdef"),
          served.request("POST", "/api/peak",
                         "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") +
              "5\r\n{\"a\":\r\n3\r\n1 }\r\n0\r\n\r\n",
          served.request("GET", "/one") + served.request("POST", "/two", "", "{}")};
}

/// The same without what lets a request in.
std::string without_token(std::string text, const std::string& token) {
  for (std::size_t at; (at = text.find(token)) != std::string::npos;)
    text.replace(at, token.size(), std::string(token.size(), '0'));
  return text;
}

class RequestFuzz {
 public:
  explicit RequestFuzz(unsigned seed) : mutator_(seed) {}

  void run(int requests) {
    const Served served;
    const std::vector<std::string> good = seeds(served);
    for (int i = 0; i < requests && !::testing::Test::HasFailure(); ++i) {
      const std::string other = good[mutator_.below(good.size())];
      std::string bytes = mutator_.damaged(good[mutator_.below(good.size())], other);
      const bool is_outsider = mutator_.below(2) == 0;
      if (is_outsider) bytes = without_token(std::move(bytes), served.token());
      const int before = served.asked();
      send(served, bytes);
      if (is_outsider) {
        ASSERT_EQ(served.asked(), before) << "came through without the token:\n" << bytes;
      }
    }
    RawClient client(served.port());
    client.send(served.request("GET", "/alive"));
    ASSERT_EQ(client.read().body, "GET /alive ");
    admitted_ += served.asked();
  }

  std::map<int, int> statuses_;
  int admitted_ = 0;

 private:
  void send(const Served& served, const std::string& bytes) {
    RawClient client(served.port());
    ASSERT_TRUE(client.is_open());
    const std::size_t cut = mutator_.below(3) == 0 ? mutator_.below(bytes.size() + 1) : 0;
    client.send(std::string_view(bytes).substr(0, cut));
    client.send(std::string_view(bytes).substr(cut));
    client.end_sending();
    int replies = 0;
    for (;; ++replies) {
      const RawReply reply = client.read(30);
      ++statuses_[reply.status];
      if (reply.status == 0) break;
      ASSERT_TRUE(is_known(reply.status)) << reply.status << "\n" << bytes;
    }
    ASSERT_TRUE(client.is_closed_within(30)) << bytes;
  }

  static bool is_known(int status) {
    constexpr int kKnown[] = {100, 200, 400, 401, 403, 405, 413, 415, 431};
    return std::ranges::find(kKnown, status) != std::end(kKnown);
  }

  Mutator mutator_;
};

TEST(RequestFuzz, EveryDamagedRequestIsAnsweredOrClosed) {
  RequestFuzz fuzz(/*seed=*/29);
  int left = wanted_requests();
  while (left > 0 && !HasFailure()) {
    fuzz.run(std::min(left, kRequestsOfAServer));
    left -= kRequestsOfAServer;
  }
  // The damage is neither so great that nothing comes through nor so small that all does.
  EXPECT_GT(fuzz.admitted_, wanted_requests() / 100);
  EXPECT_GT(fuzz.statuses_[400], 0);
  EXPECT_GT(fuzz.statuses_[401], 0);
  EXPECT_GT(fuzz.statuses_[403], 0);
  for (const auto& [status, count] : fuzz.statuses_)
    RecordProperty("status_" + std::to_string(status), count);
}

}  // namespace
}  // namespace tcsim::serve
