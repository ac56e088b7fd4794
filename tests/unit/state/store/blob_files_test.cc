// Bytes in files of their own: what is needed is read back, what is not is gone.

#include "state/store/blob_files.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace lethe::blob_files_test {
namespace {

class BlobFilesTest : public ::testing::Test {
 protected:
  BlobFilesTest() {
    folder_ = std::filesystem::temp_directory_path() / ("lethe-blobs-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
  }
  ~BlobFilesTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<BlobFiles> Open(std::vector<BlobLocation> needed = {}) {
    auto files = std::make_unique<BlobFiles>(
        folder_.string(), [this](const std::string& message) { failures_.push_back(message); });
    EXPECT_TRUE(files->Load(std::move(needed)).ok());
    return files;
  }
  static Result<std::string> Read(const BlobFiles& files, const BlobLocation& location) {
    std::string bytes;
    LETHE_RETURN_IF_ERROR(BlobFiles::Reader(files).Read(location, bytes));
    return bytes;
  }
  std::string Raw(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  static BlobLocation Append(BlobFiles::Writer& writer, const std::string& bytes,
                             std::uint64_t group = 0) {
    return writer.Append({bytes}, group).value().front();
  }
  std::size_t Count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
  std::vector<std::string> failures_;
};

TEST_F(BlobFilesTest, WhatIsAppendedIsReadBackAlsoFromManyFilesAndAfterAStart) {
  std::vector<BlobLocation> locations;
  const auto value = [](std::size_t i) {
    return std::string((std::size_t{1} << 20) + i, static_cast<char>('a' + i));
  };
  {
    const auto files = Open();
    BlobFiles::Writer writer(*files);
    for (std::size_t i = 0; i < 9; ++i) locations.push_back(Append(writer, value(i), i / 5));
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(Read(*files, locations[i]).value(), value(i));
  }
  EXPECT_EQ(Count(), 2u);
  EXPECT_LT(locations.front().file, locations.back().file);
  using std::filesystem::perms;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.status().permissions(), perms::owner_read | perms::owner_write);
  }
  const auto files = Open(locations);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(Read(*files, locations[i]).value(), value(i));
  EXPECT_EQ(files->released_bytes(), 0u);
  // What was there is never appended to.
  BlobFiles::Writer writer(*files);
  EXPECT_GT(Append(writer, "more").file, locations.back().file);
}

TEST_F(BlobFilesTest, DestroyedBytesAreGoneAndTheirNeighboursStay) {
  const auto files = Open();
  BlobFiles::Writer writer(*files);
  const BlobLocation before = Append(writer, std::string(5000, 'b'));
  const BlobLocation person = Append(writer, std::string(9000, 'p'));
  const BlobLocation after = Append(writer, std::string(5000, 'a'));
  EXPECT_EQ(files->bytes(), 19000u);
  EXPECT_NE(Raw("1").find('p'), std::string::npos);
  files->Release(person);
  EXPECT_EQ(files->released_bytes(), 9000u);
  ASSERT_TRUE(files->Destroy(files->TakeReleased()).ok());
  EXPECT_EQ(Raw("1"), std::string(5000, 'b') + std::string(9000, '\0') + std::string(5000, 'a'));
  EXPECT_EQ(Read(*files, before).value(), std::string(5000, 'b'));
  EXPECT_EQ(Read(*files, after).value(), std::string(5000, 'a'));
  EXPECT_EQ(files->bytes(), 10000u);
  EXPECT_EQ(files->released_bytes(), 0u);
  EXPECT_EQ(Read(*files, person).status().code(), ErrorCode::kInput);
}

TEST_F(BlobFilesTest, AFileThatNobodyNeedsIsRemovedOnceItIsNotWritten) {
  const auto files = Open();
  {
    BlobFiles::Writer writer(*files);
    files->Release(Append(writer, "one"));
    ASSERT_TRUE(files->Destroy(files->TakeReleased()).ok());
    EXPECT_EQ(Count(), 1u);
    const BlobLocation two = Append(writer, "two");
    EXPECT_EQ(Read(*files, two).value(), "two");
    files->Release(two);
  }
  EXPECT_EQ(Count(), 1u);
  ASSERT_TRUE(files->Destroy(files->TakeReleased()).ok());
  EXPECT_EQ(Count(), 0u);
  EXPECT_EQ(files->bytes(), 0u);
}

// As a crash leaves them between the files and the database.
TEST_F(BlobFilesTest, WhatNobodyHasHeardOfIsReleasedAtTheNextStart) {
  BlobLocation known;
  {
    const auto files = Open();
    BlobFiles::Writer writer(*files);
    Append(writer, "lost before");
    known = Append(writer, "known");
    Append(writer, "lost behind");
    BlobFiles::Writer other(*files);
    Append(other, "all lost");
  }
  EXPECT_EQ(Count(), 2u);
  const auto files = Open({known});
  ASSERT_TRUE(files->Destroy(files->TakeReleased()).ok());
  EXPECT_EQ(Count(), 1u);
  EXPECT_EQ(Raw("1"), std::string(11, '\0') + "known" + std::string(11, '\0'));
  EXPECT_EQ(Read(*files, known).value(), "known");
}

TEST_F(BlobFilesTest, DamageIsFound) {
  const auto files = Open();
  BlobLocation location;
  {
    BlobFiles::Writer writer(*files);
    location = Append(writer, std::string(1000, 'x'));
  }
  const auto path = folder_ / "1";
  const auto expect_damage = [&](const BlobLocation& wanted) {
    const auto read = Read(*files, wanted);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.status().code(), ErrorCode::kInput);
    EXPECT_NE(read.status().message().find("the state is damaged"), std::string::npos);
  };
  EXPECT_TRUE(Read(*files, location).ok());
  expect_damage({location.file, location.offset, location.size, location.checksum + 1});
  expect_damage({location.file, 1, location.size, location.checksum});
  expect_damage({location.file, std::uint64_t{1} << 40, location.size, location.checksum});
  expect_damage({location.file, 0, ~std::uint64_t{0}, location.checksum});
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(500).put('y');
  expect_damage(location);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(500).put('x');
  EXPECT_TRUE(Read(*files, location).ok());
  std::filesystem::resize_file(path, 999);
  expect_damage(location);
  std::filesystem::remove(path);
  expect_damage(location);
}

