"""Takes secrets out of what is kept and shown: keys, tokens, passwords, and credentials in URLs.

A secret is known by its name (`api_key=…`), by its form (`scheme://user:password@host`, `sk-…`), or by its value: the
environment's variables with such names, and whatever was taken out by its name before. Prompts and completions are
never given to this module.
"""

import base64
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote as quoted
from urllib.parse import unquote

REDACTED = "[redacted]"

_LEAST = 6  # shorter values would be met by chance
_LEAST_OF_VARIABLE = 8
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_WORDS = frozenset(
    {
        "apikey",
        "auth",
        "authorization",
        "bearer",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "passphrase",
        "passwd",
        "password",
        "passwords",
        "pat",
        "pw",
        "pwd",
        "secret",
        "secrets",
        "sig",
        "signature",
    }
)
_KEY_OF = frozenset(
    {"access", "account", "api", "auth", "encryption", "private", "secret", "session", "service", "shared", "signing"}
)
# Of tokens that are no secrets: those of a vocabulary, and counts.
_PLAIN_TOKEN = frozenset(
    {
        "begin",
        "bos",
        "cls",
        "count",
        "end",
        "eos",
        "first",
        "last",
        "limit",
        "mask",
        "max",
        "min",
        "new",
        "pad",
        "per",
        "sep",
        "start",
        "stop",
    }
)
_HEADERS = frozenset({"header", "headers"})
_OF_DISTRIBUTIONS = frozenset({"local", "packages", "versions"})  # what is in them is called google-auth, say
_VARIABLES = frozenset({"env", "environ", "environment"})

_NAME = r"[A-Za-z][\w-]*"
_USERINFO = re.compile(r"(?<=://)[^\s/?#\"'<>]+(?=@)")
_QUERY = re.compile(rf"([?&;#]({_NAME})=)([^&;#\s\"'<>]+)")
_TOKENS = re.compile(
    r"\b(?:(?:sk|pk|rk)-(?=[\w-]*\d)[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_\w{16,}"
    r"|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|gsk_\w{20,}|r8_\w{20,}|xai-\w{20,}"
    r"|nvapi-[\w-]{20,}|pypi-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+(?=[\w.~+/-]*[\d=])[\w.~+/=-]{8,}", re.IGNORECASE)
_QUOTED = re.compile(rf"([\"']?)({_NAME})\1(\s*[:=]\s*)([\"'])((?:\\.|(?!\4).)*)\4")
_BARE = re.compile(rf"\b({_NAME})(=|:\s?)((?:Bearer |Basic |Token )?[^\s\"',;&|{{}}\[\]()<>]+)")
_TOLD = re.compile(r"\b((?:api[ _-]?key|token|password|secret)(?: provided| given)?: ?)([^\s\"',;]{8,})", re.IGNORECASE)

_remembered: set[str] = set()


def is_secret_name(name: str) -> bool:
    """Return whether what has this name is a secret: `api_key`, `x-auth-token`, `awsSecretAccessKey`."""
    words = [word.lower() for word in _WORD.findall(name)]
    if _SECRET_WORDS.intersection(words) or any(word.endswith(("apikey", "password")) for word in words):
        return True
    if "token" in words or "tokens" in words:
        return "token" in words and not _PLAIN_TOKEN.intersection(words)
    return any(word in {"key", "keys"} and before in _KEY_OF for before, word in pairwise(words))


def redacted(value: Any, name: str = "") -> Any:
    """Return plain data without secrets: arguments, settings, whatever a log says of a run.

    What is taken out by its name is remembered, and taken out of every text from then on. Texts with spaces are prose
    such as a prompt's template, of which only known values are taken out.

    Args:
        value: Data of mappings, sequences and scalars.
        name: What has this value.
    """
    if name in _OF_DISTRIBUTIONS:
        return value
    if is_secret_name(name):
        return _taken_out(value)
    if _words(name) & _HEADERS:
        return _headers_out(value)
    match value:
        case str():
            shaped = value[:1] in {"{", "["} or not re.search(r"\s", value)
            value = redacted_text(value) if shaped else _known_out(value)
        case Mapping():
            take_out = _taken_out if _words(name) & _VARIABLES else redacted
            value = {key: take_out(part, str(key)) for key, part in value.items()}
        case list() | tuple():
            value = [redacted(part, name) for part in value]
    return value


