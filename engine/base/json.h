#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lethe {

// A writer of compact JSON. A number is written as the shortest decimal that reads back as the same
// double (at most 17 digits); a number that is not finite becomes null. The writer inserts commas
// and does not check that calls are balanced. Not thread-safe.
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }

  JsonWriter& Key(std::string_view name);
  JsonWriter& Value(std::string_view text);
  JsonWriter& Value(const char* text) { return Value(std::string_view(text)); }
  JsonWriter& Value(double number);
  JsonWriter& Value(std::int64_t number);
  JsonWriter& Value(bool truth);
  JsonWriter& Null();
  // Writes a value that is JSON already.
  JsonWriter& Raw(std::string_view json);

  template <typename T>
  JsonWriter& Field(std::string_view name, const T& value) {
    return Key(name).Value(value);
  }

  // The text so far; valid until the next call.
  const std::string& text() const { return text_; }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  void Separate();

  std::string text_;
  bool needs_comma_ = false;
};

// Appends a text as a JSON string, quoted and escaped. The text must be UTF-8.
void AppendQuoted(std::string_view text, std::string& out);

// The shortest decimal that reads back as the same double.
std::string ToText(double number);

// Lower-case hexadecimal.
std::string ToHex(const std::uint8_t* bytes, std::size_t size);

}  // namespace lethe
