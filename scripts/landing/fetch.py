"""Where a source file comes from: `data/raw/`, a local mirror folder, or its public address.

Everything that is refused or out of reach is one `LandingError` sentence. `requests` and `tqdm` are
imported only when something is really downloaded.
"""

from __future__ import annotations

import hashlib
import math
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from scripts.landing.declared import LandingError, SourceFile

if TYPE_CHECKING:
    import requests

MAX_REDIRECTS = 5
MAX_INTERRUPTIONS = 2
CHUNK_BYTES = 1 << 16
BY_HAND = "put the file into data/raw/ or name a folder that holds it in DISSENT_MIRROR"
CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


class Unreachable(LandingError):
    """The address gave no file (no network, no such host, 404, time ran out): a normal state, not a failure.

    `reason` says why without naming the file, so that files which share it can be named together.
    """

    def __init__(self, file_name: str, sentence: str, reason: str = "") -> None:
        super().__init__(f"{file_name}: {sentence}")
        self.reason = reason or sentence


@dataclass(frozen=True)
class Found:
    """A file to land: where it is, where it was taken from ('data/raw', 'mirror' or 'address'), what it is.

    `is_verified` says that its sha256, and its size in bytes where one is declared, equal the declared ones.
    """

    path: Path
    taken_from: str
    sha256: str
    bytes: int
    is_verified: bool


