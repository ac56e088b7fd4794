#include "app/replay/result_files.h"

#include <filesystem>

namespace lethe {

Result<std::unique_ptr<ResultFiles>> ResultFiles::Open(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Status(ErrorCode::kDisk, folder + ": cannot create the folder: " + error.message());
  }
  auto files = std::make_unique<ResultFiles>();
  const struct {
    std::unique_ptr<StreamWriter>& writer;
    const char* name;
  } all[] = {{files->receipts_, "receipts.ndjson"},
             {files->notices_, "notices.ndjson"},
             {files->series_, "series.csv"},
             {files->summary_, "summary.json"},
             {files->model_, "model.json"}};
  for (const auto& file : all) {
    auto writer = StreamWriter::Open(folder + "/" + file.name);
    if (!writer.ok()) return writer.status();
    file.writer = std::move(writer).value();
  }
  return files;
}

Status ResultFiles::Close(const std::string& summary, const std::string& model) {
  LETHE_RETURN_IF_ERROR(summary_->WriteLine(summary));
  LETHE_RETURN_IF_ERROR(model_->WriteLine(model));
  for (StreamWriter* writer :
       {receipts_.get(), notices_.get(), series_.get(), model_.get(), summary_.get()}) {
    LETHE_RETURN_IF_ERROR(writer->Close());
  }
  return Status::Ok();
}

}  // namespace lethe
