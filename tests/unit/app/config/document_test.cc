// What can be wrong with a file before any key is looked at.
#include "app/config/document.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "app/config/read_file.h"
#include "tests/support/config_text.h"

namespace lethe::config::document_test {
namespace {

class ConfigFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("lethe-config-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& text) {
    const std::string path = folder_ / "lethe.yaml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(ConfigFileTest, AMissingFileIsAConfigErrorThatSaysSo) {
  const std::string path = folder_ / "nothing.yaml";
  const Result<Config> result = LoadConfig(path);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::kConfig);
  EXPECT_EQ(result.status().message(),
            path + ": cannot read the configuration file: No such file or directory");
}

TEST_F(ConfigFileTest, ADirectoryIsRefused) {
  EXPECT_EQ(LoadConfig(folder_).status().message(),
            folder_.string() + ": cannot read the configuration file: it is a directory");
}

TEST_F(ConfigFileTest, AnUnreadableFileIsRefused) {
  EXPECT_EQ(LoadConfig("/dev/null/x").status().message(),
            "/dev/null/x: cannot read the configuration file: Not a directory");
  // Opens, but no byte of it can be read.
  EXPECT_EQ(LoadConfig("/proc/self/mem").status().message(),
            "/proc/self/mem: cannot read the configuration file: reading failed");
}

TEST_F(ConfigFileTest, AHugeFileIsRefused) {
  const std::string path = Write(std::string(kMinimal) + std::string(kLargestFile, '#'));
  EXPECT_EQ(LoadConfig(path).status().message(),
            path + ": cannot read the configuration file: it is larger than 1 MiB");
  EXPECT_FALSE(LoadConfig("/dev/zero").ok());
}

TEST_F(ConfigFileTest, AFileOfTheLargestSizeIsRead) {
  std::string text = kMinimal;
  text += std::string(kLargestFile - text.size(), '#');
  EXPECT_TRUE(LoadConfig(Write(text)).ok());
}

TEST_F(ConfigFileTest, AllErrorsStandInTheMessageOneOnALine) {
  const std::string path = Write("model: {dimension: 0}\nfoo: 1\n");
  const Result<Config> result = LoadConfig(path);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::kConfig);
  const std::string& message = result.status().message();
  EXPECT_TRUE(message.starts_with(path + ":1: model.dimension: ")) << message;
  EXPECT_NE(message.find("\n" + path + ":2: foo: "), std::string::npos) << message;
}

TEST(ConfigDocumentTest, AnEmptyFileIsRefused) {
  for (const char* text : {"", "\n\n", "# nothing but a comment\n", "---\n", "null\n", "~"}) {
    EXPECT_EQ(Complaint(text),
              "f:1: the file is empty; allowed: at least model.dimension or model.hash_bits")
        << text;
  }
}

TEST(ConfigDocumentTest, AFileThatIsNoMappingIsRefused) {
  for (const char* text : {"hello", "- a\n- b\n", "42", "\"model: 1\"", "[model]"}) {
    EXPECT_EQ(Complaint(text),
              "f:1: the file is not a mapping of keys to values; allowed: lines "
              "such as 'model:'")
        << text;
  }
}

TEST(ConfigDocumentTest, BinaryGarbageIsRefused) {
  EXPECT_EQ(Complaint("\x7f\x45\x4c\x46"),
            "f:1: not a text file in UTF-8: byte 0x7f at position 0");
  EXPECT_EQ(Complaint(std::string("a: 1\nb: \0", 9)),
            "f:2: not a text file in UTF-8: byte 0x00 at position 8");
  EXPECT_EQ(Complaint("a: 1\n\n# caf\xe9\n"),
            "f:3: not a text file in UTF-8: byte 0xe9 at position 11");
  EXPECT_EQ(Complaint(std::string("\xff\xfe"
                                  "m\0o\0",
                                  6))
                .substr(0, 5),
            "f:1: ");
}

