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

// Where some bytes lie, and what they must be.
struct BlobLocation {
  std::uint64_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;  // CRC-32C

  bool operator==(const BlobLocation&) const = default;
};

// Bytes in numbered files of a folder: written once, at the end of a file, overwritten by nothing
// but zeros, and destroyed when nobody needs them. The owner of the locations knows what is needed;
// docs/formats/state.md has the bytes. Thread-safe.
class BlobFiles {
 public:
  static std::uint32_t Checksum(std::string_view bytes);

  // The folder is made for the first file.
  BlobFiles(std::string folder, DiskFailure failure)
      : folder_(std::move(folder)), failure_(std::move(failure)) {}

  // Takes over the files that are there. All but `needed` is released: it was when the process
  // ended, or nobody has heard of it. Before anything is appended.
  Status Load(std::vector<BlobLocation> needed);

  // Appends, to files of its own. Not thread-safe.
  class Writer {
   public:
    explicit Writer(BlobFiles& files) : files_(files) {}
    ~Writer() { Close(); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Writes them one behind the other, all in one call, which the file system takes in larger
    // pieces. They survive a crash of the machine. Returns where they lie. A file has values of one
    // group only.
    Result<std::vector<BlobLocation>> Append(const std::vector<std::string_view>& values,
                                             std::uint64_t group);
    // The next Append begins a new file.
    void Close();
    // That of the last Append.
    std::uint64_t group() const { return group_; }

   private:
    Status Begin(std::uint64_t group);

    BlobFiles& files_;
    int file_ = -1;
    std::uint64_t group_ = 0;
    std::uint64_t number_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t room_ = 0;  // that the file has, behind the end too
  };

  // Reads; the last file stays open for the next time. Not thread-safe.
  class Reader {
   public:
    explicit Reader(const BlobFiles& files) : files_(files) {}
    ~Reader() { Close(); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // kInput: they are not there, or not what they were.
    Status Read(const BlobLocation& location, std::string& bytes);

   private:
    void Close();

    const BlobFiles& files_;
    int file_ = -1;
    std::uint64_t number_ = 0;
  };

  // Nobody will ask for it any more.
  void Release(const BlobLocation& location);
  std::uint64_t released_bytes() const;

  // Released, and not destroyed yet; whoever takes it destroys it.
  struct Extent {
    std::uint64_t file;
    std::uint64_t offset;
    std::uint64_t end;
  };
  std::vector<Extent> TakeReleased();
  // The bytes are gone from the disk when this returns, and so are files with no others.
  Status Destroy(std::vector<Extent> extents);

  // That are not destroyed.
  std::uint64_t bytes() const;

 private:
  struct File {
    std::uint64_t bytes = 0;  // that are not destroyed
    bool is_written = false;  // a Writer has it
  };

  std::string PathOf(std::uint64_t file) const { return folder_ + "/" + std::to_string(file); }
  Status Failed(const std::string& doing, const std::string& path) const;
  // Of the folder: the names of its files.
  Status Sync() const;
  Status Zero(std::uint64_t file, const std::vector<Extent>& extents) const;
  // True: the file had nothing but so many destroyed bytes, and is forgotten.
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
