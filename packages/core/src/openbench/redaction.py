"""Removes secrets from stored and printed texts: keys, tokens, passwords, and credentials in URLs.

A secret is recognized by its name (`api_key=…`), by its form (`scheme://user:password@host`, `sk-…`), or by its value:
that of an environment variable with such a name, or one that was redacted by name before.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import quote

REDACTED = "[redacted]"

_MIN_LENGTH, _MIN_WORD = 8, 12  # shorter values, and shorter ones without a digit, occur by chance


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SECRET_WORDS = _set(
    "apikey auth authorization bearer cookie cookies cred credential credentials creds passphrase passwd password "
    "passwords pat pw pwd secret secrets sig signature webhook webhooks"
)
# Words before `key`, `token` or `pass` that are not secrets: of data, of a vocabulary, and counts.
_PLAIN = _set(
    "answer begin bos by cache choice choices cls column count dict end eos field first foreign group id index input "
    "json label last limit mask max metadata metric min multi new num object one output pad per primary public "
    "question row sample score second sep single sort start stop target unique"
)
# Last words of variables such as AUTH_HOST or HF_TOKEN_PATH, which locate a secret but do not contain it.
_PLACES = _set("dir domain endpoint file host issuer path port server sock uri url")
_ALL_HIDDEN = _set("env environ environment header headers")
# The names in these are not settings: they are distributions such as google-auth, or fields of an answer.
_OF_OTHERS = _set("json_schema local packages response_schema versions")
_NAMES_AND_ADDRESSES = _set("base_url benchmark model model_base_url")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_USERINFO = re.compile(r"(?<=://)[^\s/?#\"'<>\\]+(?=@)")
_NAMED = re.compile(r"([?&;#]([A-Za-z][\w-]*)=|\b(password|passwd|pwd)=)([^&;#\s\"'<>]+)", re.IGNORECASE)
_TOKENS = re.compile(
    r"\b(?:(?:sk|pk|rk)-(?=[\w-]*\d)[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|gl[a-z]{2,8}-[\w-]{16,}|hf_\w{16,}"
    r"|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|gsk_\w{20,}|r8_\w{20,}|xai-\w{20,}|nvapi-[\w-]{20,}|pypi-[\w-]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}\b|[sr]k_(?:live|test)_\w{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    r"|(?<=https://hooks\.slack\.com/)[\w/]{20,}|(?<=\bBearer )(?=[\w.~+/-]*\d)[\w.~+/=-]{8,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)

_remembered: set[str] = set()


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Return whether this is the name of a secret: `api_key`, `x-auth-token`, `awsSecretAccessKey`."""
    words = _words(name)
    if _SECRET_WORDS.intersection(words) or any(word.endswith(("apikey", "password")) for word in words):
        return True
    if "token" in words or "tokens" in words:
        return "token" in words and not _PLAIN.intersection(words)
    return len(words) > 1 and words[-1] in {"key", "pass"} and words[-2] not in _PLAIN  # OPENAI_KEY, db_pass


def secret_variables(*, keep: tuple[str, ...] = ("GIT", "PIP_", "SSH_", "UV_")) -> set[str]:
    """Return the names of environment variables with secrets, except those with a prefix in `keep`."""
    return {name for name in os.environ if is_secret_name(name) and not name.startswith(keep)}


def redacted(value: Any, name: str = "") -> Any:
    """Return plain data, such as arguments and settings, without secrets.

    Values that are redacted by name, if they look generated, are redacted in all texts from then on. Names of models
    and benchmarks, and addresses, are redacted as in `redacted_name`.
    """
    if name in _OF_OTHERS:
        return value
    if is_secret_name(name) or _ALL_HIDDEN.intersection(_words(name)):
        return _hidden(value)
    match value:
        case str() if name in _NAMES_AND_ADDRESSES:
            value = redacted_name(value)
        case str():
            value = redacted_text(value)
        case Mapping() if name == "model_roles":  # a role's name does not describe its value
            value = {role: redacted(models) for role, models in value.items()}
        case Mapping():
            value = {key: redacted(part, str(key)) for key, part in value.items()}
        case list() | tuple():
            value = [redacted(part, name) for part in value]
    return value


