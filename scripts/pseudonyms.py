"""Pseudonyms for annotator ids in the published file: keyed hashes, made at publication from a key only its owner has.

The work database keeps the ids. DISSENT_PSEUDONYMS says which data sets get pseudonyms: `brought` (the default; those
that `make add` or the variable vote_relations brought), `all` or `none`. The key is DISSENT_PSEUDONYM_KEY; without it
one is made at random, once, and kept beside the work database. It is never written anywhere else.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from duckdb import DuckDBPyConnection

MODES = ("brought", "all", "none")
DIGITS = 16  # of 64 hexadecimal ones: short enough to read, and a million annotators collide once in 30 million times
LEAST_KEY = 16  # characters: a key that can be guessed gives every id away
KEY_FILE = "pseudonym.key"
# Dropped again at the end; a temporary table is in no file that anybody opens.
MAPPING = "annotator_pseudonyms"


class PseudonymError(Exception):
    """One sentence for the user."""


@dataclass(frozen=True)
class Pseudonyms:
    """Which ids are replaced, and where the key is; the key itself is in no representation of this."""

    mode: str
    key_file: Path
    key: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(cls, work: Path) -> Pseudonyms:
        """What the environment asks for; `work` is the work database's path. Raises PseudonymError."""
        mode = os.environ.get("DISSENT_PSEUDONYMS") or MODES[0]
        key = os.environ.get("DISSENT_PSEUDONYM_KEY") or None
        if mode not in MODES:
            raise PseudonymError(f"DISSENT_PSEUDONYMS is {mode!r}: set it to one of {', '.join(MODES)}")
        if key is not None and len(key) < LEAST_KEY:
            raise PseudonymError(f"DISSENT_PSEUDONYM_KEY has fewer than {LEAST_KEY} characters: take a longer one")
        return cls(mode, work.with_name(KEY_FILE), key)

    def create_mapping(self, connection: DuckDBPyConnection, tables: Sequence[str], brought: Sequence[str]) -> None:
        """Make the temporary table MAPPING: dataset_id, annotator_id, pseudonym, a row for each id that is replaced.

        `tables` are SQL names of relations with the columns dataset_id and annotator_id. Raises PseudonymError where
        two annotators of a data set would get the same pseudonym.
        """
        ids = []
        if tables and self.mode != "none":
            wanted = "list_contains($brought, dataset_id)" if self.mode == "brought" else "true"
            ids = connection.execute(
                " union ".join(
                    f"select dataset_id, annotator_id from {table} where annotator_id is not null and {wanted}"
                    for table in tables
                ),
                {"brought": list(brought)} if self.mode == "brought" else None,
            ).fetchall()
        connection.execute(
            f"create or replace temporary table {MAPPING} (dataset_id varchar, annotator_id varchar, pseudonym varchar)"
        )
        if not ids:
            return
        key = self._key_bytes()
        connection.execute(
            f"insert into {MAPPING} select unnest($1), unnest($2), unnest($3)",
            [[d for d, _ in ids], [a for _, a in ids], [pseudonym(key, d, a) for d, a in ids]],
        )
        collision = connection.execute(
            f"select dataset_id from {MAPPING} group by dataset_id, pseudonym having count(*) > 1 limit 1"
        ).fetchone()
        if collision:
            raise PseudonymError(
                f"two annotators of {collision[0]} get the same pseudonym: take another key (DISSENT_PSEUDONYM_KEY, or "
                f"remove {self.key_file.name})"
            )

    def _key_bytes(self) -> bytes:
        """The key: the environment's, else the one in the file, which is made where there is none."""
        if self.key is not None:
            return self.key.encode()
        if not self.key_file.exists():
            made = self.key_file.with_name(f".{KEY_FILE}.{os.getpid()}.tmp")
            with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as handle:
                handle.write(secrets.token_hex(32) + "\n")
            made.replace(self.key_file)
        key = self.key_file.read_text(encoding="utf-8").strip()
        if len(key) < LEAST_KEY:
            raise PseudonymError(f"{self.key_file} holds no key: put the old one back, or remove it for a new one")
        return key.encode()


def pseudonym(key: bytes, dataset_id: str, annotator_id: str) -> str:
    """Of an annotator in a data set: the same person has another one in another data set."""
    # JSON, so that no two pairs are written alike.
    message = json.dumps([dataset_id, annotator_id]).encode()
    return hmac.new(key, message, "sha256").hexdigest()[:DIGITS]