def redacted_text(text: str) -> str:
    """Return a message, an address or the like without secrets."""
    for userinfo in _USERINFO.findall(text):
        _remember_userinfo(userinfo)
    text = _USERINFO.sub(REDACTED, _known_out(text))
    text = _QUERY.sub(lambda m: f"{m[1]}{REDACTED}" if is_secret_name(m[2]) or m[2] == "key" else m[0], text)
    text = _QUOTED.sub(
        lambda m: m[0].replace(m[5], REDACTED) if m[5] and _is_secret_of(m[2], m[1], m[3]) else m[0], text
    )
    text = _BARE.sub(lambda m: f"{m[1]}{m[2]}{REDACTED}" if _is_secret_of(m[1], "", m[2]) else m[0], text)
    text = _TOLD.sub(lambda m: f"{m[1]}{REDACTED}", text)
    return _TOKENS.sub(REDACTED, _BEARER.sub(lambda m: f"{m[1]} {REDACTED}", text))


def redacted_command(arguments: Sequence[str]) -> list[str]:
    """Return a command line without secrets: in `KEY=VALUE`, behind options such as `--api-key`, in addresses."""
    shown, before = [], ""
    for argument in arguments:
        named = before.startswith("--") and "=" not in before and is_secret_name(before)
        shown.append(_taken_out(argument) if named else _redacted_argument(argument))
        before = argument
    return shown


def remember(value: str) -> None:
    """Take a value out of every text from now on; one of fewer than 6 characters could be anything."""
    if len(value) < _LEAST or value == REDACTED:
        return
    _remembered.update({value, quoted(value, safe=""), unquote(value), base64.b64encode(value.encode()).decode()})


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _is_secret_of(name: str, quote: str, equals: str) -> bool:
    # "Unexpected token: …" is an error of a parser.
    loose = not quote and equals.strip() != "=" and _words(name) <= {"token", "signature", "auth"}
    return is_secret_name(name) and not loose


def _redacted_argument(argument: str) -> str:
    name, equals, value = argument.partition("=")
    if not equals or "://" in name:
        return str(redacted(argument))
    name = re.sub(r"^-(?=[A-Za-z])[A-Za-z]", "", name)  # -Mapi_key=…
    return f"{argument[: -len(value) or None]}{redacted(value, name)}"


def _taken_out(value: Any, _name: str = "") -> Any:
    """Take out all values of data, and remember them; what they are called stays."""
    match value:
        case None | bool():
            return value
        case Mapping():
            return {key: _taken_out(part) for key, part in value.items()}
        case list() | tuple():
            return [_taken_out(part) for part in value]
    text = str(value)
    remember(text)
    remember(text.rpartition(" ")[2])  # behind Bearer
    return REDACTED


def _headers_out(value: Any) -> Any:
    """Take out the values of headers; those that say what is sent, such as a media type, are not remembered."""
    match value:
        case Mapping():
            return {
                key: _taken_out(part) if is_secret_name(str(key)) else _headers_out(part) for key, part in value.items()
            }
        case list() | tuple():
            return [_headers_out(part) for part in value]
        case None | bool():
            return value
    text = str(value)
    if len(text) >= _LEAST_OF_VARIABLE and _DIGIT.search(text):
        remember(text)
    return REDACTED


def _known_out(text: str) -> str:
    for value in sorted({*_remembered, *_of_variables()}, key=len, reverse=True):
        text = text.replace(value, REDACTED)
    return text


def _of_variables() -> Iterator[str]:
    """Yield the values of environment variables that are secrets, and the passwords of addresses in others."""
    for name, value in os.environ.items():
        if "://" in value:
            for userinfo in _USERINFO.findall(value):
                yield from filter(lambda part: len(part) >= _LEAST, (userinfo, userinfo.partition(":")[2]))
        elif len(value) >= _LEAST_OF_VARIABLE and not value.startswith("/") and is_secret_name(name):
            yield value


def _remember_userinfo(userinfo: str) -> None:
    user, _, password = userinfo.partition(":")
    remember(userinfo)
    remember(unquote(userinfo))  # httpx sends it so, in base64
    remember(password or user)
