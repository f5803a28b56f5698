#!/usr/bin/env python3
"""Writes a container image as an OCI archive: the same input, the same bytes, and so the same digest.

  oci_image.py DESCRIPTION.json ROOTS OUT.tar
  oci_image.py --names ARCHIVE.tar                prints the names that it was given

DESCRIPTION has `name` (docker.io/library/busybox:1), `also` (more names, as of images that a test's pods
want and that cannot be had), `root` (ROOTS/<root>.tar is the first layer),
`files` (a second layer: path -> {from, mode, uid}; a path that ends in / is a folder) and `config`,
Docker's: Entrypoint, Cmd, Env, User, WorkingDir, Labels.
"""

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile

MEDIA = "application/vnd.oci.image."
ALSO = "podferry.testenv.also"
MADE_AT = "2025-01-01T00:00:00Z"


def digest(blob):
    return "sha256:" + hashlib.sha256(blob).hexdigest()


def add_bytes(archive, name, content, mode=0o644, uid=0):
    member = tarfile.TarInfo(name)
    member.mode, member.uid, member.gid = mode, uid, uid
    if name.endswith("/"):
        member.type = tarfile.DIRTYPE
        archive.addfile(member)
    else:
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


def files_layer(files, folder):
    """Each file's content is folder/files/<from>."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for path, file in sorted(files.items()):
            mode = int(file.get("mode", "755" if path.endswith("/") else "644"), 8)
            content = b""
            if "from" in file:
                with open(f"{folder}/files/{file['from']}", "rb") as source:
                    content = source.read()
            add_bytes(archive, path.lstrip("/"), content, mode, file.get("uid", 0))
    return out.getvalue()


class Layout:
    """An OCI image layout in the making: its blobs by digest."""

    def __init__(self):
        self.blobs = {}

    def add(self, blob, media_type):
        self.blobs[digest(blob)] = blob
        return {"mediaType": MEDIA + media_type, "digest": digest(blob), "size": len(blob)}

    def add_json(self, value, media_type):
        return self.add(json.dumps(value, sort_keys=True).encode(), media_type)

    def write(self, path, index):
        with tarfile.open(path, "w") as archive:
            add_bytes(archive, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
            add_bytes(archive, "index.json", json.dumps(index, sort_keys=True).encode())
            add_bytes(archive, "blobs/", b"", 0o755)  # Apptainer makes no folders by itself
            add_bytes(archive, "blobs/sha256/", b"", 0o755)
            for name, blob in sorted(self.blobs.items()):
                add_bytes(archive, "blobs/" + name.replace(":", "/"), blob)


def make(description, layers, out):
    layout = Layout()
    packed = [
        layout.add(gzip.compress(layer, compresslevel=1, mtime=0), "layer.v1.tar+gzip")
        for layer in layers
    ]
    config = layout.add_json(
        {
            "created": MADE_AT,
            "architecture": "amd64",
            "os": "linux",
            "config": description["config"],
            "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer in layers]},
            "history": [{"created": MADE_AT, "created_by": "tools/testenv"} for _ in layers],
        },
        "config.v1+json",
    )
    manifest = layout.add_json(
        {
            "schemaVersion": 2,
            "mediaType": MEDIA + "manifest.v1+json",
            "config": config,
            "layers": packed,
        },
        "manifest.v1+json",
    )
    manifest["annotations"] = {
        "org.opencontainers.image.ref.name": description["name"],
        ALSO: " ".join(description.get("also", [])),
    }
    layout.write(out, {"schemaVersion": 2, "manifests": [manifest]})


def main(description_path, roots, out):
    with open(description_path, encoding="utf-8") as file:
        description = json.load(file)
    with open(f"{roots}/{description['root']}.tar", "rb") as file:
        layers = [file.read()]
    if description.get("files"):
        layers.append(files_layer(description["files"], os.path.dirname(description_path)))
    make(description, layers, out)


def names_of(path):
    with tarfile.open(path) as archive:
        index = json.load(archive.extractfile("index.json"))
    annotations = index["manifests"][0]["annotations"]
    return [annotations["org.opencontainers.image.ref.name"], *annotations[ALSO].split()]


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--names":
        print("\n".join(names_of(sys.argv[2])))
    elif len(sys.argv) == 4:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
