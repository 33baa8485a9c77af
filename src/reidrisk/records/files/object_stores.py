"""Object stores: what s3://, gs:// and az:// name, copied to this machine before it is read.

The copies lie in a folder of ours, which goes when the process does. Listing comes first, as empty
files of the same names, so that patterns, folders and keys mean what they mean on a disk.
"""

from __future__ import annotations

import errno
import glob
import os
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from reidrisk.errors import InputError, OutOfRoom, UnreadableInput
from reidrisk.machine import Progress
from reidrisk.output_files import temporary_folder
from reidrisk.records.files.source import FoundFile

Answer = TypeVar("Answer")
# The files that a path, a pattern or a folder names.
Choose = Callable[[str], list[FoundFile]]
# Seconds until a store that says nothing is called unreachable.
PATIENCE = 20
_BLOCK = 8 << 20
_AT_ONCE = 8
_NOT_ALLOWED = ("ACCESS_DENIED", "INVALID_ACCESS_KEY", "INVALID_CLIENT_TOKEN", "SIGNATURE",
                "PERMISSION_DENIED", "UNAUTHENTICATED", "AUTHENTICATION", "AUTHORIZATION",
                "OAUTH2", "CREDENTIAL", "FORBIDDEN", "HTTP STATUS 403", "HTTP STATUS 401",
                "NOT AUTHORIZED", "EXPIRED_TOKEN", "EXPIREDTOKEN")  # fmt: skip
_NOT_THERE = ("NO_SUCH_BUCKET", "NOSUCHBUCKET", "NOT_FOUND", "CONTAINERNOTFOUND", "NOT EXIST")
_CREDENTIALS = {
    "s3": "they come from AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws or the "
    "machine's role",
    "gs": "they come from GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login` "
    "or the machine's account",
    "az": "they come from AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, `az login` or the machine's "
    "identity",
}
# What was copied before in this process, as long as the store lists the same.
_here: dict[str, tuple[tuple[tuple[str, int, int], ...], list[FoundFile]]] = {}


def files_in_store(address: str, choose: Choose, progress: Progress) -> list[FoundFile]:
    """The files that an address names, copied here, with the keys of their folders.

    `choose` says which of the store's files an address names, as if they lay on a disk.
    """
    scheme, rest = address.split("://", 1)
    kind = {"gs": "gs", "gcs": "gs"}.get(scheme.lower(), "s3" if scheme[0] in "sS" else "az")
    bucket = rest.partition("/")[0]
    if not bucket or glob.has_magic(bucket):
        raise InputError(f"{scheme}://… names no bucket", f"as in {scheme}://bucket/folder/")
    try:
        return _Store(scheme, kind, bucket, rest).copied(address, choose, progress)
    except (OSError, pa.ArrowException) as error:
        raise _told(kind, f"{scheme}://{bucket}", error) from None


