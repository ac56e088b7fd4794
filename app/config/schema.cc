#include "app/config/schema.h"

#include <map>

#include "app/config/field.h"

namespace lethe {
namespace {

using config::Field;
using config::Quote;

// A group of keys on its way to becoming an object of the schema. Keys keep the table's order.
struct Group {
  std::vector<std::string> order;
  std::map<std::string, Group> groups;
  std::map<std::string, const Field*> fields;
};

Group GroupFields() {
  Group root;
  for (const Field& field : config::Fields()) {
    Group* group = &root;
    std::string rest = field.path;
    for (std::size_t dot; (dot = rest.find('.')) != std::string::npos; rest.erase(0, dot + 1)) {
      const std::string word = rest.substr(0, dot);
      if (!group->groups.contains(word)) group->order.push_back(word);
      group = &group->groups[word];
    }
    group->order.push_back(rest);
    group->fields[rest] = &field;
  }
  return root;
}

// A variable may stand for any value; the loader checks what it holds.
std::string FieldSchema(const Field& field) {
  return "{\"description\": " + Quote(field.description + " (" + field.allowed + ")") +
         ", \"default\": " + field.Json(Config()) + ", \"anyOf\": [" + field.schema +
         (field.nullable ? ", {\"type\": \"null\"}" : "") +
         ", {\"$ref\": \"#/definitions/variable\"}]}";
}

// Null is a group whose keys are all commented out.
std::string GroupSchema(const Group& group, const std::string& indent) {
  const std::string inner = indent + "    ";
  const std::string type = indent.empty() ? "\"object\"" : "[\"object\", \"null\"]";
  std::string text = "{\n" + indent + "  \"type\": " + type + ",\n" + indent +
                     "  \"additionalProperties\": false,\n" + indent + "  \"properties\": {\n";
  for (const std::string& word : group.order) {
    const auto field = group.fields.find(word);
    text += inner + Quote(word) + ": ";
    text += field != group.fields.end() ? FieldSchema(*field->second)
                                        : GroupSchema(group.groups.at(word), inner);
    text += word == group.order.back() ? "\n" : ",\n";
  }
  return text + indent + "  }\n" + indent + "}";
}

}  // namespace

std::string SchemaJson() {
  const std::string body = GroupSchema(GroupFields(), "");
  return "{\n"
         "  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
         "  \"title\": \"Lethe configuration\",\n"
         "  \"definitions\": {\"variable\": {\"type\": \"string\", \"pattern\": "
         "\"\\\\$\\\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\\\}\"}},\n" +
         body.substr(2) + "\n";
}

}  // namespace lethe
