#pragma once

#include <set>
#include <string>

#include "scripts/gpu/common/shared_library.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>
#define TC_HAS_CUPTI 1
#endif

namespace tcsim::measure {

/// Names of the kernels launched while this object exists, from CUPTI's callbacks; none if CUPTI is
/// not installed.
class KernelNames {
 public:
  KernelNames() {
#ifdef TC_HAS_CUPTI
    const auto subscribe = library().function<decltype(&cuptiSubscribe)>("cuptiSubscribe");
    const auto enable = library().function<decltype(&cuptiEnableDomain)>("cuptiEnableDomain");
    if (subscribe == nullptr || enable == nullptr) return;
    if (subscribe(&subscriber_, &KernelNames::called, this) != CUPTI_SUCCESS) return;
    is_subscribed_ = true;
    enable(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API);
#endif
  }
  KernelNames(const KernelNames&) = delete;
  KernelNames& operator=(const KernelNames&) = delete;
  ~KernelNames() {
#ifdef TC_HAS_CUPTI
    const auto end = library().function<decltype(&cuptiUnsubscribe)>("cuptiUnsubscribe");
    if (is_subscribed_ && end != nullptr) end(subscriber_);
#endif
  }

  /// Joined by +; "unknown" if none was seen.
  std::string text() const {
    std::string text;
    for (const std::string& name : names_) text += (text.empty() ? "" : "+") + name;
    return text.empty() ? "unknown" : text;
  }

 private:
#ifdef TC_HAS_CUPTI
  static const SharedLibrary& library() {
    static const SharedLibrary cupti(library_names("cupti", CUDART_VERSION));
    return cupti;
  }
  static void CUPTIAPI called(void* self, CUpti_CallbackDomain, CUpti_CallbackId,
                              const void* data) {
    const auto* call = static_cast<const CUpti_CallbackData*>(data);
    if (call->callbackSite == CUPTI_API_ENTER && call->symbolName != nullptr)
      static_cast<KernelNames*>(self)->names_.insert(call->symbolName);
  }
  CUpti_SubscriberHandle subscriber_ = nullptr;
  bool is_subscribed_ = false;
#endif
  std::set<std::string> names_;
};

}  // namespace tcsim::measure