def sha256_of(path: Path) -> str:
    """The file's sha256 in lower-case hex, read as a stream."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def refusal(source: SourceFile, found: Found) -> str:
    """The sentence that refuses a file whose hash or size is not the declared one."""
    if not source.sha256:
        what = f"the hash is {found.sha256}, none is declared"
    elif found.sha256 != source.sha256.lower():
        what = f"the hash is {found.sha256} ({found.bytes:,} bytes), declared {source.sha256}"
    else:
        what = f"the size is {found.bytes:,} bytes, declared {source.bytes:,}"
    return f"{source.file_name}: {what}: refused; if you trust it, name it in DISSENT_ALLOW_UNVERIFIED"


def must_be_allowed(source: SourceFile, found: Found) -> bool:
    """Whether the file is refused unless the user allows it: it is not what is declared.

    Without a declared hash it can't be verified, and nothing contradicts it.
    """
    return not found.is_verified and (bool(source.sha256) or source.bytes not in (None, found.bytes))


def find_local(source: SourceFile, raw_folder: Path, mirror: Path | None) -> Found | None:
    """The file in `raw_folder`, else in `mirror` or one of its subfolders, else None.

    Of several in the mirror the one with the declared hash is taken. Raises LandingError where the mirror is
    no folder, where none of several has that hash, and for a file that is too large or cannot be read.
    """
    try:
        in_raw = raw_folder / source.file_name
        if in_raw.is_file():
            return _measured(source, in_raw, "data/raw")
        if mirror is None:
            return None
        if not mirror.is_dir():
            raise LandingError(
                f"DISSENT_MIRROR names {mirror}, which is not a folder: set it to the folder that holds the files, "
                "or unset it"
            )
        candidates = sorted(_files_named(source.file_name, mirror))
        if len(candidates) > 1:
            # One that is too large can't be the declared one, and must not be read to find that out.
            sized = [path for path in candidates if path.stat().st_size <= source.max_bytes]
            for found in (_measured(source, path, "mirror") for path in sized):
                if found.is_verified:
                    return found
            names = " and ".join(str(path.relative_to(mirror)) for path in candidates)
            raise LandingError(
                f"{source.file_name}: DISSENT_MIRROR holds {names}, none with the declared hash: keep one of them, "
                "or put the right one into data/raw/"
            )
        return _measured(source, candidates[0], "mirror") if candidates else None
    except OSError as error:
        raise LandingError(
            f"{source.file_name}: {error.filename or 'the file'} cannot be read ({error.strerror}): "
            "check its permissions"
        ) from error


def _files_named(name: str, folder: Path) -> Iterator[Path]:
    seen = set()
    for here, subfolders, names in os.walk(folder, followlinks=True):
        # A link to a parent folder would make the walk endless.
        status = Path(here).stat()
        if (status.st_dev, status.st_ino) in seen:
            subfolders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        # Which of two links to one folder is seen first decides the path that is reported.
        subfolders.sort()
        if name in names and (path := Path(here, name)).is_file():
            yield path


def _measured(source: SourceFile, path: Path, taken_from: str) -> Found:
    size = path.stat().st_size
    if size > source.max_bytes:
        raise LandingError(
            f"{source.file_name}: {path} has {size:,} bytes, more than the {source.max_bytes:,} allowed: "
            "this is not the declared file, replace or remove it"
        )
    sha256 = sha256_of(path)
    is_verified = sha256 == source.sha256.lower() and source.bytes in (None, size)
    return Found(path, taken_from, sha256, size, is_verified)


def download(
    source: SourceFile,
    raw_folder: Path,
    *,
    allowed: bool,
    base_url: str | None = None,
    connect_timeout: float = 10.0,
    read_timeout: float = 30.0,
    deadline: float | None = None,
    pause: Callable[[float], None] = time.sleep,
    progress: bool | None = None,
) -> Found:
    """Download the file into `raw_folder`, from its address or from `<base_url>/<file_name>`.

    `allowed`: a file whose hash or size differs is taken, unverified. The timeouts are in seconds; `deadline`
    bounds the whole download (None: DISSENT_DOWNLOAD_TIMEOUT, else 600). `progress` None shows a bar on a
    terminal only. What arrived before an interruption is kept as `<name>.part` and continued next time.

    Raises Unreachable where nothing could be had, LandingError where what came is refused; whatever was in
    `raw_folder` under the file's name stays as it was then.
    """
    import requests

    seconds = _download_timeout(os.environ) if deadline is None else deadline
    transfer = _Transfer(
        source=source,
        address=_address(source, base_url),
        part=raw_folder / f"{source.file_name}.part",
        etag_file=raw_folder / f"{source.file_name}.part.etag",
        certificates=_certificates(os.environ),
        session=requests.Session(),
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
        seconds=seconds,
        ends=time.monotonic() + seconds,
        pause=pause,
        shows_progress=sys.stderr.isatty() if progress is None else progress,
    )
    try:
        raw_folder.mkdir(parents=True, exist_ok=True)
        with transfer.session:
            was_resumed = transfer.run()
            arrived = _measured(source, transfer.part, "address")
            if was_resumed and not arrived.is_verified:
                # The earlier part may have been damaged on disk: what is judged comes from one transfer.
                transfer.discard()
                transfer.run(may_resume=False)
                arrived = _measured(source, transfer.part, "address")
        if not (arrived.is_verified or allowed):
            transfer.discard()
            raise LandingError(refusal(source, arrived))
        target = raw_folder / source.file_name
        transfer.part.replace(target)
        transfer.discard()
    except OSError as error:
        raise LandingError(
            f"{source.file_name}: cannot be written to {raw_folder} ({error.strerror or error}): "
            "check its permissions and the free space"
        ) from error
    return replace(arrived, path=target)


def _download_timeout(environment: Mapping[str, str]) -> float:
    text = environment.get("DISSENT_DOWNLOAD_TIMEOUT") or "600"
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise LandingError(
            f"DISSENT_DOWNLOAD_TIMEOUT is '{text}', which is not a positive number: set it to seconds, such as 600"
        )
    return seconds


def _address(source: SourceFile, base_url: str | None) -> str:
    if base_url:
        return f"{base_url.rstrip('/')}/{quote(source.file_name)}"
    if not source.address:
        raise Unreachable(source.file_name, f"no address is declared: {BY_HAND}")
    return source.address


def _certificates(environment: Mapping[str, str]) -> str | bool:
    # requests itself reads only the first two, and ends with a bare OSError where the file is missing.
    for variable in CA_VARIABLES:
        if path := environment.get(variable):
            if not Path(path).exists():
                raise LandingError(
                    f"{variable} names {path}, which is not there: set it to the file with the certificate "
                    "authorities, or unset it"
                )
            return path
    return True


def _shown(address: str) -> str:
    """The address without a password or a signed query in it."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _strong(etag: str) -> str:
    """The ETag, or '' where it is none or a weak one, which If-Range must not be used with."""
    return etag if re.fullmatch(r'"[\x21\x23-\x7e]*"', etag) else ""


