#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "state/store/disk_guard.h"

namespace lethe {

// Where a blob lies, and its checksum. A plain value: the blob need not exist.
struct BlobLocation {
  std::uint64_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;  // CRC-32C

  bool operator==(const BlobLocation&) const = default;
};

// Append-only blobs in the numbered files of a folder. A blob is written once and never changed; it
// is destroyed by zeros, and a file without blobs is removed. BlobFiles does not store locations:
// its user does, and releases those it no longer needs. docs/formats/state.md has the layout.
// Threads: thread-safe; each Writer and each Reader belongs to one thread. Ownership: it owns the
// files of the folder after Load, and must outlive its writers and readers. Failure: a write that
// the disk refuses calls `failure`, which normally ends the process. If it returns, the call
// returns kDisk, and the object must only be read from then on.
class BlobFiles {
 public:
  static std::uint32_t Checksum(std::string_view bytes);

  // Touches no file: the first Append creates the folder.
  BlobFiles(std::string folder, DiskFailure failure)
      : folder_(std::move(folder)), failure_(std::move(failure)) {}

  // Takes over the files of the folder. Every byte that is not in `needed` is released: its user
  // had released it before, or a crash came before its location was stored. Call it once, before
  // the first Append; not at all if the files are only read. kDisk: the folder cannot be listed.
  Status Load(std::vector<BlobLocation> needed);

  // Appends blobs to files of its own, one file at a time. Not thread-safe. Borrows `files`. After
  // an error it must not be used again.
  class Writer {
   public:
    explicit Writer(BlobFiles& files) : files_(files) {}
    ~Writer() { Close(); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Writes the values one after another and syncs the file: when it returns ok, they survive a
    // crash of the machine. Returns their locations, in order. A file holds values of one group
    // only, so another group begins a new file.
    Result<std::vector<BlobLocation>> Append(const std::vector<std::string_view>& values,
                                             std::uint64_t group);
    // Closes the file, and removes it if it is empty. The next Append begins a new one.
    void Close();
    // The group of the last Append; 0 before the first.
    std::uint64_t group() const { return group_; }

   private:
    Status Begin(std::uint64_t group);

    BlobFiles& files_;
    int file_ = -1;
    std::uint64_t group_ = 0;
    std::uint64_t number_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t room_ = 0;  // allocated bytes of the file, also behind end_
  };

  // Reads blobs, and keeps the last file open for the next one. Not thread-safe. Borrows `files`.
  class Reader {
   public:
    explicit Reader(const BlobFiles& files) : files_(files) {}
    ~Reader() { Close(); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Replaces `bytes` by the blob. kInput: the file is missing or too short, or the checksum is
    // wrong. kDisk: it cannot be read. `bytes` is then unspecified, and the reader stays usable.
    Status Read(const BlobLocation& location, std::string& bytes);

   private:
    void Close();

    const BlobFiles& files_;
    int file_ = -1;
    std::uint64_t number_ = 0;
  };

  // The user has dropped this location. The blob stays readable until it is destroyed.
  void Release(const BlobLocation& location);
  std::uint64_t released_bytes() const;

  // A range of bytes of a file, [offset, end).
  struct Extent {
    std::uint64_t file;
    std::uint64_t offset;
    std::uint64_t end;
  };
  // Hands over all released extents. The caller must pass them to Destroy: nothing else remembers
  // them until the next Load.
  std::vector<Extent> TakeReleased();
  // Overwrites the extents with zeros, and removes files that have no other bytes. When it returns
  // ok, this is on disk. After an error some extents may be left.
  Status Destroy(std::vector<Extent> extents);

  // The sum of all bytes that are not destroyed.
  std::uint64_t bytes() const;

 private:
  struct File {
    std::uint64_t bytes = 0;  // not destroyed
    bool is_written = false;  // a Writer has it open: it must not be removed
  };

  std::string PathOf(std::uint64_t file) const { return folder_ + "/" + std::to_string(file); }
  Status Failed(const std::string& doing, const std::string& path) const;
  // Makes new and removed names in the folder durable.
  Status Sync() const;
  Status Zero(std::uint64_t file, const std::vector<Extent>& extents) const;
  // If the file has exactly `destroyed` bytes left and no writer, drops it from files_ and returns
  // true: the caller removes it.
  bool Forget(std::uint64_t file, std::uint64_t destroyed);
  Status Unlink(std::uint64_t file) const;

  const std::string folder_;
  const DiskFailure failure_;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, File> files_;
  std::uint64_t next_ = 1;
  std::vector<Extent> released_;
  std::uint64_t released_bytes_ = 0;
};

}  // namespace lethe
