"""A throw-away object store that speaks S3: moto's server on a free loopback port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

SECRET = "Xq7-secret"


@dataclass(frozen=True)
class Objects:
    """A running store."""

    endpoint: str

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "tester",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_REGION": "us-east-1",
        }

    def keep(self, bucket: str, objects: dict[str, bytes]) -> None:
        """A bucket of these objects, and no others."""
        import boto3

        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id="tester",
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
        )
        client.create_bucket(Bucket=bucket)
        for key, content in objects.items():
            client.put_object(Bucket=bucket, Key=key, Body=content)

    def keep_folder(self, bucket: str, folder: Path) -> None:
        """A bucket of the files of a folder."""
        files = [file for file in folder.rglob("*") if file.is_file()]
        self.keep(bucket, {str(file.relative_to(folder)): file.read_bytes() for file in files})


@contextmanager
def running_objects() -> Iterator[Objects]:
    """The store, for as long as the block lasts; skipped where moto isn't installed."""
    server = pytest.importorskip("moto.server", reason="pip install 'moto[server]' to test S3")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    try:
        yield Objects(f"http://{host}:{port}")
    finally:
        running.stop()
