"""Removes secrets from what is stored and shown: keys, tokens, passwords, and credentials in URLs.

A secret is recognised by its name (`api_key=…`), by its form (`scheme://user:password@host`, `sk-…`), or by its value:
that of an environment variable with such a name, or one that was removed by name before. In logs, prompts and
completions stay as they are; they pass through this module where they are published.
"""

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import quote, unquote

REDACTED = "[redacted]"

_MIN_LENGTH = 6  # shorter values occur by chance
_MIN_LENGTH_OF_VARIABLE = 8
_MAX_LENGTH_OF_PLACEHOLDER = 12


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SECRET_WORDS = _set(
    "apikey auth authorization bearer cookie cookies cred credential credentials creds passphrase passwd password "
    "passwords pat pw pwd secret secrets sig signature webhook webhooks"
)
_KEY_OF = _set("access account api auth encryption private secret session service shared signing")
# Of keys and tokens that are not secrets: those of data and of a vocabulary, and counts; `pass` where it is a run.
_PLAIN = _set(
    "answer begin bos by cache choice choices cls column count dict end eos field first foreign group id index input "
    "json label last limit mask max metadata metric min multi new num object one output pad per primary public "
    "question row sample score second sep single sort start stop target unique"
)
_PASSWORDS = _set("cred creds pass passphrase passwd password passwords pw pwd")  # people choose these: words occur
# What a variable such as AUTH_HOST or HF_TOKEN_PATH names: where a secret is or is sent, not the secret.
_PLACES = _set("dir domain endpoint file host issuer path port server sock uri url")
_ALL_HIDDEN = _set("env environ environment header headers")
# Their contents have names of their own: distributions such as google-auth, or the fields of an answer.
_OF_OTHERS = _set("json_schema local packages response_schema versions")
_NAMES_AND_ADDRESSES = _set("base_url benchmark model model_base_url")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAME = r"[A-Za-z][\w-]*"
_PLACEHOLDER = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
_PAIR = re.compile(r"\s*\w[\w ]*=")
_ORIGIN = re.compile(r"[A-Za-z][\w+.-]*://[^\s/?#]*")
_USERINFO = re.compile(r"(?<=://)[^\s/?#\"'<>]+(?=@)")
_QUERY = re.compile(rf"([?&;#]({_NAME})=)([^&;#\s\"'<>]+)")
_TOKENS = re.compile(
    r"\b(?:(?:sk|pk|rk)-(?=[\w-]*\d)[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|gl[a-z]{2,8}-[\w-]{16,}|hf_\w{16,}"
    r"|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|gsk_\w{20,}|r8_\w{20,}|xai-\w{20,}|nvapi-[\w-]{20,}|pypi-[\w-]{16,}"
    r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b|[sr]k_(?:live|test)_\w{20,}|SG\.[\w-]{16,}\.[\w-]{32,}"
    r"|\d{8,10}:[\w-]{35}\b|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+(?=[\w.~+/-]*[\d=]|(?<=Bearer )[\w.~+/-]{20})[\w.~+/=-]{8,}", re.IGNORECASE)
