#pragma once

#include "sim/files/json_text.hpp"
#include "sim/json/view.hpp"
#include "sim/serve/http/message.hpp"

namespace tcsim::serve {

inline http::Reply json_reply(const json::Json& json, int status = 200) {
  return {status, files::json_text(json) + "\n"};
}

}  // namespace tcsim::serve
