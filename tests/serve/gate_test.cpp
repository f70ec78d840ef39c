#include "sim/serve/http/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::serve::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

class GateOf8080 : public ::testing::Test {
 protected:
  /// A request of a script that may ask.
  static Incoming incoming(const std::string& method = "GET",
                           const std::string& target = "/api/runs") {
    Incoming request;
    request.method = method;
    request.target = target;
    request.hosts = 1;
    request.host = "127.0.0.1:8080";
    request.authorization = std::string("Bearer ") + kToken;
    request.content_type = "application/json";
    request.local_address = "127.0.0.1";
    return request;
  }
  /// The status of the refusal; 200 if it is admitted.
  int status_of(const Incoming& request) {
    const Gate::Verdict verdict = gate_.judge(request);
    const Reply* const refused = std::get_if<Reply>(&verdict);
    return refused == nullptr ? 200 : refused->status;
  }
  /// "name=value" of the cookie that the link gives.
  std::string cookie() {
    Incoming link = incoming("GET", std::string("/?token=") + kToken);
    link.authorization = "";
    const std::string field = std::get<Gate::Admitted>(gate_.judge(link)).set_cookie;
    return field.substr(0, field.find(';'));
  }
  Incoming of_browser(const std::string& method, const std::string& target) {
    Incoming request = incoming(method, target);
    request.authorization = "";
    request.cookie = cookie();
    request.origin = "http://127.0.0.1:8080";
    request.fetch_site = "same-origin";
    return request;
  }

  Gate gate_{kToken, 8080, {"lab.example.org"}};
};

TEST_F(GateOf8080, WantsTheTokenOrASession) {
  Incoming request = incoming();
  EXPECT_EQ(status_of(request), 200);
  for (const char* const scheme : {"bearer ", "BEARER "}) {
    request.authorization = std::string(scheme) + kToken;
    EXPECT_EQ(status_of(request), 200) << scheme;
  }
  for (const char* const word :
       {"", "Bearer", "Bearer ", "Bearer0123456789abcdef0123456789abcdef",
        "Bearer 0123456789abcdef0123456789abcdee", "Basic 0123456789abcdef0123456789abcdef"}) {
    request.authorization = word;
    EXPECT_EQ(status_of(request), 401) << word;
  }
  request.authorization = "";
  request.cookie = "tcsim-8080=" + std::string(32, '0');
  EXPECT_EQ(status_of(request), 401);
  request.cookie = "other=1; " + cookie();
  EXPECT_EQ(status_of(request), 200);
  request.cookie = "tcsim-8080" + cookie().substr(11) + "0";
  EXPECT_EQ(status_of(request), 401);
}

TEST_F(GateOf8080, GivesASessionForTheLinkAlone) {
  Incoming link = incoming("GET", std::string("/?token=") + kToken);
  link.authorization = "";
  const auto admitted = std::get<Gate::Admitted>(gate_.judge(link));
  EXPECT_THAT(admitted.set_cookie, AllOf(StartsWith("tcsim-8080="), HasSubstr("; HttpOnly"),
                                         HasSubstr("; SameSite=Strict")));
  EXPECT_EQ(admitted.request.query.count("token"), 0U) << "nobody else needs it";
  link.target = "/?token=" + std::string(32, '0');
  EXPECT_EQ(status_of(link), 401);
  link.target = std::string("/api/runs?token=") + kToken;
  EXPECT_EQ(status_of(link), 401) << "a token in a link is for the page";
}

TEST(Gate, LetsAnybodyReadTheFilesOfThePageAlone) {
  Gate gate(kToken, 8080, {}, {"/", "/app.js"});
  Incoming request;
  request.method = "GET";
  request.hosts = 1;
  request.host = "127.0.0.1:8080";
  request.local_address = "127.0.0.1";
  request.content_type = "application/json";
  const auto status_of = [&](const std::string& method, const std::string& target) {
    request.method = method;
    request.target = target;
    const Gate::Verdict verdict = gate.judge(request);
    const auto* const admitted = std::get_if<Gate::Admitted>(&verdict);
    if (admitted == nullptr) return std::get<Reply>(verdict).status;
    EXPECT_EQ(admitted->request.client, "");
    EXPECT_EQ(admitted->set_cookie, "") << "no session without the token";
    return 200;
  };
  EXPECT_EQ(status_of("GET", "/app.js"), 200);
  for (const char* const target :
       {"/api/about", "/app.jsx", "/runs/x/report.html", "//", "/%61pp.js"})
    EXPECT_EQ(status_of("GET", target), 401) << target;
  EXPECT_EQ(status_of("POST", "/"), 401);
  EXPECT_EQ(status_of("GET", "/?token=" + std::string(32, '0')), 401)
      << "the link of another start";
  request.fetch_site = "cross-site";
  request.fetch_mode = "navigate";
  EXPECT_EQ(status_of("GET", "/"), 200) << "a copied link in another site";
  EXPECT_EQ(status_of("GET", "/app.js"), 403);
  request.host = "evil.example:8080";
  EXPECT_EQ(status_of("GET", "/"), 403);
}

