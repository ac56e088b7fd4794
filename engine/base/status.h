#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/check.h"

namespace lethe {

// The kind of an error. The command line maps each to one exit code (docs/cli.md).
enum class ErrorCode {
  kOk,
  kCheckFailed,  // a check that the user asked for does not hold
  kUsage,        // the command line is wrong
  kInput,        // input unreadable as a whole, or a state that does not match
  kUnavailable,  // an external service cannot be reached
  kInternal,     // a defect of Lethe
  kDisk,         // a disk operation failed
  kConfig,       // the configuration is wrong
  kInterrupted,  // the user stopped the command
};

// Success, or an error with a code and a message. The message says what is wrong, where, and what
// to do. Success is a null pointer, because every record returns it several times. A value type;
// copies share an immutable error, so threads may copy one.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message)
      : error_(std::make_shared<const Error>(Error{code, std::move(message)})) {}

  static Status Ok() { return {}; }

  bool ok() const { return error_ == nullptr || error_->code == ErrorCode::kOk; }
  ErrorCode code() const { return error_ == nullptr ? ErrorCode::kOk : error_->code; }
  const std::string& message() const {
    static const std::string none;
    return error_ == nullptr ? none : error_->message;
  }

 private:
  struct Error {
    ErrorCode code;
    std::string message;
  };
  std::shared_ptr<const Error> error_;  // none: success
};

// A value, or the error Status that explains why there is none. value() of an error ends the
// process.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    LETHE_CHECK(!status_.ok());
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& value() & {
    LETHE_CHECK(ok());
    return *value_;
  }
  const T& value() const& {
    LETHE_CHECK(ok());
    return *value_;
  }
  T&& value() && {
    LETHE_CHECK(ok());
    return *std::move(value_);
  }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace lethe

// Returns the Status of `expression` from the enclosing function unless it is ok.
#define LETHE_RETURN_IF_ERROR(expression)        \
  do {                                           \
    ::lethe::Status lethe_status = (expression); \
    if (!lethe_status.ok()) return lethe_status; \
  } while (false)
