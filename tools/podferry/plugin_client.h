#ifndef PODFERRY_TOOLS_PODFERRY_PLUGIN_CLIENT_H_
#define PODFERRY_TOOLS_PODFERRY_PLUGIN_CLIENT_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/http/http_message.h"

namespace podferry {

// A plugin's HTTP API as a command wants it: one call at a time, waited for, each on a loop of its
// own. An answer that is no
// success becomes an error with the plugin's own words.
class PluginClient {
 public:
  // `url`: http://host:port or unix:/path.
  explicit PluginClient(std::string url) : url_(std::move(url)) {}

  absl::StatusOr<std::string> Get(absl::string_view path);
  absl::StatusOr<std::string> Post(absl::string_view path, std::string body);
  absl::StatusOr<std::string> Delete(absl::string_view path);
  // GET, each piece handed over as it comes, until the answer ends.
  absl::Status Stream(absl::string_view path, const std::function<void(absl::string_view)>& piece);

 private:
  absl::StatusOr<std::string> Call(HttpRequest request);
  absl::Status Unreachable(const absl::Status& status) const;

  std::string url_;
};

}  // namespace podferry

#endif  // PODFERRY_TOOLS_PODFERRY_PLUGIN_CLIENT_H_