_WEBHOOK = re.compile(r"(https?://(?=[^\s\"'<>]*hook)(?=[^\s\"'<>]*\d)[^\s/\"'<>]+/)[^\s\"'<>]+", re.IGNORECASE)
_QUOTED = re.compile(rf"([\"']?)({_NAME})\1(\s*[:=]\s*)([\"'])((?:\\.|(?!\4).)*)\4")
_BARE = re.compile(rf"\b({_NAME})(=|:\s?)((?:Bearer |Basic |Token )?[^\s\"',;&|{{}}\[\]()<>]+)")
_ECHOED = re.compile(
    r"\b((?:api[ _-]?key|token|password|secret)(?: provided| given)?: ?)([^\s\"',;]{8,})", re.IGNORECASE
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
    if any(word in {"key", "keys"} and before in _KEY_OF for before, word in pairwise(words)):
        return True
    return len(words) > 1 and words[-1] in {"key", "pass"} and words[-2] not in _PLAIN  # OPENAI_KEY, db_pass


def is_secret_header(name: str) -> bool:
    """Return whether the value of a header of this name is a secret: `Authorization`, `X-Acme-Key`."""
    return is_secret_name(name) or not {"key", "keys", "token", "tokens"}.isdisjoint(_words(name))


def secret_variables(*, keep: tuple[str, ...] = ("GIT", "PIP_", "SSH_", "UV_")) -> set[str]:
    """Return the names of the environment variables that hold secrets, except those with a prefix in `keep`."""
    return {name for name in os.environ if is_secret_name(name) and not name.startswith(keep)}


def redacted(value: Any, name: str = "") -> Any:
    """Return plain data without secrets: arguments, settings, whatever a log records about a run.

    What is removed because of its name is also removed from every text from then on. A text with spaces may be a
    prompt template, which may contain "password: x", so only known values, credentials in URLs and keys of a known form
    are removed from it. Names of models and benchmarks, and addresses, are redacted as `redacted_name` does.
    """
    if name in _OF_OTHERS:
        return value
    if is_secret_name(name):
        return _hidden(value, name)
    if _ALL_HIDDEN.intersection(_words(name)):
        return _hidden(value, name, secret=False)
    match value:
        case str() if name in _NAMES_AND_ADDRESSES:
            value = redacted_name(value)
        case str() if _is_prose(value):
            value = _without_tokens(_without_query_secrets(_without_userinfo(value), _MIN_LENGTH))
        case str():
            value = redacted_text(value)
        case Mapping() if name == "model_roles":  # the name of a role does not describe its model
            value = {role: redacted(models) for role, models in value.items()}
        case Mapping():
            value = {key: redacted(part, str(key)) for key, part in value.items()}
        case list() | tuple():
            value = [redacted(part, name) for part in value]
    return value


def redacted_name(text: str) -> str:
    """Return the name of a model or benchmark, or the address of a server, without credentials.

    Runs are found and resumed by these, so only the user and password of an address, secrets in its query and keys in
    its path are removed. Known values stay in names and hosts, since the key of a provider that needs none may be its
    name (`openai-api/ollama/m` with `api_key=ollama`).
    """
    _remember_userinfo(text)
    text = _without_query_secrets(_USERINFO.sub(REDACTED, text))
    if origin := _ORIGIN.match(text):
        return origin[0] + _without_tokens(_without_known(text[origin.end() :]))
    return text


def redacted_command(arguments: Sequence[str]) -> list[str]:
    """Return a command line without secrets: in `KEY=VALUE`, after options such as `--api-key`, and in addresses."""
    return [_redacted_argument(argument, before) for before, argument in pairwise(("", *arguments))]


def redacted_text(text: str) -> str:
    """Return a message or an address without secrets."""
    text = _without_query_secrets(_without_userinfo(text))
    text = _QUOTED.sub(
        lambda m: m[0].replace(m[5], REDACTED) if m[5] and _names_secret(m[2], m[1], m[3]) else m[0], text
    )
    text = _BARE.sub(lambda m: f"{m[1]}{m[2]}{REDACTED}" if _names_secret(m[1], "", m[2]) else m[0], text)
    return _without_tokens(_ECHOED.sub(rf"\g<1>{REDACTED}", text))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _is_placeholder(value: str, name: str) -> bool:
    """Return whether a value only fills a field, such as the key `ollama` of a server that needs none.

    Keys and tokens are generated: long, or with digits. A short word instead of one appears in texts with its own
    meaning, such as the name of a provider, so it is not removed from them. A password may be a word.
    """
    if len(value) >= _MAX_LENGTH_OF_PLACEHOLDER or not _PLACEHOLDER.fullmatch(value):
        return False
    words = _words(name)
    return not _PASSWORDS.intersection(words) and not any(word.endswith("password") for word in words)


def _hidden(value: Any, name: str, *, secret: bool = True) -> Any:
    """Return data with every value redacted, and remember the values.

    Of those that are not `secret`, only what looks generated is remembered, since a header may also hold a media type.
    """
    match value:
        case None | bool():
            return value
        case Mapping():
            return {
                key: _hidden(part, str(key), secret=secret or is_secret_header(str(key))) for key, part in value.items()
            }
        case list() | tuple():
            return [_hidden(part, name, secret=secret) for part in value]
    for text in (str(value), str(value).rpartition(" ")[2]):  # after `Bearer`
        generated = len(text) >= _MIN_LENGTH_OF_VARIABLE and re.search(r"\d", text)
        if not _is_placeholder(text, name) if secret else generated:
            _remember(text)
    return REDACTED


def _redacted_argument(argument: str, before: str) -> str:
    option = before[2:] if before.startswith("--") and "=" not in before else ""
    name, equals, value = argument.partition("=")
    if is_secret_name(option):
        return str(_hidden(argument, option))
    if option.replace("-", "_") in _NAMES_AND_ADDRESSES:
        return redacted_name(argument)
    if not equals or "://" in name:
        return str(redacted(argument))
    return f"{name}={redacted(value, re.sub(r'^-(?=[A-Za-z])[A-Za-z]', '', name))}"  # -Mapi_key=…


def _names_secret(name: str, opening: str, equals: str) -> bool:
    # "Unexpected token: …" is an error of a parser.
    loose = not opening and equals.strip() != "=" and {"token", "signature", "auth"}.issuperset(_words(name))
    return is_secret_name(name) and not loose


def _is_prose(text: str) -> bool:
    """Return whether a text is prose: neither JSON nor a single word, nor parts such as `host=db password=x`."""
    if text[:1] in {"{", "["} or not re.search(r"\s", text):
        return False
    parts = text.split(";") if ";" in text else text.split()
    return not all(_PAIR.match(part) for part in parts if part.strip())


def _without_query_secrets(text: str, min_length: int = 1) -> str:
    return _QUERY.sub(
        lambda m: f"{m[1]}{REDACTED}" if len(m[3]) >= min_length and (is_secret_name(m[2]) or m[2] == "key") else m[0],
        text,
    )


def _without_userinfo(text: str) -> str:
    _remember_userinfo(text)
    return _USERINFO.sub(REDACTED, _without_known(text))


def _without_tokens(text: str) -> str:
    """Remove what has the form of a secret, wherever it stands."""
    text = _WEBHOOK.sub(rf"\g<1>{REDACTED}", _BEARER.sub(rf"\g<1> {REDACTED}", text))
    return _TOKENS.sub(REDACTED, text)


def _without_known(text: str) -> str:
    # A password that is such a word would remove the names by which others are recognised.
    for value in sorted({*_remembered, *_values_of_variables()} - _SECRET_WORDS, key=len, reverse=True):
        text = text.replace(value, REDACTED)
    return text


def _remember(value: str) -> None:
    if len(value) >= _MIN_LENGTH and value != REDACTED:
        _remembered.update(_spellings(value))


def _remember_userinfo(text: str) -> None:
    for userinfo in _USERINFO.findall(text):
        user, _, password = userinfo.partition(":")
        for secret in (userinfo, unquote(userinfo), password or user):  # httpx sends it unquoted, in base64
            _remember(secret)


@lru_cache(maxsize=1024)
def _spellings(value: str) -> frozenset[str]:
    """Return how a value is written: in an address, in a header of `Basic`, or as a string of Python or JSON."""
    content = value.encode(errors="surrogatepass")  # a variable may hold any bytes
    sent = {quote(content, safe=""), unquote(value), base64.b64encode(content).decode()}
    written = {value, *sent, repr(value)[1:-1], json.dumps(value)[1:-1]}
    return frozenset(each for each in written if len(each) >= _MIN_LENGTH)


def _values_of_variables() -> Iterator[str]:
    """Yield the values of environment variables that are secrets, and the passwords of addresses in others."""
    for name, value in os.environ.items():
        if "://" in value:
            for userinfo in _USERINFO.findall(value):
                yield from filter(lambda part: len(part) >= _MIN_LENGTH, (userinfo, userinfo.partition(":")[2]))
        if len(value) >= _MIN_LENGTH_OF_VARIABLE and is_secret_name(name) and not _is_location(name, value):
            yield from _spellings(value)


def _is_location(name: str, value: str) -> bool:
    """Return whether a variable with the name of a secret only says where that is, or holds a placeholder."""
    if _is_placeholder(value, name) or name.lower().rpartition("_")[2] in _PLACES:
        return True
    return os.path.isabs(value) and os.path.exists(value)  # noqa: PTH110, PTH117 - false for what is no path
