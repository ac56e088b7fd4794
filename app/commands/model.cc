#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/model/merge.h"
#include "connectors/file/stream_writer.h"
#include "connectors/system/sodium_hash.h"

namespace lethe {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string out;
  bool json = false;
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
  command.require_subcommand(1);
  CLI::App* merge = command.add_subcommand(
      "merge", "the average of models of different shards, weighted by what each has learned");
  merge->add_option("FILE", arguments->files, "model.json of replay, of /v1/model or of a topic")
      ->required();
  merge->add_option("--out", arguments->out, "write the average here");
  merge->add_flag("--json", arguments->json, "print the average, a model document itself");
  return [arguments] { return RunMerge(*arguments); };
}

}  // namespace lethe
