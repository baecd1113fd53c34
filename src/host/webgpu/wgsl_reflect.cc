// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/wgsl_reflect.h"

#include <algorithm>
#include <set>

#include "host/webgpu/wgsl_tokens.h"

namespace weft::host {

namespace {

using Names = std::set<std::string_view>;

// The attributes before a declaration, a member or a result.
struct Attributes {
  std::optional<uint32_t> group, binding, id, location, size, align;
  bool vague = false;  // one of these has no literal number
  std::optional<WgslEntry::Stage> stage;
  std::vector<WgslType> workgroup_size;
};

class Reader {
 public:
  explicit Reader(std::string_view code) : code_(code), t_(code) {}

  WgslModule Read() {
    Attributes a;
    int depth = 0;
    while (!t_.end()) {
      const std::string_view now = t_.now();
      if (depth <= 0 && now == "@") {
        ReadAttribute(a);
        continue;
      }
      const bool declares = depth <= 0 && (now == "var" || now == "fn" || now == "struct" || now == "alias" || now == "const" ||
                                           now == "override" || now == "enable");
      if (declares) {
        t_.Next();
        if (now == "var") ReadVar(a);
        if (now == "fn") ReadFunction(a);
        if (now == "struct") ReadStruct();
        if (now == "alias") ReadAlias();
        if (now == "const" || now == "override") ReadNumber(a, now == "override");
        if (now == "enable") ReadEnables();
        a = {};
        continue;
      }
      if (now == "{" || now == "(" || now == "[") ++depth;
      if (now == "}" || now == ")" || now == "]") --depth;
      if (depth <= 0 && now == ";") a = {};
      t_.Next();
    }
    Resolve();
    return std::move(out_);
  }

 private:
  struct Resource {
    Attributes attributes;
    std::vector<std::string_view> space;
    std::string_view name;
    WgslType type;
  };
  struct Function {
    Names names;  // of module scope, as far as the body's own names do not hide them
  };
  struct EntryPoint {
    Attributes attributes, result;
    std::string_view name;
    WgslType returns;
  };

  // At '('; to behind its ')'. The arguments as tokens.
  std::vector<WgslType> Arguments() {
    std::vector<WgslType> all(1);
    int depth = 0;
    do {
      const std::string_view now = t_.now();
      const bool opens = now == "(", closes = now == ")";
      if (opens) ++depth;
      if (closes) --depth;
      if (now == "," && depth == 1) {
        all.emplace_back();
      } else if (!(opens && depth == 1) && !(closes && depth == 0)) {
        all.back().emplace_back(now);
      }
      t_.Next();
    } while (depth > 0 && !t_.end());
    if (all.back().empty()) all.pop_back();  // a trailing comma
    return all;
  }

  void ReadAttribute(Attributes& a) {
    t_.Next();  // '@'
    const std::string_view name = t_.now();
    t_.Next();
    std::vector<WgslType> arguments;
    if (t_.now() == "(") arguments = Arguments();
    std::optional<uint32_t>* number = name == "group"      ? &a.group
                                      : name == "binding"  ? &a.binding
                                      : name == "id"       ? &a.id
                                      : name == "location" ? &a.location
                                      : name == "size"     ? &a.size
                                      : name == "align"    ? &a.align
                                                           : nullptr;
    if (number) {
      *number = arguments.size() == 1 && arguments[0].size() == 1 ? WgslLiteral(arguments[0][0]) : std::nullopt;
      a.vague |= !*number;
    }
    if (name == "vertex") a.stage = WgslEntry::Stage::Vertex;
    if (name == "fragment") a.stage = WgslEntry::Stage::Fragment;
    if (name == "compute") a.stage = WgslEntry::Stage::Compute;
    if (name == "workgroup_size") a.workgroup_size = std::move(arguments);
  }

  // Until a token that cannot be of the type any more.
  WgslType ReadType(Names* names = nullptr) {
    WgslType type;
    int depth = 0;
    for (; !t_.end(); t_.Next()) {
      const std::string_view now = t_.now();
      if (depth == 0 && (now == "," || now == ")" || now == "}" || now == "{" || now == ";" || now == "=" || now == "@")) break;
      if (now == "<" || now == "(") ++depth;
      if (now == ">" || now == ")") --depth;
      if (depth < 0 || now == ";" || now == "{") break;
      type.emplace_back(now);
      if (names && WgslIdStart(now[0])) names->insert(now);
    }
    return type;
  }

  // `var<storage, read> name : type`.
  void ReadVar(const Attributes& a) {
    Resource r{a, {}, {}, {}};
    if (t_.now() == "<") {
      for (t_.Next(); !t_.end() && t_.now() != ">"; t_.Next()) {
        if (t_.now() != ",") r.space.push_back(t_.now());
      }
      t_.Next();
    }
    r.name = t_.now();
    t_.Next();
    if (t_.now() == ":") {
      t_.Next();
      r.type = ReadType();
    }
    resources_.push_back(std::move(r));
  }

