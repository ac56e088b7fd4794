#pragma once

#include <functional>
#include <memory>
#include <string>

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace lethe {

// Called when the disk refuses a write, from the thread that wrote, which may be one of RocksDB's.
// In production it must not return: RocksDB would then fail an assertion and abort before any of
// its calls could report the error.
using DiskFailure = std::function<void(const std::string& message)>;

// Prints the message to stderr and ends the process at once with exit code 74. This tears nothing:
// a commit is durable, or it never happened.
void LeaveOnDiskFailure(const std::string& message);

// The file system for RocksDB, which calls `failure` whenever an append, flush or sync of a file
// fails. Thread-safe, as RocksDB requires. The database borrows it.
std::unique_ptr<rocksdb::Env> NewGuardedEnv(DiskFailure failure);

}  // namespace lethe
