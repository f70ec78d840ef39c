#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "sim/errors/errors.hpp"
#include "tests/serve/raw_client.hpp"
#include "tests/serve/served.hpp"

namespace tcsim::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

RawReply reply_to(const Served& served, const std::string& bytes) {
  RawClient client(served.port());
  client.send(bytes);
  return client.read();
}

TEST(Wire, AnswersRequestsOneAfterTheOther) {
  const Served served;
  RawClient client(served.port());
  client.send(served.request("GET", "/one") + served.request("POST", "/two", "", "{}") +
              served.request("GET", "/three", "Connection: close\r\n"));
  EXPECT_EQ(client.read().body, "GET /one ");
  EXPECT_EQ(client.read().body, "POST /two {}");
  EXPECT_EQ(client.read().body, "GET /three ");
  EXPECT_TRUE(client.is_closed_within(20));
}

TEST(Wire, SaysInEachReplyWhatBrowsersMayDoWithIt) {
  const Served served;
  const RawReply reply = reply_to(served, served.request("GET", "/"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.field("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_THAT(reply.field("Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
  EXPECT_EQ(reply.field("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(reply.field("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(reply.field("Cache-Control"), "no-store");
}

TEST(Wire, ReadsNoBodyOfThoseWhoMayNotAsk) {
  const Served served;
  RawClient client(served.port());
  client.send("POST /api/runs HTTP/1.1\r\nHost: " + served.host() +
              "\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n");
  const RawReply reply = client.read();
  EXPECT_EQ(reply.status, 401);
  EXPECT_TRUE(client.is_closed_within(20));
  EXPECT_EQ(served.asked(), 0);
}

TEST(Wire, RefusesWhatIsTooLarge) {
  http::WireLimits limits;
  limits.body_bytes = 1000;
  const Served served(limits);
  EXPECT_EQ(reply_to(served, served.request("GET", "/" + std::string(9000, 'a'))).status, 431);
  EXPECT_EQ(
      reply_to(served, served.request("GET", "/", "X: " + std::string(9000, 'a') + "\r\n")).status,
      431);
  EXPECT_EQ(reply_to(served, served.request("POST", "/", "", std::string(1000, ' '))).status, 200);
  EXPECT_EQ(reply_to(served, served.request("POST", "/", "", std::string(1001, ' '))).status, 413);
  // In chunks nobody knows before how much it will be.
  std::string chunks;
  for (int i = 0; i < 20; ++i) chunks += "64\r\n" + std::string(100, 'x') + "\r\n";
  EXPECT_EQ(reply_to(served, served.request("POST", "/",
                                            "Content-Type: application/json\r\n"
                                            "Transfer-Encoding: chunked\r\n") +
                                 chunks + "0\r\n\r\n")
                .status,
            413);
}

TEST(Wire, RefusesWhatIsNoRequest) {
  const Served served;
  for (const char* const bytes :
       {"hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n",
        "GET / HTTP/1.1\r\nNo colon\r\n\r\n", "GET / HTTP/1.1\r\n : x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"})
    EXPECT_EQ(reply_to(served, bytes).status, 400) << bytes;
  const RawReply both =
      reply_to(served, served.request("POST", "/",
                                      "Content-Type: application/json\r\nContent-Length: 5\r\n"
                                      "Transfer-Encoding: chunked\r\n") +
                           "0\r\n\r\n");
  EXPECT_EQ(both.status, 400) << "smuggling: two lengths of one body";
  EXPECT_EQ(served.asked(), 0);
}

TEST(Wire, HasNoBodyForHead) {
  const Served served;
  RawClient client(served.port());
  client.send(served.request("HEAD", "/"));
  client.end_sending();
  const RawReply reply = client.read(2);
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.field("Allow"), "GET, POST, DELETE");
  EXPECT_EQ(reply.body, "");
}

TEST(Wire, ClosesOnThoseWhoAreSlow) {
  http::WireLimits limits;
  limits.header_s = 0.5;
  limits.body_s = 0.5;
  const Served served(limits);
  RawClient silent(served.port());
  EXPECT_TRUE(silent.is_closed_within(20));

  RawClient slow(served.port());  // a byte now and then, as slowloris does
  bool is_taken = true;
  for (int i = 0; is_taken && i < 400; ++i) {
    is_taken =
        slow.send(i == 0 ? "GET / HTTP/1.1\r\n" : "X: y\r\n") && !slow.is_closed_within(0.05);
  }
  EXPECT_FALSE(is_taken);

  RawClient body(served.port());
  body.send(
      served.request("POST", "/", "Content-Length: 10\r\nContent-Type: application/json\r\n") +
      "12345");
  EXPECT_TRUE(body.is_closed_within(20));
  EXPECT_EQ(served.asked(), 0);
  EXPECT_EQ(reply_to(served, served.request("GET", "/")).status, 200);
}

TEST(Wire, LetsTheLongestWaitingGoWhenThereAreTooMany) {
  http::WireLimits limits;
  limits.connections = 8;
  const Served served(limits);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(std::make_unique<RawClient>(served.port()));
    idle.back()->send("GET / HTTP/1.1\r\n");
  }
  EXPECT_EQ(reply_to(served, served.request("GET", "/")).status, 200);
  EXPECT_TRUE(idle.front()->is_closed_within(20));
  EXPECT_FALSE(idle.back()->is_closed_within(0.2));
}

TEST(Wire, InvitesTheBodiesThatItReads) {
  const Served served;
  RawClient client(served.port());
  const std::string header = served.request("POST", "/one",
                                            "Content-Type: application/json\r\n"
                                            "Content-Length: 2\r\nExpect: 100-Continue\r\n");
  client.send(header);
  EXPECT_EQ(client.read().status, 100);
  client.send("{}");
  EXPECT_EQ(client.read().body, "POST /one {}");
  client.send(served.request("GET", "/two", "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.read().body, "GET /two ") << "nothing is expected";

  std::string refused = header;
  refused.replace(refused.find(served.token()), served.token().size(), "x");
  EXPECT_EQ(reply_to(served, refused).status, 401) << "without the body";
}

TEST(Wire, NoticesWhoGoesBeforeTheReply) {
  const Served served;
  const auto count_within = [&](double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (served.gone() == 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return served.gone();
  };
  RawClient patient(served.port());
  patient.send(served.request("GET", "/never"));
  RawClient eager(served.port());  // its next request is no going
  eager.send(served.request("GET", "/never") + served.request("GET", "/next"));
  EXPECT_EQ(count_within(0.2), 0);
  {
    RawClient hasty(served.port());
    hasty.send(served.request("GET", "/one"));
    EXPECT_EQ(hasty.read().body, "GET /one ");
    hasty.send(served.request("GET", "/never"));
  }
  EXPECT_EQ(count_within(20), 1);
}

TEST(Wire, NamesTheProgramWhereItCannotListen) {
  boost::asio::io_context context;
  try {
    const http::Listener listener(context, "300.1.1.1", 0, {});
    FAIL() << "it listens";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), StartsWith("tcsim serve: --listen: '300.1.1.1' is not an address"));
  }
}

TEST(Wire, OutlivesThoseWhoGo) {
  const Served served;
  for (int i = 0; i < 50; ++i) {
    RawClient client(served.port());
    client.send(
        served.request("POST", "/", "Content-Length: 10\r\nContent-Type: application/json\r\n"));
  }
  EXPECT_EQ(reply_to(served, served.request("GET", "/")).status, 200);
}

}  // namespace
}  // namespace tcsim::serve
