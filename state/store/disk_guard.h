#pragma once

#include <functional>
#include <memory>
#include <string>

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace lethe {

// What happens when the disk refuses a write. It must not return: RocksDB would go on to an
// assertion of its own and abort, before any of its calls could say what was wrong.
using DiskFailure = std::function<void(const std::string& message)>;

// Says what happened on stderr and leaves at once with exit code 74. Nothing is torn by that: a
// commit is durable or it never happened.
void LeaveOnDiskFailure(const std::string& message);

// The file system as RocksDB sees it, with `failure` called at the first write that fails.
std::unique_ptr<rocksdb::Env> NewGuardedEnv(DiskFailure failure);

}  // namespace lethe
