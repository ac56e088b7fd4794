#include <test_paths.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "http/web_files.h"
#include "tests/support/http_fixture.h"

// The dashboard's files.
namespace lethe::page_test {
namespace {

using testing::Get;
using testing::HttpReply;
using testing::RunningServer;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(HttpPage, EveryFileIsBuiltIn) {
  RunningServer server;
  std::size_t files = 0;
  const std::filesystem::path web = LETHE_SOURCE_DIR "/web";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(web)) {
    const std::string name = std::filesystem::relative(entry.path(), web);
    if (entry.is_directory() || name.ends_with(".cmake")) continue;
    const HttpReply reply = Get(server.url, "/web/" + name);
    if (name.starts_with("report/")) {
      EXPECT_EQ(reply.status, 404) << name;  // for pages that other commands write
      ++files;
      continue;
    }
    EXPECT_EQ(reply.status, 200) << name;
    EXPECT_EQ(reply.body, ReadFile(entry.path())) << name;
    ++files;
  }
  EXPECT_EQ(files, EmbeddedWebFiles().size());
  EXPECT_EQ(Get(server.url, "/").body, Get(server.url, "/web/index.html").body);
}

TEST(HttpPage, RunsItsOwnScriptsOnly) {
  RunningServer server;
  const HttpReply page = Get(server.url, "/");
  const std::string policy = page.headers.at("content-security-policy");
  EXPECT_NE(policy.find("script-src 'self';"), std::string::npos) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
  for (const char* forbidden : {"<style", "style=", "onclick", "http://lethe", "https://"}) {
    EXPECT_EQ(page.body.find(forbidden), std::string::npos) << forbidden;
  }
  EXPECT_EQ(Get(server.url, "/web/app.js").headers.at("content-type"),
            "text/javascript; charset=utf-8");
  // Data gets no such rights.
  EXPECT_EQ(Get(server.url, "/v1/status").headers.at("content-security-policy").find("'self'"),
            std::string::npos);
}

TEST(HttpPage, AnotherRootShowsTheSameNamesOnly) {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("lethe-web-" + std::to_string(getpid()));
  std::filesystem::create_directories(root);
  std::ofstream(root / "app.js") << "changed";
  std::ofstream(root / "secret") << "secret";
  RunningServer server(testing::DenseFacts(), std::nullopt, {.web_root = root.string()});
  EXPECT_EQ(Get(server.url, "/web/app.js").body, "changed");
  EXPECT_EQ(Get(server.url, "/").status, 404);
  for (const char* name : {"secret", "../secret", "%2e%2e/secret", "", "app.js/", "/etc/passwd"}) {
    EXPECT_EQ(Get(server.url, std::string("/web/") + name).status, 404) << name;
  }
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace lethe::page_test