  void ReadStruct() {
    const std::string name(t_.now());
    auto& members = out_.structs[name];
    t_.Next();
    if (t_.now() != "{") return;
    t_.Next();
    while (!t_.end() && t_.now() != "}") {
      Attributes a;
      while (t_.now() == "@") ReadAttribute(a);
      t_.Next();  // its name
      if (t_.now() != ":") continue;
      t_.Next();
      members.push_back({ReadType(), a.location, a.size, a.align, a.vague});
      if (t_.now() == ",") t_.Next();
    }
    t_.Next();
  }

  void ReadAlias() {
    const std::string name(t_.now());
    t_.Next();
    if (t_.now() != "=") return;
    t_.Next();
    out_.aliases[name] = ReadType();
  }

  void ReadNumber(const Attributes& a, bool is_override) {
    WgslNumber& n = out_.numbers[std::string(t_.now())];
    n = {is_override, a.id, {}};
    t_.Next();
    if (t_.now() == ":") {
      t_.Next();
      ReadType();
    }
    if (t_.now() != "=") return;
    t_.Next();
    const std::string_view first = t_.now();
    t_.Next();
    if (t_.now() == ";") n.value = WgslLiteral(first);
  }

  void ReadEnables() {
    for (; !t_.end() && t_.now() != ";"; t_.Next()) {
      if (t_.now() != ",") out_.enables.push_back({std::string(t_.now()), static_cast<size_t>(t_.now().data() - code_.data())});
    }
  }

  void ReadFunction(const Attributes& a) {
    EntryPoint entry{a, {}, t_.now(), {}};
    Function& f = functions_[t_.now()];
    scopes_.assign(1, {});
    t_.Next();
    if (t_.now() == "(") t_.Next();
    while (!t_.end() && t_.now() != ")" && t_.now() != "{") {
      Attributes unused;
      while (t_.now() == "@") ReadAttribute(unused);
      scopes_.back().names.insert(t_.now());
      t_.Next();
      if (t_.now() == ":") t_.Next();
      ReadType();
      if (t_.now() == ",") t_.Next();
    }
    if (t_.now() == ")") t_.Next();
    if (t_.now() == "-") {
      t_.Next();
      t_.Next();  // "->"
      while (t_.now() == "@") ReadAttribute(entry.result);
      entry.returns = ReadType();
    }
    while (!t_.end() && t_.now() != "{") t_.Next();
    ReadBody(f);
    if (a.stage) entries_.push_back(std::move(entry));
  }

  // At '{'; to behind its '}'.
  void ReadBody(Function& f) {
    std::vector<std::string_view> declared;  // known behind the end of their statement
    std::string_view before;
    for (; !t_.end(); before = t_.now(), t_.Next()) {
      const std::string_view now = t_.now();
      if (now == "for") {
        scopes_.push_back({true, {}});
      } else if (now == "{") {
        scopes_.push_back({false, {}});
      } else if (now == "}") {
        scopes_.pop_back();
        if (scopes_.size() > 1 && scopes_.back().is_for) scopes_.pop_back();
        if (scopes_.size() <= 1) break;
      } else if (now == ";") {
        scopes_.back().names.insert(declared.begin(), declared.end());
        declared.clear();
      } else if (now == "let" || now == "const" || now == "var") {
        t_.Next();
        if (t_.now() == "<") {
          while (!t_.end() && t_.now() != ">") t_.Next();
          t_.Next();
        }
        declared.push_back(t_.now());
      } else if (WgslIdStart(now[0]) && before != "." && before != "@" && !Hidden(now)) {
        f.names.insert(now);
      }
    }
    t_.Next();
  }

  bool Hidden(std::string_view name) const {
    return std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& s) { return s.names.contains(name); });
  }

  // An alias is what it stands for.
  const WgslType& Meant(const WgslType& type) const {
    const WgslType* meant = &type;
    for (int i = 0; i < 32 && meant->size() == 1; ++i) {
      const auto found = out_.aliases.find(meant->front());
      if (found == out_.aliases.end()) break;
      meant = &found->second;
    }
    return *meant;
  }