def _total_bytes(answer: requests.Response) -> int | None:
    """The size of the whole file as the answer announces it."""
    if answer.status_code == 206:
        match = re.fullmatch(r"bytes \d+-\d+/(\d+)", answer.headers.get("Content-Range", ""))
        return int(match[1]) if match else None
    length = answer.headers.get("Content-Length", "")
    return int(length) if re.fullmatch(r"[0-9]{1,18}", length) else None


@dataclass
class _Transfer:
    """One file's way into its `.part`; `seconds` is the overall limit, `ends` the monotonic time it falls on."""

    source: SourceFile
    address: str
    part: Path
    etag_file: Path
    certificates: str | bool
    session: requests.Session
    connect_timeout: float
    read_timeout: float
    seconds: float
    ends: float
    pause: Callable[[float], None]
    shows_progress: bool

    def run(self, may_resume: bool = True) -> bool:
        """Complete the `.part`; True where it holds bytes of more than one connection."""
        if not may_resume:
            self.discard()
        for interruptions in range(MAX_INTERRUPTIONS + 1):
            if interruptions:
                self.pause(min(2.0 ** (interruptions - 1), self._remaining()))
            is_complete, was_resumed = self._attempt()
            if is_complete:
                return was_resumed
        raise self._unreachable("the connection was interrupted again and again", "try again later (it continues)")

    def discard(self) -> None:
        """Remove what an interrupted download left."""
        self.etag_file.unlink(missing_ok=True)
        self.part.unlink(missing_ok=True)

    def _attempt(self) -> tuple[bool, bool]:
        """One connection's worth: is the file complete, and was an earlier part continued?"""
        etag = _strong(self.etag_file.read_text(encoding="latin-1")) if self.etag_file.exists() else ""
        kept = self.part.stat().st_size if self.part.exists() else 0
        offset = kept if etag and kept <= self.source.max_bytes else 0
        answer = self._answer(offset, etag)
        if offset and not self._is_usable(answer, offset, etag):
            answer.close()
            offset = 0
            answer = self._answer(0, "")
        with answer:
            if answer.status_code == 200:
                offset = 0
                self.discard()
                if new_etag := _strong(answer.headers.get("ETag", "")):
                    self.etag_file.write_text(new_etag, encoding="ascii")
            elif not (offset and answer.status_code == 206):
                raise self._unreachable(f"the server answered {answer.status_code}", "try again later")
            total = _total_bytes(answer)
            if total is not None and total > self.source.max_bytes:
                raise self._too_large(f"has {total:,} bytes")
            return self._receive(answer, offset, total), offset > 0

    @staticmethod
    def _is_usable(answer: requests.Response, offset: int, etag: str) -> bool:
        """False where the answer to a Range request cannot be put behind what is kept."""
        if answer.status_code == 206:
            is_same_file = answer.headers.get("ETag", etag) == etag
            return is_same_file and answer.headers.get("Content-Range", "").startswith(f"bytes {offset}-")
        return answer.status_code != 416

    def _answer(self, offset: int, etag: str) -> requests.Response:
        """The answer that is no redirect any more; its body is not read yet."""
        headers = {"Accept-Encoding": "identity"}
        if offset:
            headers |= {"Range": f"bytes={offset}-", "If-Range": etag}
        address = self.address
        self._require_https(address, "its address")
        # requests would follow redirects itself, but to http, too.
        for _ in range(MAX_REDIRECTS + 1):
            answer = self._get(address, headers)
            if not answer.is_redirect:
                return answer
            answer.close()
            try:
                address = urljoin(address, answer.headers["Location"])
            except ValueError:
                address = answer.headers["Location"]
            self._require_https(address, f"{_shown(self.address)} redirects to an address that")
        raise LandingError(
            f"{self.source.file_name}: {_shown(self.address)} redirects more than {MAX_REDIRECTS} times: refused; "
            f"{BY_HAND}"
        )

    def _require_https(self, address: str, subject: str) -> None:
        try:
            parts = urlsplit(address)
            # Asking for the port raises ValueError where it is no number.
            is_https = parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_https = False
        if not is_https:
            raise LandingError(
                f"{self.source.file_name}: {subject} is not https: refused; "
                f"use an https address (DISSENT_BASE_URL), or {BY_HAND}"
            )

    def _get(self, address: str, headers: dict[str, str]) -> requests.Response:
        """The answer's status and headers.

        They are waited for in a thread of their own: name lookups and headers that drip know no time limit.
        """
        from requests import exceptions

        # The thread may outlive this call; it writes no file.
        remaining = self._remaining()
        box: queue.SimpleQueue[requests.Response | Exception] = queue.SimpleQueue()

        def ask() -> None:
            try:
                box.put(
                    self.session.get(
                        address,
                        headers=headers,
                        stream=True,
                        allow_redirects=False,
                        verify=self.certificates,
                        timeout=(min(self.connect_timeout, remaining), min(self.read_timeout, remaining)),
                    )
                )
            except Exception as error:
                box.put(error)

        threading.Thread(target=ask, daemon=True).start()
        try:
            answer = box.get(timeout=min(remaining, threading.TIMEOUT_MAX))
        except queue.Empty:
            raise self._late() from None
        if not isinstance(answer, Exception):
            return answer
        if isinstance(answer, exceptions.ProxyError | exceptions.InvalidProxyURL):
            raise self._unreachable("the proxy does not let it through", "check HTTPS_PROXY and NO_PROXY") from answer
        if isinstance(answer, exceptions.SSLError):
            raise self._unreachable(
                "its certificate is not trusted", "name your certificate authorities in REQUESTS_CA_BUNDLE"
            ) from answer
        if isinstance(answer, exceptions.Timeout):
            raise self._unreachable("no answer in time") from answer
        if isinstance(answer, exceptions.ConnectionError):
            raise self._unreachable("no network, no such host or no server there") from answer
        raise self._unreachable(f"the request failed ({type(answer).__name__})") from answer

    def _receive(self, answer: requests.Response, offset: int, total: int | None) -> bool:
        """Write the body behind `offset`; False where it ended early or stalled."""
        from tqdm import tqdm
        from urllib3.exceptions import HTTPError

        size = offset
        with (
            self.part.open("ab" if offset else "wb") as out,
            tqdm(
                desc=self.source.file_name,
                total=total,
                initial=offset,
                unit="B",
                unit_scale=True,
                file=sys.stderr,
                disable=not self.shows_progress,
            ) as bar,
        ):
            while True:
                try:
                    # Unlike requests' iter_content, read1 returns what is there, so that a drip meets the deadline.
                    chunk = answer.raw.read1(CHUNK_BYTES, decode_content=False)
                except HTTPError:
                    self._remaining()
                    return False
                if not chunk:
                    return total in (None, size)
                size += len(chunk)
                if size > self.source.max_bytes:
                    raise self._too_large("is larger")
                out.write(chunk)
                bar.update(len(chunk))
                if size != total:
                    self._remaining()

    def _remaining(self) -> float:
        """Seconds left, more than zero; raises Unreachable where there are none."""
        remaining = self.ends - time.monotonic()
        if remaining <= 0:
            raise self._late()
        return remaining

    def _late(self) -> Unreachable:
        return self._unreachable(
            f"not complete after {self.seconds:g} seconds",
            "try again (it continues) with a larger DISSENT_DOWNLOAD_TIMEOUT",
        )

    def _too_large(self, what: str) -> LandingError:
        self.discard()
        return LandingError(
            f"{self.source.file_name}: what {_shown(self.address)} sends {what}, over the limit of "
            f"{self.source.max_bytes:,} bytes: refused; {BY_HAND}"
        )

    def _unreachable(self, why: str, what_to_do: str = "check the network") -> Unreachable:
        return Unreachable(
            self.source.file_name,
            f"not to be had from {_shown(self.address)}: {why}; {what_to_do}, or {BY_HAND}",
            f"not to be had from {urlsplit(self.address).hostname}: {why}; {what_to_do}",
        )
