"""Keys, tokens and passwords are named by line and kind (O-PV-01). All values here are made up."""

import random
import string
import time

import pytest

from memtend.learn.secrets import Finding, find

_RANDOM = random.Random(20)
_LETTERS = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"


def made_up(length: int, letters: str = _LETTERS) -> str:
    return "".join(_RANDOM.choices(letters, k=length))


_BASE64 = "\n".join(made_up(64) for _ in range(4))
CAUGHT = {
    "aws access key id": f"the key is AKIA{made_up(16, string.ascii_uppercase + '234567')} for now",
    "aws documentation example": "AKIA" + "IOSFODNN7EXAMPLE",
    "github token": f"token ghp_{made_up(36)}",
    "github token of one letter": "ghp_" + "a" * 36,
    "pem block": f"-----BEGIN RSA PRIVATE KEY-----\n{_BASE64}\n-----END RSA PRIVATE KEY-----",
    "pem block of other kinds": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{_BASE64}\n-----END OPENSSH PRIVATE KEY-----",
    "pem block cut short": "-----BEGIN PRIVATE KEY-----\nMIIE\n",
    "password in a url": "postgres://u:PASS@db.example/x",
    "another password in a url": "redis://:k3yOfTheKing@cache:6379/0",
    "bearer token": f"Authorization: Bearer {made_up(60)}",
    "api key": f"API_KEY={made_up(39)}7",
    "api key in json": f'"api-key": "{made_up(31)}7",',
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.{made_up(43)}",
    "password": "db_password: 'x9$kLm2#pQ'",
    "password without quotes": "PASSWORD=hunter2",
    "slack token": f"xoxb-{made_up(12, string.digits)}-{made_up(12, string.digits)}-{made_up(24)}",
    "slack webhook": f"https://hooks.slack.com/services/T{made_up(8)}/B{made_up(8)}/{made_up(24)}",
    "stripe key": f"sk_live_{made_up(24)}",
    "google key": f"AIza{made_up(35)}",
    "gitlab token": f"glpat-{made_up(20)}",
    "npm token": f"npm_{made_up(36)}",
    "age key": f"AGE-SECRET-KEY-1{made_up(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}",
}
SURVIVES = {
    "commit id": f"fixed in {made_up(40, _HEX)}",
    "uuid": "6f1b2c3d-4e5f-4a7b-8c9d-0e1f2a3b4c5d",
    "kebab case": "risk-based-approach-for-task-lists",
    "package": "sk-learn",
    "environment": "apiKey: process.env.API_KEY",
    "prose": "no API key in the build",
    "count": "token_count: 182",
    "lock file": f'"integrity": "sha512-{made_up(86)}=="',
    "lock file, shorter": f"sha256-{made_up(43)}=",
    "image digest": f"python@sha256:{made_up(64, _HEX)}",
    "pinned action": f"uses: actions/checkout@{made_up(40, _HEX)} # v4",
    "reference": "password: ${DB_PASSWORD}",
    "another reference": "api_key = os.environ['API_KEY']",
    "workflow secret": "token: ${{ secrets.GITHUB_TOKEN }}",
    "placeholder": "Authorization: Bearer <token>",
    "placeholder in a url": "postgres://user:password@localhost/db",
    "variable in a url": "postgres://$USER:$PASS@db/x",
    "declaration": "def check(password: str, token: Token | None = None) -> bool:",
    "call": "password = ask_for_password()",
    "name": "self.token = current_token",
    "public key": f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{made_up(43)} ada@laptop",
    "certificate": f"-----BEGIN CERTIFICATE-----\n{_BASE64}\n-----END CERTIFICATE-----",
    "mention of a block": "Files that begin with `-----BEGIN RSA PRIVATE KEY-----` are refused.",
    "elided block": "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    "keywords": "keywords: [password, token, api-key, secret]",
    "budget": "max_tokens: 4096",
    "link": "[[MEM-pattern-secret-rotation-in-ci]]",
    "long name": "AbstractSingletonProxyFactoryBeanConfigurationTest",
}


@pytest.mark.parametrize("text", CAUGHT.values(), ids=CAUGHT.keys())
def test_o_pv_01_what_looks_like_a_secret_is_found(text: str) -> None:
    assert find(text)


@pytest.mark.parametrize("text", SURVIVES.values(), ids=SURVIVES.keys())
def test_o_pv_01_what_only_resembles_one_is_left_alone(text: str) -> None:
    assert find(text) == ()


def test_o_pv_01_a_finding_has_line_and_kind_and_not_the_value() -> None:
    token = f"ghp_{made_up(36)}"
    found = find(f"# Notes\n\nfirst line\ntoken: {token}\n")

    assert found == (Finding(4, "github token"),)
    assert token not in repr(found)


def test_each_kind_is_named_once_a_line_and_in_order() -> None:
    found = find(f"ghp_{made_up(36)} ghp_{made_up(36)}\n\npostgres://u:s3cr3t@db/x\nghp_{made_up(36)}")

    assert [(finding.line, finding.kind) for finding in found] == [
        (1, "github token"),
        (3, "connection string password"),
        (4, "github token"),
    ]


def test_ten_kilobytes_take_less_than_five_milliseconds() -> None:
    text = "\n".join(f"Step {n} of the note calls `step_{n}()` and waits: key = value, a/b, c:d." for n in range(140))
    find(text)

    best = min(_cpu_seconds(text) for _ in range(5))
    assert best < 0.005


def _cpu_seconds(text: str) -> float:
    start = time.process_time()
    find(text)
    return time.process_time() - start


@pytest.mark.parametrize(
    "text", ["a-" * 20000, "key-" * 10000, "://a:" * 8000, "-----BEGIN " * 4000, "secret_key = " * 4000]
)
def test_hostile_texts_take_no_longer_than_others(text: str) -> None:
    start = time.process_time()
    find(text)

    assert time.process_time() - start < 1.0