  // The index of a resource in `bindings`, or nothing.
  std::optional<uint32_t> Bind(const Resource& r) {
    const Attributes& a = r.attributes;
    if (a.vague) out_.uncertain = true;
    if (!a.group || !a.binding) return std::nullopt;
    WgslBinding b{*a.group, *a.binding, WgslBinding::Kind::Texture, std::string(r.name), WgslBinding::Access::Write};
    auto in_space = [&](std::string_view word) { return std::find(r.space.begin(), r.space.end(), word) != r.space.end(); };
    const WgslType& type = Meant(r.type);
    const std::string_view first = type.empty() ? std::string_view() : std::string_view(type.front());
    if (in_space("uniform")) {
      b.kind = WgslBinding::Kind::Uniform;
    } else if (in_space("storage")) {
      b.kind = in_space("read_write") || in_space("write") ? WgslBinding::Kind::StorageReadWrite : WgslBinding::Kind::StorageRead;
    } else if (first.starts_with("sampler")) {
      b.kind = WgslBinding::Kind::Sampler;
    } else if (first.starts_with("texture_storage")) {
      b.kind = WgslBinding::Kind::StorageTexture;
      auto has = [&](std::string_view word) { return std::find(type.begin(), type.end(), word) != type.end(); };
      if (has("read_write")) b.access = WgslBinding::Access::ReadWrite;
      if (has("read")) b.access = WgslBinding::Access::Read;
    } else if (!first.starts_with("texture_")) {
      out_.uncertain = true;
      return std::nullopt;
    }
    out_.bindings.push_back(std::move(b));
    return static_cast<uint32_t>(out_.bindings.size() - 1);
  }

  std::optional<std::vector<uint32_t>> Outputs(const EntryPoint& e) const {
    std::vector<uint32_t> outputs;
    if (e.result.vague) return std::nullopt;
    if (e.result.location) outputs.push_back(*e.result.location);
    const WgslType& type = Meant(e.returns);
    if (type.size() != 1) return outputs;
    const auto found = out_.structs.find(type.front());
    if (found == out_.structs.end()) return outputs;
    for (const WgslMember& m : found->second) {
      if (m.vague) return std::nullopt;
      if (m.location) outputs.push_back(*m.location);
    }
    return outputs;
  }

  // From functions to what they reach.
  void Resolve() {
    std::map<std::string_view, uint32_t> bindings;
    std::map<std::string_view, const WgslType*> workgroup;
    for (const Resource& r : resources_) {
      if (!r.space.empty() && r.space[0] == "workgroup") workgroup[r.name] = &r.type;
      out_.immediates |= !r.space.empty() && r.space[0] == "immediate";
      if (const auto index = Bind(r)) bindings[r.name] = *index;
    }
    for (const EntryPoint& e : entries_) {
      WgslEntry& out = out_.entries.emplace_back();
      out.stage = *e.attributes.stage;
      out.name = std::string(e.name);
      out.workgroup_size = e.attributes.workgroup_size;
      out.outputs = Outputs(e);
      Names reached{e.name};
      for (std::vector<std::string_view> todo{e.name}; !todo.empty();) {
        const auto f = functions_.find(todo.back());
        todo.pop_back();
        if (f == functions_.end()) continue;
        for (const std::string_view name : f->second.names) {
          if (!reached.insert(name).second) continue;
          todo.push_back(name);
          if (const auto b = bindings.find(name); b != bindings.end()) out.uses.push_back(b->second);
          if (const auto w = workgroup.find(name); w != workgroup.end()) out.workgroup.push_back(*w->second);
        }
      }
    }
  }

  struct Scope {
    bool is_for = false;  // the head of a loop; ends with its block
    Names names;
  };

  const std::string_view code_;
  WgslTokens t_;
  WgslModule out_;
  std::vector<Resource> resources_;
  std::vector<EntryPoint> entries_;
  std::map<std::string_view, Function> functions_;
  std::vector<Scope> scopes_;
};

}  // namespace

const WgslEntry* WgslModule::Find(WgslEntry::Stage stage, std::string_view name) const {
  for (const WgslEntry& e : entries) {
    if (e.stage == stage && e.name == name) return &e;
  }
  return nullptr;
}

WgslModule ReflectWgsl(std::string_view code) { return Reader(code).Read(); }

uint32_t WgslNesting(std::string_view code) {
  // Brackets nest. Operators, `else` and templates make trees as deep as they are long without any bracket: such a chain counts until the
  // statement or the argument ends. '<' may be "less than", so it counts only within its statement.
  constexpr std::string_view kOperators = "-!~*&+/%|^.=";
  WgslTokens t(code);
  uint32_t depth = 0, chain = 0, angles = 0, deepest = 0;
  while (!t.end()) {
    const char c = t.now().size() == 1 ? t.now()[0] : '\0';
    const bool closes_block = c == '}';
    if (c == '{' || c == '(' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ')' || c == ']') {
      if (depth > 0) --depth;
    } else if (c == '<') {
      ++angles;
    } else if (c == '>') {
      if (angles > 0) --angles;
    } else if (c == ';') {
      chain = angles = 0;
    } else if (c == ',') {
      chain = 0;
    } else if (c != '\0' && kOperators.find(c) != std::string_view::npos) {
      ++chain;
    } else if (t.now() == "else") {
      ++chain;
    }
    deepest = std::max(deepest, depth + chain + angles);
    t.Next();
    // "} else if" is one chain; any other block begins anew.
    if (closes_block && t.now() != "else") chain = angles = 0;
  }
  return deepest;
}

}  // namespace weft::host