TEST_F(GateOf8080, TellsBrowsersApart) {
  const auto client = [&](const std::string& cookies) {
    Incoming request = incoming();
    request.authorization = "";
    request.cookie = cookies;
    return std::get<Gate::Admitted>(gate_.judge(request)).request.client;
  };
  const std::string one = cookie();
  const std::string other = cookie();
  EXPECT_NE(client(one), client(other));
  EXPECT_EQ(client(one), client(one));
}

TEST_F(GateOf8080, KnowsItsHostsAlone) {
  Incoming request = incoming();
  for (const char* const host : {"127.0.0.1:8080", "127.0.0.1", "localhost:8080", "LOCALHOST",
                                 "localhost:9000", "lab.example.org:8080"}) {
    request.host = host;
    EXPECT_EQ(status_of(request), 200) << host;
  }
  // A name that an attacker's DNS points to 127.0.0.1, and other addresses.
  for (const char* const host :
       {"", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "127.0.0.2",
        "10.0.0.1:8080", "localhost:80x", "localhost:", "[::1]:8080", "[::1", "localhost@evil",
        "evil.example:8080:localhost"}) {
    request.host = host;
    EXPECT_EQ(status_of(request), 403) << host;
  }
  request.host = "127.0.0.1:8080";
  request.hosts = 2;
  EXPECT_EQ(status_of(request), 403);
  request.hosts = 0;
  EXPECT_EQ(status_of(request), 403);
  request.hosts = 1;
  request.local_address = "::1";
  request.host = "[::1]:8080";
  EXPECT_EQ(status_of(request), 200);
  request.local_address = "10.1.2.3";
  request.host = "localhost:8080";
  EXPECT_EQ(status_of(request), 403) << "not where others reach it";
}

TEST_F(GateOf8080, RefusesPagesOfOtherSites) {
  Incoming request = of_browser("POST", "/api/runs");
  EXPECT_EQ(status_of(request), 200);
  for (const char* const origin : {"http://evil.example", "null", "https://127.0.0.1:8080",
                                   "http://127.0.0.1:9000", "http://127.0.0.1:8080.evil.example"}) {
    request.origin = origin;
    EXPECT_EQ(status_of(request), 403) << origin;
  }
  request.origin = "";
  EXPECT_EQ(status_of(request), 403) << "a browser says who changes something";
  request = of_browser("GET", "/api/runs");
  request.origin = "";
  EXPECT_EQ(status_of(request), 200);
  request.fetch_site = "cross-site";
  EXPECT_EQ(status_of(request), 403);
  request.fetch_site = "same-site";
  EXPECT_EQ(status_of(request), 403);
  request.target = "/";
  request.fetch_mode = "no-cors";
  EXPECT_EQ(status_of(request), 403);
  request.fetch_mode = "navigate";
  EXPECT_EQ(status_of(request), 200) << "a link to the page, in a mail or a chat";
  request.method = "POST";
  EXPECT_EQ(status_of(request), 403) << "but no form";
}

TEST_F(GateOf8080, TakesFewMethodsAndJsonAlone) {
  for (const char* const method : {"HEAD", "PUT", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get"})
    EXPECT_EQ(status_of(incoming(method)), 405) << method;
  Incoming post = incoming("POST");
  for (const char* const type : {"", "text/plain", "application/x-www-form-urlencoded",
                                 "multipart/form-data; boundary=x", "application/jsonx"}) {
    post.content_type = type;
    EXPECT_EQ(status_of(post), 415) << type;
  }
  for (const char* const type : {"application/json; charset=utf-8", "Application/JSON ;a=b"}) {
    post.content_type = type;
    EXPECT_EQ(status_of(post), 200) << type;
  }
}

TEST_F(GateOf8080, TakesNoOtherTargets) {
  for (const char* const target : {"", "*", "api", "http://127.0.0.1:8080/", "/\x01", "/ä",
                                   "/?a=%zz", "/?a=%1", "127.0.0.1:8080"})
    EXPECT_EQ(status_of(incoming("GET", target)), 400) << target;
  const auto admitted = std::get<Gate::Admitted>(gate_.judge(incoming("GET", "/x?a=1%202&b&a=3")));
  EXPECT_EQ(admitted.request.path, "/x");
  EXPECT_EQ(admitted.request.query.at("a"), "1 2");
  EXPECT_EQ(admitted.request.query.at("b"), "");
}

TEST_F(GateOf8080, ForgetsTheOldestSessionsWhenThereAreMany) {
  const std::string first = cookie();
  std::string second = cookie();
  Incoming request = incoming();
  request.authorization = "";
  for (int i = 0; i < 4095; ++i) (void)cookie();
  request.cookie = first;
  EXPECT_EQ(status_of(request), 401);
  request.cookie = second;
  EXPECT_EQ(status_of(request), 200);
}

TEST(RandomWords, AreLongAndDiffer) {
  const std::string word = random_word();
  EXPECT_EQ(word.size(), 32U);
  EXPECT_EQ(word.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(word, random_word());
}

}  // namespace
}  // namespace tcsim::serve::http