def redacted_name(text: str) -> str:
    """Return the name of a model or benchmark, or the address of a server, without credentials.

    Known values are kept, since runs are resumed by these names: the key of a provider that needs none may be its name
    (`openai-api/ollama/m` with `api_key=ollama`).
    """
    for userinfo in _USERINFO.findall(text):
        _remember(userinfo, userinfo.partition(":")[2])
    return _TOKENS.sub(REDACTED, _NAMED.sub(_without_value, _USERINFO.sub(REDACTED, text)))


def redacted_command(arguments: Sequence[str]) -> list[str]:
    """Return a command line without secrets: in `KEY=VALUE`, after options such as `--api-key`, and in addresses."""
    return [_redacted_argument(argument, before) for before, argument in pairwise(("", *arguments))]


def redacted_text(text: str) -> str:
    """Return a message, an address or another text without secrets."""
    return redacted_name(without_known_values(text))


def without_known_values(text: str) -> str:
    """Return a text or JSON without known secrets: those of variables, and those that were redacted by name before."""
    for value in sorted({*_remembered, *_values_of_variables()}, key=len, reverse=True):
        text = text.replace(value, REDACTED)
    return text


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _hidden(value: Any) -> Any:
    """Return data with every value redacted, and remember the values."""
    match value:
        case None | bool():
            return value
        case Mapping():
            return {key: _hidden(part) for key, part in value.items()}
        case list() | tuple():
            return [_hidden(part) for part in value]
    _remember(str(value), str(value).rpartition(" ")[2])  # after `Bearer`
    return REDACTED


def _redacted_argument(argument: str, before: str) -> str:
    option = before[2:] if before.startswith("--") and "=" not in before else ""
    name, equals, value = argument.partition("=")
    if is_secret_name(option):
        return str(_hidden(argument))
    if option.replace("-", "_") in _NAMES_AND_ADDRESSES:
        return redacted_name(argument)
    if not equals or "://" in name:
        return redacted_text(argument)
    return f"{name}={redacted(value, re.sub(r'^-(?=[A-Za-z])[A-Za-z]', '', name))}"  # -Mapi_key=…


def _without_value(found: re.Match[str]) -> str:
    secret = found[3] or is_secret_name(found[2]) or found[2] == "key"
    return f"{found[1]}{REDACTED}" if secret else found[0]


def _remember(*values: str) -> None:
    for value in values:
        if _is_generated(value) and value != REDACTED:
            _remembered.update(_spellings(value))


def _is_generated(value: str) -> bool:
    """Return whether a value looks generated, unlike the key `ollama` of a server that needs none."""
    return len(value) >= (_MIN_LENGTH if re.search(r"\d", value) else _MIN_WORD)


@lru_cache(maxsize=1024)
def _spellings(value: str) -> frozenset[str]:
    """Return the spellings of a value: verbatim, in an address, and in a string of Python or JSON."""
    address = quote(value.encode(errors="surrogatepass"), safe="")
    return frozenset({value, address, repr(value)[1:-1], json.dumps(value)[1:-1]})


def _values_of_variables() -> Iterator[str]:
    """Yield the values of environment variables with secrets, and the passwords in addresses of others."""
    for name, value in os.environ.items():
        if "://" in value:
            yield from (part for info in _USERINFO.findall(value) if _is_generated(part := info.partition(":")[2]))
        secret = is_secret_name(name) and _words(name)[-1] not in _PLACES and _is_generated(value)
        if secret and not os.path.exists(value):  # noqa: PTH110 - false for any text that is not a path
            yield from _spellings(value)