class _Store:
    """One bucket, by Arrow's reader."""

    def __init__(self, scheme: str, kind: str, bucket: str, rest: str) -> None:
        self.scheme, self.bucket = scheme, bucket.partition("@")[0]
        self.path = rest.replace(bucket, self.bucket, 1)
        make = {"s3": _s3, "gs": _gs, "az": _az}[kind]
        self.system = _within(lambda: make(bucket))

    def copied(self, address: str, choose: Choose, progress: Progress) -> list[FoundFile]:
        """List what is there, and copy what the address names of it."""
        listed = _within(self._listed)
        stamp = tuple(sorted((each.path, each.size, each.mtime_ns or 0) for each in listed))
        held = _here.get(address)
        if held is not None and held[0] == stamp and all(f.path.exists() for f in held[1]):
            return held[1]
        folder = temporary_folder()
        sizes = {self._placed(folder, each.path): each for each in listed}
        try:
            found = choose(f"{folder}/{self.path}")
        except InputError as error:
            here, there = f"{folder}/", f"{self.scheme}://"
            message, hint = (said.replace(here, there) for said in (error.message, error.hint))
            raise UnreadableInput(message, hint) from None
        self._copy({each.path: sizes[each.path] for each in found}, folder, progress)
        _here[address] = (stamp, found)
        return found

    def _listed(self) -> list[Any]:
        """The object itself, or all beneath the part of its name before a wildcard."""
        from pyarrow.fs import FileSelector, FileType

        exact = self.system.get_file_info(self.path.rstrip("/"))
        if exact.type == FileType.File and not self.path.endswith("/"):
            return [exact]
        parts = self.path.split("/")
        fixed = [part for part in parts if part]
        if exact.type == FileType.NotFound:
            magic = next((i for i, part in enumerate(parts) if glob.has_magic(part)), None)
            # Of a missing name the bucket is listed, which says whether there is a bucket.
            fixed = parts[:magic] if magic else [self.bucket]
            if magic is None:
                self.system.get_file_info(FileSelector(self.bucket))
                return []
        beneath = FileSelector("/".join(fixed), allow_not_found=len(fixed) > 1, recursive=True)
        everything = self.system.get_file_info(beneath)
        return [each for each in everything if each.type == FileType.File]

    def _placed(self, folder: Path, path: str) -> Path:
        """An empty file of an object's name, in our folder and nowhere else."""
        place = folder / path
        try:
            if any(part in ("", ".", "..") for part in path.split("/")) or "\0" in path:
                raise FileExistsError
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch(exist_ok=False)
        except (FileExistsError, NotADirectoryError):
            raise UnreadableInput(
                f"{self.scheme}://{path} has a name that no file can have here"
            ) from None
        return place

    def _copy(self, chosen: dict[Path, Any], folder: Path, progress: Progress) -> None:
        total = sum(each.size for each in chosen.values())
        free = shutil.disk_usage(folder).free
        if total > free:
            raise OutOfRoom(
                f"the objects take {total / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free",
                "they are copied to this machine first: free space there, or set TMPDIR",
            )
        done, telling = 0, threading.Lock()

        def bring(place: Path) -> None:
            nonlocal done
            # Compressed objects are copied as they are.
            stream = self.system.open_input_stream(chosen[place].path, compression=None)
            with stream, place.open("wb") as file:
                while block := stream.read(_BLOCK):
                    file.write(block)
                    with telling:
                        done += len(block)
                        progress("copying from the store", done, total)
            if place.stat().st_size != chosen[place].size:
                raise UnreadableInput(f"{place.name} changed while it was copied", "try again")

        with ThreadPoolExecutor(_AT_ONCE) as several:
            list(several.map(bring, chosen))


def _s3(bucket: str) -> Any:
    from pyarrow import fs

    if "@" in bucket:
        raise InputError("an address holds no credentials", _CREDENTIALS["s3"])
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not endpoint and not region:
        try:
            region = fs.resolve_s3_region(bucket)
        except OSError:
            # Its own error, when it is asked, says more.
            region = None
    return fs.S3FileSystem(
        endpoint_override=endpoint or None,
        region=region,
        connect_timeout=5,
        request_timeout=10,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=2),
    )


def _gs(_: str) -> Any:
    from pyarrow import fs

    return fs.GcsFileSystem(retry_time_limit=timedelta(seconds=8))


def _az(bucket: str) -> Any:
    """az://container/…, or abfss://container@account.dfs.core.windows.net/…"""
    from pyarrow import fs

    given = os.environ
    named = given.get("AZURE_STORAGE_ACCOUNT") or given.get("AZURE_STORAGE_ACCOUNT_NAME")
    account = bucket.partition("@")[2].partition(".")[0] or named
    if not account:
        raise InputError(
            "the address names no storage account",
            "set AZURE_STORAGE_ACCOUNT, or write abfss://container@account.dfs.core.windows.net/…",
        )
    key, token = given.get("AZURE_STORAGE_KEY"), given.get("AZURE_STORAGE_SAS_TOKEN")
    return fs.AzureFileSystem(account, account_key=key, sas_token=None if key else token)


def _within(ask: Callable[[], Answer]) -> Answer:
    """The answer, if it comes in time: Arrow's own patience differs from store to store.

    In a thread, so that an interrupt is heard meanwhile.
    """
    found: list[Answer] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(ask())
        except BaseException as error:
            failed.append(error)

    asking = threading.Thread(target=work, daemon=True)
    asking.start()
    asking.join(PATIENCE)
    if failed:
        raise failed[0]
    if not found:
        raise TimeoutError
    return found[0]


def _told(kind: str, bucket: str, error: Exception) -> InputError | OutOfRoom:
    """What went wrong; the store's own words may hold keys and addresses."""
    words = str(error).upper()
    if getattr(error, "errno", None) == errno.ENOSPC:
        return OutOfRoom("the disk is full: objects are copied here first", "set TMPDIR")
    if any(word in words for word in _NOT_THERE):
        return UnreadableInput(f"there is no bucket {bucket}, or nothing of that name in it")
    if any(word in words for word in _NOT_ALLOWED):
        return UnreadableInput(
            f"{bucket} may not be read with the credentials found", _CREDENTIALS[kind]
        )
    at = "; AWS_ENDPOINT_URL names a store other than Amazon's" if kind == "s3" else ""
    return UnreadableInput(
        f"{bucket} can't be reached, or didn't answer in time", f"check the network connection{at}"
    )
