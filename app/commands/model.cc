#include <unistd.h>

#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/model/export.h"
#include "app/model/merge.h"
#include "app/run/connection.h"
#include "connectors/file/stream_writer.h"
#include "connectors/system/sodium_hash.h"

namespace lethe {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string out;
  bool json = false;
  // export
  std::string source;
  std::string config;
  std::string token_file;
  std::string format;
};

void PrintTable(const std::vector<ModelFile>& files) {
  std::int64_t total = 0;
  for (const ModelFile& file : files) total += file.learned;
  std::printf("%6s  %12s  %7s  %s\n", "SHARDS", "LEARNED", "WEIGHT", "FILE");
  for (const ModelFile& file : files) {
    const double share =
        total == 0 ? 0 : static_cast<double>(file.learned) / static_cast<double>(total);
    std::printf("%6zu  %12lld  %6.2f%%  %s\n", file.shards.size(),
                static_cast<long long>(file.learned), 100 * share, file.path.c_str());
  }
}

// The format from --format, or else from the name of the output file.
ModelFormat FormatOf(const Arguments& arguments) {
  if (arguments.format.empty()) {
    return arguments.out.ends_with(".onnx") ? ModelFormat::kOnnx : ModelFormat::kJson;
  }
  return arguments.format == "onnx" ? ModelFormat::kOnnx : ModelFormat::kJson;
}

Result<std::string> Export(const Arguments& arguments) {
  const ModelFormat format = FormatOf(arguments);
  if (arguments.source.empty()) {
    const auto config = LoadChecked(arguments.config);
    if (!config.ok()) return config.status();
    const auto plan = MakePlan(config.value(), arguments.config);
    if (!plan.ok()) return plan.status();
    return ExportFromState(config.value(), plan.value(), format);
  }
  if (arguments.source.find("://") == std::string::npos) {
    return ExportFromFile(arguments.source, format);
  }
  std::optional<std::string> token;
  if (!arguments.token_file.empty()) {
    auto read = ReadSecret(arguments.token_file);
    if (!read.ok()) return Status(ErrorCode::kInput, "--token-file: " + read.status().message());
    token = std::move(read).value();
  }
  return ExportFromDaemon(arguments.source, token, format);
}

Status RunExport(const Arguments& arguments) {
  if (arguments.source.empty() == arguments.config.empty()) {
    return {ErrorCode::kUsage,
            "model export: name a daemon, a model.json or a folder of replay; or --config FILE "
            "for the state of a daemon"};
  }
  const bool to_stdout = arguments.out.empty() || arguments.out == "-";
  if (to_stdout && FormatOf(arguments) == ModelFormat::kOnnx && isatty(STDOUT_FILENO) == 1) {
    return {ErrorCode::kUsage, "model export: ONNX is not for a terminal; use --out FILE"};
  }
  const auto bytes = Export(arguments);
  if (!bytes.ok()) return bytes.status();
  auto out = StreamWriter::Open(to_stdout ? "-" : arguments.out);
  if (!out.ok()) return out.status();
  LETHE_RETURN_IF_ERROR(out.value()->Write(bytes.value()));
  return out.value()->Close();
}

Status RunMerge(const Arguments& arguments) {
  const SodiumHasher hasher;
  std::vector<ModelFile> files;
  for (const std::string& path : arguments.files) {
    auto file = ReadModel(path, hasher);
    if (!file.ok()) return file.status();
    files.push_back(std::move(file).value());
  }
  const auto merged = MergeModels(files, hasher);
  if (!merged.ok()) return merged.status();
  if (!arguments.out.empty()) {
    auto out = StreamWriter::Open(arguments.out);
    if (!out.ok()) return out.status();
    LETHE_RETURN_IF_ERROR(out.value()->WriteLine(merged.value()));
    LETHE_RETURN_IF_ERROR(out.value()->Close());
  }
  if (arguments.json) {
    std::printf("%s\n", merged.value().c_str());
  } else {
    PrintTable(files);
    if (arguments.out.empty()) std::fprintf(stderr, "--json or --out FILE gives the average\n");
  }
  return Status::Ok();
}

}  // namespace

Run AddModel(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  auto run = std::make_shared<Run>();
  command.require_subcommand(1);
  CLI::App* merge = command.add_subcommand(
      "merge", "the average of models of different shards, weighted by what each has learned");
  merge->add_option("FILE", arguments->files, "model.json of replay, of /v1/model or of a topic")
      ->required();
  merge->add_option("--out", arguments->out, "write the average here");
  merge->add_flag("--json", arguments->json, "print the average, a model document itself");
  merge->final_callback([run, arguments] { *run = [arguments] { return RunMerge(*arguments); }; });

  CLI::App* out = command.add_subcommand(
      "export", "the model of a daemon, a state or a replay, as JSON or ONNX");
  out->add_option("SOURCE", arguments->source,
                  "http://127.0.0.1:9464, a model.json, or the folder of a replay");
  out->add_option("--config", arguments->config,
                  "instead of SOURCE: the state of this configuration, also while it runs");
  out->add_option("--out", arguments->out, "write here (standard output)");
  out->add_option("--format", arguments->format, "json or onnx (by the name of --out, else json)")
      ->check(CLI::IsMember({"json", "onnx"}));
  out->add_option("--token-file", arguments->token_file, "the token of the daemon, if it asks");
  out->final_callback([run, arguments] { *run = [arguments] { return RunExport(*arguments); }; });
  return [run] { return (*run)(); };
}

}  // namespace lethe