TEST(ConfigDocumentTest, SyntaxErrorsCarryLineAndColumn) {
  EXPECT_EQ(Complaint("model:\n  dimension: 20\n lambda: 0.1\n"),
            "f:3:2: YAML syntax: end of map not found");
  EXPECT_EQ(Complaint("model: [1, 2\n").substr(0, 4), "f:2:");
  EXPECT_EQ(Complaint("model: a: b\n").substr(0, 17), "f:1:9: YAML synta");
  EXPECT_EQ(Complaint("model: *nowhere\n").substr(0, 17), "f:1:8: YAML synta");
  EXPECT_EQ(Complaint("model: \"open\n").substr(0, 2), "f:");
}

TEST(ConfigDocumentTest, DuplicateKeysAreErrors) {
  EXPECT_EQ(Complaint("model:\n  dimension: 20\n  lambda: 1\n  dimension: 30\n"),
            "f:4: model.dimension: given twice; the first is on line 2");
  EXPECT_EQ(Complaint("model: {dimension: 20}\nmodel: {lambda: 1}\n"),
            "f:2: model: given twice; the first is on line 1");
  EXPECT_EQ(Complaint(std::string(kMinimal) +
                      "source: {kafka: {properties: {client.id: a, client.id: b}}}\n"),
            "f:3: source.kafka.properties.client.id: given twice; the first is on line 3");
}

TEST(ConfigDocumentTest, ASecondDocumentIsRefused) {
  EXPECT_EQ(Complaint(std::string(kMinimal) + "---\nnoise: {source: disabled}\n"),
            "f:3: more than one YAML document; the second begins here; allowed: one document");
}

// The YAML library makes no progress on such a text, and would return documents for ever.
TEST(ConfigDocumentTest, AStrayCommaDoesNotHang) {
  for (const char* text : {",", ", model: 1", "--- ,\n", "model: {dimension: 20}\n,\n"}) {
    EXPECT_EQ(Complaint(text).substr(0, 2), "f:") << text;
  }
}

TEST(ConfigDocumentTest, TagsAndOddKeysAreRefused) {
  EXPECT_EQ(Complaint("model:\n  dimension: !env DIM\n"),
            "f:2: model.dimension: YAML tags such as !env are not supported");
  EXPECT_EQ(Complaint(std::string(kMinimal) + "? [a, b]\n: 1\n"), "f:3: a key must be a word");
}

TEST(ConfigDocumentTest, NestingIsBounded) {
  EXPECT_EQ(Complaint("model: " + std::string(100'000, '[')), "f:1: too deeply nested");
  EXPECT_EQ(Complaint("a: &a [*a]\n").substr(0, 4), "f:1:");
  std::string deep = "x: ";
  for (int i = 0; i < 100; ++i) deep += "{x: ";
  EXPECT_NE(
      Complaint(deep + "1" + std::string(100, '}')).find("too many or too deeply nested values"),
      std::string::npos);
}

TEST(ConfigDocumentTest, AliasesDoNotExplode) {
  std::string text = "a0: &a0 [1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) text += ", " + last;
    text += "]\n";
  }
  EXPECT_NE(Complaint(text).find("too many or too deeply nested values"), std::string::npos);
}

TEST(ConfigDocumentTest, ErrorsAreBounded) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "k: 1\n";
  EXPECT_LT(Complaints(text).size(), static_cast<std::size_t>(2 * kMostValues));
}

TEST(ConfigDocumentTest, AliasesWork) {
  const LoadReport report =
      CheckText("model: {dimension: 3, lambda: &l 0.5}\nlearning: {eta: *l}\n");
  ASSERT_TRUE(report.config.has_value());
  EXPECT_EQ(report.config->spec.learning.eta, 0.5);
}

TEST(ConfigDocumentTest, ByteOrderMarkAndWindowsLinesAreFine) {
  EXPECT_EQ(Complaint("\xef\xbb\xbfmodel:\r\n  dimension: 20\r\n"), "no error");
  EXPECT_EQ(Complaint("%YAML 1.1\n---\nmodel: {dimension: 20}\n...\n"), "no error");
}

}  // namespace
}  // namespace lethe::config::document_test