TEST_F(BlobFilesTest, ManyAtOnceLieOneBehindTheOther) {
  const auto files = Open();
  BlobFiles::Writer writer(*files);
  const BlobLocation before = Append(writer, "before");
  std::vector<std::string> texts;
  for (int i = 0; i < 2500; ++i) texts.emplace_back(static_cast<std::size_t>(i % 7), 'a' + i % 26);
  const auto locations = writer.Append({texts.begin(), texts.end()}, 0).value();
  ASSERT_EQ(locations.size(), texts.size());
  std::uint64_t end = before.size;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(locations[i].offset, end);
    end += texts[i].size();
    ASSERT_EQ(Read(*files, locations[i]).value(), texts[i]) << i;
  }
  EXPECT_EQ(files->bytes(), end);
  EXPECT_EQ(Append(writer, "after").offset, end);
}

TEST_F(BlobFilesTest, AWriteThatTheDiskRefusesIsAFailure) {
  const auto files = Open();
  BlobFiles::Writer writer(*files);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string value(2000, 'x');
  const auto locations = writer.Append({std::string_view(value).substr(0, 700), value, value}, 0);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(locations.ok());
  EXPECT_EQ(locations.status().code(), ErrorCode::kDisk);
  ASSERT_EQ(failures_.size(), 1u);
  EXPECT_NE(failures_.front().find("cannot write"), std::string::npos) << failures_.front();
}

}  // namespace
}  // namespace lethe::blob_files_test
