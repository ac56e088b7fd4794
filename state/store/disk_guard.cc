#include "state/store/disk_guard.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace lethe {
namespace {

constexpr int kDiskExit = 74;

using rocksdb::FileOptions;
using rocksdb::FileSystem;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// A file whose writes and syncs report errors to `failure`, which it borrows from its file system.
class GuardedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  GuardedFile(std::unique_ptr<FSWritableFile> file, std::string name, const DiskFailure& failure)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), failure_(failure) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return Checked(FSWritableFileOwnerWrapper::Append(data, options, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    return Checked(FSWritableFileOwnerWrapper::Append(data, options, verification, debug));
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
    return Checked(FSWritableFileOwnerWrapper::Flush(options, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return Checked(FSWritableFileOwnerWrapper::Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Checked(FSWritableFileOwnerWrapper::Fsync(options, debug));
  }

 private:
  IOStatus Checked(IOStatus status) const {
    if (!status.ok()) failure_("cannot write " + name_ + ": " + status.ToString());
    return status;
  }

  const std::string name_;
  const DiskFailure& failure_;
};

// The default file system; all files that are opened for writing are guarded.
class GuardedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit GuardedFileSystem(DiskFailure failure)
      : FileSystemWrapper(FileSystem::Default()), failure_(std::move(failure)) {}

  const char* Name() const override { return "lethe.guarded"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result,
                           IODebugContext* debug) override {
    return Guard(name, FileSystemWrapper::NewWritableFile(name, options, result, debug), result);
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* result,
                              IODebugContext* debug) override {
    return Guard(name, FileSystemWrapper::ReopenWritableFile(name, options, result, debug), result);
  }
  IOStatus ReuseWritableFile(const std::string& name, const std::string& old_name,
                             const FileOptions& options, std::unique_ptr<FSWritableFile>* result,
                             IODebugContext* debug) override {
    return Guard(name, FileSystemWrapper::ReuseWritableFile(name, old_name, options, result, debug),
                 result);
  }

 private:
  IOStatus Guard(const std::string& name, IOStatus status, std::unique_ptr<FSWritableFile>* file) {
    if (status.ok()) *file = std::make_unique<GuardedFile>(std::move(*file), name, failure_);
    return status;
  }

  const DiskFailure failure_;
};

}  // namespace

void LeaveOnDiskFailure(const std::string& message) {
  std::fprintf(stderr,
               "lethe: %s\nlethe: stopped at once; what was committed is safe. Make room or repair "
               "the disk, then start again: it goes on from the last commit.\n",
               message.c_str());
  _exit(kDiskExit);
}

std::unique_ptr<rocksdb::Env> NewGuardedEnv(DiskFailure failure) {
  return rocksdb::NewCompositeEnv(std::make_shared<GuardedFileSystem>(std::move(failure)));
}

}  // namespace lethe
