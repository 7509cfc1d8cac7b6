"""Finding and downloading source files, against servers on loopback."""

from __future__ import annotations

import hashlib
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme
from loopback import Handler, Proxy, Server, file, redirect, running, status

from scripts.landing.declared import PROJECT, LandingError, SourceFile
from scripts.landing.fetch import Found, Unreachable, download, find_local, refusal, sha256_of

NAME = "votes.csv"
DATA = bytes(range(256)) * 1200
OTHER = DATA[::-1]


def source_of(data: bytes = DATA, address: str = "", **changes: Any) -> SourceFile:
    declared = SourceFile(
        file_name=NAME,
        raw_table="votes",
        address=address,
        sha256=hashlib.sha256(data).hexdigest(),
        bytes=len(data),
        max_bytes=1_000_000,
        licence="",
        citation="",
    )
    return replace(declared, **changes)


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name in {
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "SSL_CERT_FILE",
            "DISSENT_DOWNLOAD_TIMEOUT",
        }:
            monkeypatch.delenv(name)


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture
def untrusted(authority: trustme.CA, clean: None) -> Iterator[Server]:
    """The server, without its certificate authority in the environment."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "files.example.test").configure_cert(context)
    with running(Handler, context) as server:
        yield server


@pytest.fixture
def web(untrusted: Server, bundle: str, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", bundle)
    return untrusted


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return tmp_path / "raw"


def fetch(web: Server, raw: Path, source: SourceFile | None = None, path: str = "/votes.csv", **options: Any) -> Found:
    """Download from `path` of the server, with short times."""
    defaults: dict[str, Any] = {
        "allowed": False,
        "pause": lambda seconds: None,
        "deadline": 20.0,
        "read_timeout": 5.0,
    }
    return download(
        replace(source or source_of(), address=web.url(path)),
        raw,
        **(defaults | options),
    )


def keep_part(raw: Path, data: bytes, etag: str | None) -> None:
    raw.mkdir()
    (raw / f"{NAME}.part").write_bytes(data)
    if etag is not None:
        (raw / f"{NAME}.part.etag").write_text(etag)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def is_one_sentence(error: pytest.ExceptionInfo[LandingError]) -> bool:
    text = str(error.value)
    return text.startswith(f"{NAME}: ") and "\n" not in text and "Traceback" not in text and "object at" not in text


# ---- the file on this machine


def test_raw_folder_goes_before_the_mirror(tmp_path: Path) -> None:
    raw, mirror = tmp_path / "raw", tmp_path / "mirror"
    for folder in (raw, mirror):
        folder.mkdir()
        (folder / NAME).write_bytes(DATA)
    found = find_local(source_of(), raw, mirror)
    assert found == Found(raw / NAME, "data/raw", sha256_of(raw / NAME), len(DATA), True)
    (raw / NAME).unlink()
    found = find_local(source_of(), raw, mirror)
    assert found is not None
    assert (found.taken_from, found.path) == ("mirror", mirror / NAME)
    (mirror / NAME).unlink()
    assert find_local(source_of(), raw, mirror) is None
    assert find_local(source_of(), raw, None) is None


def test_raw_folder_goes_before_the_mirror_even_with_another_hash(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(OTHER)
    found = find_local(source_of(), tmp_path, None)
    assert found is not None
    assert not found.is_verified
    sentence = refusal(source_of(), found)
    assert found.sha256 in sentence
    assert source_of().sha256 in sentence
    assert sentence.endswith("refused; if you trust it, name it in DISSENT_ALLOW_UNVERIFIED")


@pytest.mark.parametrize(
    ("changes", "is_verified"),
    [
        ({}, True),
        ({"bytes": None}, True),
        ({"bytes": len(DATA) + 1}, False),
        ({"sha256": ""}, False),
        ({"sha256": hashlib.sha256(DATA).hexdigest().upper()}, True),
    ],
)
def test_verified_is_the_declared_hash_and_size(tmp_path: Path, changes: dict[str, Any], is_verified: bool) -> None:
    (tmp_path / NAME).write_bytes(DATA)
    found = find_local(source_of(**changes), tmp_path, None)
    assert found is not None
    assert found.is_verified is is_verified


def test_subfolders_of_the_mirror_are_searched(tmp_path: Path) -> None:
    deep = tmp_path / "mirror" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / NAME).write_bytes(DATA)
    (tmp_path / "mirror" / f"not-{NAME}").write_bytes(DATA)
    found = find_local(source_of(), tmp_path / "raw", tmp_path / "mirror")
    assert found is not None
    assert found.path == deep / NAME


def test_of_two_files_in_the_mirror_the_declared_one_is_taken(tmp_path: Path) -> None:
    for folder, data in (("a", OTHER), ("b", DATA), ("c", DATA), ("d", bytes(1_000_001))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / NAME).write_bytes(data)
    found = find_local(source_of(), tmp_path / "raw", tmp_path)
    assert found is not None
    assert found.path == tmp_path / "b" / NAME


def test_two_other_files_in_the_mirror_are_both_named(tmp_path: Path) -> None:
    for folder in ("b", "a"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / NAME).write_bytes(OTHER)
    with pytest.raises(LandingError, match=r"holds a/votes\.csv and b/votes\.csv, none with the declared") as error:
        find_local(source_of(), tmp_path / "raw", tmp_path)
    assert is_one_sentence(error)


def test_links_in_the_mirror_neither_hang_nor_hide(tmp_path: Path) -> None:
    mirror, elsewhere = tmp_path / "mirror", tmp_path / "elsewhere"
    mirror.mkdir()
    elsewhere.mkdir()
    (elsewhere / NAME).write_bytes(DATA)
    (mirror / "up").symlink_to(tmp_path)
    (mirror / "self").symlink_to(mirror)
    (mirror / "nowhere").symlink_to(mirror / "missing")
    (mirror / "linked").symlink_to(elsewhere)
    (mirror / NAME).symlink_to(mirror / NAME)
    found = find_local(source_of(), tmp_path / "raw", mirror)
    assert found is not None
    assert found.path == mirror / "linked" / NAME


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_a_mirror_that_is_no_folder(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LandingError, match="DISSENT_MIRROR"):
        find_local(source_of(), tmp_path / "raw", tmp_path / kind)


@pytest.mark.parametrize("where", ["raw", "mirror"])
def test_a_local_file_that_is_too_large(tmp_path: Path, where: str) -> None:
    (tmp_path / where).mkdir(exist_ok=True)
    (tmp_path / "mirror").mkdir(exist_ok=True)
    (tmp_path / where / NAME).write_bytes(DATA)
    with pytest.raises(LandingError, match="more than the 1,000 allowed"):
        find_local(source_of(max_bytes=1000), tmp_path / "raw", tmp_path / "mirror")


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / NAME).write_bytes(DATA)

    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("scripts.landing.fetch.sha256_of", refuse)
    with pytest.raises(LandingError, match=r"votes\.csv cannot be read \(Permission denied\): check") as error:
        find_local(source_of(), tmp_path, None)
    assert is_one_sentence(error)


def test_importing_needs_none_of_the_slow_libraries() -> None:
    code = "import sys, scripts.landing.fetch; print({'requests', 'tqdm', 'pandas', 'urllib3'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"


# ---- what is taken and what is refused


def test_a_good_download(web: Server, raw: Path) -> None:
    web.routes["/votes.csv"] = file(DATA, '"1"')
    found = fetch(web, raw)
    assert found == Found(raw / NAME, "address", hashlib.sha256(DATA).hexdigest(), len(DATA), True)
    assert found.path.read_bytes() == DATA
    assert names_in(raw) == [NAME]
    (_, headers) = web.seen[0]
    assert headers["accept-encoding"] == "identity"
    assert "range" not in headers


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sha256": "0" * 64}, "the hash is [0-9a-f]{64} .*, declared 0{64}: refused"),
        ({"bytes": 7}, "the size is 307,200 bytes, declared 7: refused"),
        ({"sha256": ""}, "none is declared: refused"),
    ],
)
def test_another_hash_or_size_is_refused_or_allowed(
    web: Server, raw: Path, changes: dict[str, Any], sentence: str
) -> None:
    web.routes["/votes.csv"] = file(DATA, '"1"')
    with pytest.raises(LandingError, match=sentence) as error:
        fetch(web, raw, source_of(**changes))
    assert not isinstance(error.value, Unreachable)
    assert "if you trust it, name it in DISSENT_ALLOW_UNVERIFIED" in str(error.value)
    assert is_one_sentence(error)
    assert names_in(raw) == []

    found = fetch(web, raw, source_of(**changes), allowed=True)
    assert not found.is_verified
    assert found.path.read_bytes() == DATA
    assert names_in(raw) == [NAME]


def test_a_refused_file_leaves_the_earlier_one(web: Server, raw: Path) -> None:
    raw.mkdir()
    (raw / NAME).write_bytes(DATA)
    web.routes["/votes.csv"] = file(b"<html>please log in</html>")
    with pytest.raises(LandingError, match="the hash is"):
        fetch(web, raw)
    assert (raw / NAME).read_bytes() == DATA
    assert names_in(raw) == [NAME]


def test_too_large_by_its_own_account(web: Server, raw: Path) -> None:
    def answer(handler: Handler) -> None:
        handler.head(200, Content_Length=10**12)
        handler.server.over.wait()

    web.routes["/votes.csv"] = answer
    with pytest.raises(LandingError, match="has 1,000,000,000,000 bytes, over the limit of 1,000,000 bytes") as error:
        fetch(web, raw, allowed=True)
    assert is_one_sentence(error)
    assert not isinstance(error.value, Unreachable)
    assert names_in(raw) == []


@pytest.mark.parametrize("is_chunked", [True, False])
def test_too_large_without_saying_so(web: Server, raw: Path, is_chunked: bool) -> None:
    def answer(handler: Handler) -> None:
        handler.head(200, **({"Transfer_Encoding": "chunked"} if is_chunked else {}))
        while not handler.server.over.is_set():
            handler.wfile.write(b"1000\r\n%s\r\n" % bytes(4096) if is_chunked else bytes(4096))

    web.routes["/votes.csv"] = answer
    with pytest.raises(LandingError, match="is larger, over the limit of 1,000,000 bytes"):
        fetch(web, raw, allowed=True)
    assert names_in(raw) == []


@pytest.mark.parametrize("is_whole", [True, False])
def test_chunks(web: Server, raw: Path, is_whole: bool) -> None:
    def answer(handler: Handler) -> None:
        handler.head(200, Transfer_Encoding="chunked")
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(DATA), DATA))
        if is_whole:
            handler.wfile.write(b"0\r\n\r\n")

    web.routes["/votes.csv"] = answer
    if is_whole:
        assert fetch(web, raw).is_verified
    else:
        with pytest.raises(Unreachable, match="interrupted"):
            fetch(web, raw)


def test_a_compressed_answer_nobody_asked_for_is_not_unpacked(web: Server, raw: Path) -> None:
    def answer(handler: Handler) -> None:
        handler.head(200, Content_Length=len(DATA), Content_Encoding="gzip")
        handler.wfile.write(DATA)

    web.routes["/votes.csv"] = answer
    assert fetch(web, raw).is_verified


def test_a_folder_that_cannot_be_written(web: Server, raw: Path) -> None:
    raw.touch()
    web.routes["/votes.csv"] = file(DATA)
    with pytest.raises(LandingError, match=r"cannot be written to .*: check its permissions and the free space"):
        fetch(web, raw)


# ---- interruptions


def ranges_of(web: Server) -> list[str | None]:
    return [headers.get("range") for _, headers in web.seen]


def test_a_cut_connection_is_continued(web: Server, raw: Path) -> None:
    web.routes["/votes.csv"] = file(DATA, '"1"', cuts=(1000, 500))
    pauses: list[float] = []
    assert fetch(web, raw, pause=pauses.append).is_verified
    assert ranges_of(web) == [None, "bytes=1000-", "bytes=1500-"]
    assert web.seen[1][1]["if-range"] == '"1"'
    assert pauses == [1.0, 2.0]
    assert names_in(raw) == [NAME]


def test_after_three_cuts_the_part_waits_for_the_next_time(web: Server, raw: Path) -> None:
    web.routes["/votes.csv"] = file(DATA, '"1"', cuts=(1000, 500, 0))
    with pytest.raises(Unreachable, match="interrupted again and again") as error:
        fetch(web, raw)
    assert is_one_sentence(error)
    assert (raw / f"{NAME}.part").read_bytes() == DATA[:1500]
    web.seen.clear()
    assert fetch(web, raw).is_verified
    assert ranges_of(web) == ["bytes=1500-"]
    assert names_in(raw) == [NAME]


@pytest.mark.parametrize(("etag", "has_ranges"), [('"1"', False), ("", True), ('W/"1"', True)])
def test_what_cannot_be_continued_starts_again(web: Server, raw: Path, etag: str, has_ranges: bool) -> None:
    web.routes["/votes.csv"] = file(DATA, etag, has_ranges, cuts=(1000,))
    assert fetch(web, raw).path.read_bytes() == DATA
    assert ranges_of(web) == [None, "bytes=1000-" if etag == '"1"' else None]


def test_a_changed_file_starts_again(web: Server, raw: Path) -> None:
    keep_part(raw, OTHER[:1000], '"old"')
    web.routes["/votes.csv"] = file(DATA, '"new"')
    assert fetch(web, raw).is_verified
    assert ranges_of(web) == ["bytes=1000-"]


@pytest.mark.parametrize(
    "headers",
    [{"Content_Range": f"bytes 0-{len(DATA) - 1}/{len(DATA)}"}, {}, {"Content_Range": "bytes 10-20/30", "ETag": '"2"'}],
)
def test_a_range_that_does_not_fit_starts_again(web: Server, raw: Path, headers: dict[str, str]) -> None:
    def answer(handler: Handler) -> None:
        if "Range" in handler.headers:
            handler.head(206, Content_Length=len(DATA), **headers)
            handler.wfile.write(DATA)
        else:
            file(DATA)(handler)

    keep_part(raw, DATA[:10], '"1"')
    web.routes["/votes.csv"] = answer
    assert fetch(web, raw).is_verified
    assert ranges_of(web) == ["bytes=10-", None]


def test_a_range_shorter_than_the_rest_is_continued(web: Server, raw: Path) -> None:
    def answer(handler: Handler) -> None:
        start = int(handler.headers["Range"][len("bytes=") : -1])
        body = DATA[start : start + 200_000]
        handler.head(
            206,
            Content_Length=len(body),
            Content_Range=f"bytes {start}-{start + len(body) - 1}/{len(DATA)}",
            ETag='"1"',
        )
        handler.wfile.write(body)

    keep_part(raw, DATA[:10], '"1"')
    web.routes["/votes.csv"] = answer
    assert fetch(web, raw).is_verified
    assert ranges_of(web) == ["bytes=10-", "bytes=200010-"]


@pytest.mark.parametrize(
    ("part", "etag", "ranges"),
    [
        (b"garbage", None, [None]),
        (b"garbage", "not an ETag\r\nX: y", [None]),
        (b"garbage", '"1"', ["bytes=7-", None]),
        (b"", '"1"', [None]),
        (DATA, '"1"', [f"bytes={len(DATA)}-", None]),
        (bytes(1_000_001), '"1"', [None]),
    ],
    ids=["without-etag", "bad-etag", "with-etag", "empty", "complete", "too-large"],
)
@pytest.mark.parametrize("allowed", [False, True])
def test_a_stale_part_never_gets_into_the_file(
    web: Server, raw: Path, part: bytes, etag: str | None, ranges: list[str | None], allowed: bool
) -> None:
    keep_part(raw, part, etag)
    web.routes["/votes.csv"] = file(DATA, '"1"')
    found = fetch(web, raw, allowed=allowed)
    assert found.is_verified
    assert found.path.read_bytes() == DATA
    assert ranges_of(web) == ranges
    assert names_in(raw) == [NAME]


def test_a_range_nobody_asked_for_is_no_file(web: Server, raw: Path) -> None:
    web.routes["/votes.csv"] = lambda handler: handler.head(206, Content_Range="bytes 0-0/1", Content_Length=0)
    with pytest.raises(Unreachable, match="answered 206"):
        fetch(web, raw)


def stall(handler: Handler) -> None:
    handler.head(200, Content_Length=len(DATA), ETag='"1"')
    handler.wfile.write(DATA[:1000])
    handler.server.over.wait()


def test_a_stalled_body_ends(web: Server, raw: Path) -> None:
    web.routes["/votes.csv"] = stall
    with pytest.raises(Unreachable, match="interrupted") as error:
        fetch(web, raw, read_timeout=0.1)
    assert is_one_sentence(error)
    assert (raw / f"{NAME}.part").read_bytes() == DATA[:1000]


def test_a_server_that_never_answers_ends(web: Server, raw: Path) -> None:
    web.routes["/votes.csv"] = lambda handler: (handler.server.over.wait(), None)[1]
    with pytest.raises(Unreachable, match="no answer in time"):
        fetch(web, raw, read_timeout=0.1)


@pytest.mark.parametrize("where", ["body", "headers", "stalled"])
def test_a_drip_meets_the_deadline(web: Server, raw: Path, where: str) -> None:
    def drip(handler: Handler) -> None:
        if where == "body":
            handler.head(200, Content_Length=len(DATA))
        else:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
        while not handler.server.over.wait(0.01):
            handler.wfile.write(b"a")

    web.routes["/votes.csv"] = stall if where == "stalled" else drip
    started = time.monotonic()
    with pytest.raises(Unreachable, match=r"not complete after 0\.3 seconds; .*DISSENT_DOWNLOAD_TIMEOUT") as error:
        fetch(web, raw, deadline=0.3)
    assert time.monotonic() - started < 2
    assert is_one_sentence(error)


def test_the_deadline_of_the_environment(web: Server, raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web.routes["/votes.csv"] = stall
    monkeypatch.setenv("DISSENT_DOWNLOAD_TIMEOUT", "0.2")
    with pytest.raises(Unreachable, match=r"not complete after 0\.2 seconds"):
        fetch(web, raw, deadline=None)


@pytest.mark.parametrize("text", ["0", "-1", "soon", "nan", "inf"])
def test_a_deadline_that_is_no_positive_number(
    web: Server, raw: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("DISSENT_DOWNLOAD_TIMEOUT", text)
    with pytest.raises(LandingError, match=f"DISSENT_DOWNLOAD_TIMEOUT is '{text}', which is not a positive number"):
        fetch(web, raw, deadline=None)
    assert web.seen == []


# ---- addresses and answers


@pytest.mark.parametrize("code", [403, 404, 429, 500, 503, 304, 204])
def test_other_answers_are_unreachable(web: Server, raw: Path, code: int) -> None:
    web.routes["/votes.csv"] = status(code)
    with pytest.raises(Unreachable, match=f"answered {code}; .*put the file into data/raw/.*DISSENT_MIRROR") as error:
        fetch(web, raw)
    assert is_one_sentence(error)
    assert names_in(raw) == []


def test_five_redirects_are_followed_and_six_refused(web: Server, raw: Path) -> None:
    web.routes |= {f"/{step}": redirect(f"/{step - 1}") for step in range(2, 7)}
    web.routes |= {"/1": redirect(web.url("/votes.csv")), "/votes.csv": file(DATA)}
    assert fetch(web, raw, path="/5").is_verified
    with pytest.raises(LandingError, match="redirects more than 5 times: refused") as error:
        fetch(web, raw, path="/6")
    assert not isinstance(error.value, Unreachable)


def test_a_redirect_loop_ends(web: Server, raw: Path) -> None:
    web.routes["/votes.csv"] = redirect("/votes.csv")
    with pytest.raises(LandingError, match="redirects more than 5 times") as error:
        fetch(web, raw)
    assert len(web.seen) == 6
    assert is_one_sentence(error)


def test_a_redirect_to_http_is_refused(web: Server, raw: Path) -> None:
    with running(Handler) as plain:
        plain.routes["/votes.csv"] = file(DATA)
        web.routes |= {"/a": redirect("/b"), "/b": redirect(plain.url("/votes.csv", "http"))}
        with pytest.raises(LandingError, match="redirects to an address that is not https: refused") as error:
            fetch(web, raw, path="/a", allowed=True)
        assert plain.seen == []
    assert not isinstance(error.value, Unreachable)
    assert is_one_sentence(error)


@pytest.mark.parametrize("location", ["https://[", "https://host:port/", "https:", "file:///etc/hosts", "//"])
def test_a_redirect_to_no_address_is_refused(web: Server, raw: Path, location: str) -> None:
    web.routes["/votes.csv"] = redirect(location)
    with pytest.raises(LandingError) as error:
        fetch(web, raw)
    assert is_one_sentence(error)


def test_a_continued_download_is_continued_behind_redirects(web: Server, raw: Path) -> None:
    keep_part(raw, DATA[:10], '"1"')
    web.routes |= {"/a": redirect("/votes.csv"), "/votes.csv": file(DATA, '"1"')}
    assert fetch(web, raw, path="/a").is_verified
    assert ranges_of(web) == ["bytes=10-", "bytes=10-"]


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_base_url_replaces_the_address(web: Server, raw: Path, slash: str) -> None:
    web.routes["/copy/votes.csv"] = file(DATA)
    assert fetch(web, raw, path="/elsewhere", base_url=web.url("/copy") + slash).is_verified
    assert [path for path, _ in web.seen] == ["/copy/votes.csv"]


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1/a", "ftp://127.0.0.1/a", "votes.csv", "https:///a", "https://["]
)
@pytest.mark.parametrize("is_base", [True, False])
def test_only_https_addresses(clean: None, raw: Path, address: str, is_base: bool) -> None:
    source = source_of(address="" if is_base else address)
    with pytest.raises(LandingError, match="its address is not https: refused") as error:
        download(source, raw, allowed=True, base_url=address if is_base else None)
    assert not isinstance(error.value, Unreachable)
    assert is_one_sentence(error)


def test_no_address_is_unreachable(raw: Path) -> None:
    with pytest.raises(Unreachable, match="no address is declared: put the file into"):
        download(source_of(), raw, allowed=False, base_url="")


def test_a_refused_connection_is_unreachable(clean: None, raw: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(Unreachable, match="no network, no such host or no server there") as error:
        download(source_of(address=f"https://me:secret@127.0.0.1:{port}/a?token=secret"), raw, allowed=False)
    assert is_one_sentence(error)
    assert "secret" not in str(error.value)


def test_no_such_host_is_unreachable(clean: None, raw: Path) -> None:
    with pytest.raises(Unreachable) as error:
        download(source_of(address="https://no-such-host.invalid/a"), raw, allowed=False, deadline=3.0)
    assert is_one_sentence(error)


# ---- certificates and proxies


def test_an_unknown_authority_is_refused(untrusted: Server, raw: Path) -> None:
    untrusted.routes["/votes.csv"] = file(DATA)
    with pytest.raises(Unreachable, match=r"certificate is not trusted; name your .* in REQUESTS_CA_BUNDLE") as error:
        fetch(untrusted, raw, allowed=True)
    assert is_one_sentence(error)
    assert untrusted.seen == []


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_an_authority_of_the_environment(
    untrusted: Server, raw: Path, bundle: str, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, bundle)
    untrusted.routes["/votes.csv"] = file(DATA)
    assert fetch(untrusted, raw).is_verified


def test_a_certificate_file_that_is_missing(
    untrusted: Server, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    with pytest.raises(LandingError, match=r"SSL_CERT_FILE names .*missing\.pem, which is not there"):
        fetch(untrusted, raw)


def test_a_certificate_file_that_is_none(
    untrusted: Server, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.pem").write_text("not a certificate")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "bad.pem"))
    with pytest.raises(LandingError) as error:
        fetch(untrusted, raw)
    assert is_one_sentence(error)


def test_a_proxy_is_used(web: Server, raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web.routes["/votes.csv"] = file(DATA)
    # Only the proxy knows this host.
    source = source_of(address=f"https://files.example.test:{web.port}/votes.csv")
    with running(Proxy) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url(scheme="http"))
        assert download(source, raw, allowed=False, deadline=20.0).is_verified
        assert [path for path, _ in proxy.seen] == [f"files.example.test:{web.port}"]
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert fetch(web, raw).is_verified
        assert len(proxy.seen) == 1


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://", "socks5://127.0.0.1:1"])
def test_a_proxy_that_is_not_there(web: Server, raw: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", address)
    with pytest.raises(Unreachable, match=r"HTTPS_PROXY|request failed|not to be had") as error:
        fetch(web, raw)
    assert is_one_sentence(error)


# ---- the progress bar


@pytest.mark.parametrize("progress", [True, False, None])
def test_the_progress_bar(web: Server, raw: Path, capsys: pytest.CaptureFixture[str], progress: bool | None) -> None:
    web.routes["/votes.csv"] = file(DATA)
    fetch(web, raw, progress=progress)
    captured = capsys.readouterr()
    assert captured.out == ""
    # Captured, stderr is no terminal.
    assert (NAME in captured.err) is (progress is True)
