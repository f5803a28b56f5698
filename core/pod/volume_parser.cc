#include "core/pod/volume_parser.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/pod/json_fields.h"

namespace podferry::pod_json {
namespace {

using json::Value;

void ReadItem(const Value& value, KeyToPath& item) {
  constexpr Field<KeyToPath> kFields[] = {{"key", Into<&KeyToPath::key>},
                                          {"path", Into<&KeyToPath::path>},
                                          {"mode", Into<&KeyToPath::mode>}};
  ReadFields(value, kFields, item);
}

void ReadDownwardItem(const Value& value, DownwardApiItem& item) {
  using I = DownwardApiItem;
  constexpr Field<I> kFields[] = {
      {"path", Into<&I::path>},
      {"mode", Into<&I::mode>},
      {"fieldRef",
       [](const Value& field, I& target) { Read(field.Get("fieldPath"), target.field_path); }},
      {"resourceFieldRef", [](const Value& resource, I& target) {
         Read(resource.Get("containerName"), target.resource_container);
         Read(resource.Get("resource"), target.resource);
         ReadQuantity(resource.Get("divisor"), target.divisor);
       }}};
  ReadFields(value, kFields, item);
}

template <typename Source>
ProjectedSource ReadProjectedObject(const Value& value) {
  constexpr Field<Source> kFields[] = {{"name", Into<&Source::name>},
                                       {"items", ListOf<&Source::items, ReadItem>},
                                       {"optional", Into<&Source::optional>}};
  Source source;
  ReadFields(value, kFields, source);
  return source;
}

ProjectedSource ReadProjection(absl::string_view type, const Value& value) {
  if (type == "configMap") return ReadProjectedObject<ProjectedConfigMap>(value);
  if (type == "secret") return ReadProjectedObject<ProjectedSecret>(value);
  if (type == "downwardAPI") {
    ProjectedDownwardApi source;
    ReadList(value.Get("items"), source.items, ReadDownwardItem);
    return source;
  }
  if (type == "serviceAccountToken") {
    ProjectedServiceAccountToken source;
    Read(value.Get("path"), source.path);
    Read(value.Get("audience"), source.audience);
    Read(value.Get("expirationSeconds"), source.expiration_seconds);
    return source;
  }
  return ProjectedUnknown{std::string(type)};
}

// The one member that is present and not "name"; an issue if there are two.
template <typename ReadMember>
void ReadOnlySource(const Value& value, const ReadMember& read) {
  absl::string_view found;
  for (const json::Member member : value.Members()) {
    if (member.key == "name" || !member.value.present()) continue;
    if (!found.empty()) {
      value.AddIssue(
          absl::StrCat("has two sources, ", found, " and ", member.key, "; may have only one"));
      return;
    }
    found = member.key;
    read(member.key, member.value);
  }
}

void ReadProjectedSource(const Value& value, ProjectedSource& source) {
  ReadOnlySource(value, [&](absl::string_view type, const Value& member) {
    source = ReadProjection(type, member);
  });
}

VolumeSource ReadEmptyDir(const Value& value) {
  constexpr Field<EmptyDirVolume> kFields[] = {
      {"medium", Into<&EmptyDirVolume::medium>},
      {"sizeLimit", QuantityInto<&EmptyDirVolume::size_limit>},
  };
  EmptyDirVolume source;
  ReadFields(value, kFields, source);
  return source;
}

VolumeSource ReadConfigMap(const Value& value) {
  constexpr Field<ConfigMapVolume> kFields[] = {
      {"name", Into<&ConfigMapVolume::name>},
      {"items", ListOf<&ConfigMapVolume::items, ReadItem>},
      {"defaultMode", Into<&ConfigMapVolume::default_mode>},
      {"optional", Into<&ConfigMapVolume::optional>},
  };
  ConfigMapVolume source;
  ReadFields(value, kFields, source);
  return source;
}

VolumeSource ReadSecret(const Value& value) {
  constexpr Field<SecretVolume> kFields[] = {
      {"secretName", Into<&SecretVolume::secret_name>},
      {"items", ListOf<&SecretVolume::items, ReadItem>},
      {"defaultMode", Into<&SecretVolume::default_mode>},
      {"optional", Into<&SecretVolume::optional>},
  };
  SecretVolume source;
  ReadFields(value, kFields, source);
  return source;
}

VolumeSource ReadProjected(const Value& value) {
  ProjectedVolume source;
  ReadList(value.Get("sources"), source.sources, ReadProjectedSource);
  Read(value.Get("defaultMode"), source.default_mode);
  return source;
}

VolumeSource ReadDownwardApi(const Value& value) {
  DownwardApiVolume source;
  ReadList(value.Get("items"), source.items, ReadDownwardItem);
  Read(value.Get("defaultMode"), source.default_mode);
  return source;
}

VolumeSource ReadHostPath(const Value& value) {
  HostPathVolume source;
  Read(value.Get("path"), source.path);
  Read(value.Get("type"), source.type);
  return source;
}

VolumeSource ReadClaim(const Value& value) {
  PersistentVolumeClaimVolume source;
  Read(value.Get("claimName"), source.claim_name);
  Read(value.Get("readOnly"), source.read_only);
  return source;
}

VolumeSource ReadNfs(const Value& value) {
  NfsVolume source;
  Read(value.Get("server"), source.server);
  Read(value.Get("path"), source.path);
  Read(value.Get("readOnly"), source.read_only);
  return source;
}

VolumeSource ReadCsi(const Value& value) {
  CsiVolume source;
  Read(value.Get("driver"), source.driver);
  Read(value.Get("readOnly"), source.read_only);
  Read(value.Get("fsType"), source.fs_type);
  Read(value.Get("volumeAttributes"), source.attributes);
  return source;
}

VolumeSource ReadEphemeral(const Value& value) {
  EphemeralVolume source;
  const Value spec = value.Get("volumeClaimTemplate").Get("spec");
  Read(spec.Get("storageClassName"), source.storage_class_name);
  ReadQuantity(spec.Get("resources").Get("requests").Get("storage"), source.storage_request);
  return source;
}

VolumeSource ReadSource(absl::string_view type, const Value& value) {
  constexpr struct {
    absl::string_view type;
    VolumeSource (*read)(const Value&);
  } kReaders[] = {
      {"emptyDir", ReadEmptyDir},
      {"configMap", ReadConfigMap},
      {"secret", ReadSecret},
      {"projected", ReadProjected},
      {"downwardAPI", ReadDownwardApi},
      {"hostPath", ReadHostPath},
      {"persistentVolumeClaim", ReadClaim},
      {"nfs", ReadNfs},
      {"csi", ReadCsi},
      {"ephemeral", ReadEphemeral},
  };
  for (const auto& reader : kReaders) {
    if (reader.type == type) return reader.read(value);
  }
  return UnknownVolume{std::string(type)};
}

}  // namespace

void ReadVolume(const Value& value, Volume& volume) {
  Read(value.Get("name"), volume.name);
  ReadOnlySource(value, [&](absl::string_view type, const Value& member) {
    volume.source = ReadSource(type, member);
  });
}

}  // namespace podferry::pod_json
