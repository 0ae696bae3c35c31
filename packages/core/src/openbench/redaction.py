"""Takes secrets out of what is kept and shown: keys, tokens, passwords, and credentials in URLs.

A secret is known by its name (`api_key=…`), by its form (`scheme://user:password@host`, `sk-…`), or by its value: the
environment's variables with such names, and whatever was taken out by its name before. Prompts and completions are
never given to this module.
"""

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from urllib.parse import quote as quoted
from urllib.parse import unquote

REDACTED = "[redacted]"

_LEAST = 6  # shorter values would be met by chance
_LEAST_OF_VARIABLE = 8
_MOST_OF_PLACEHOLDER = 12
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SECRET_WORDS = _set(
    "apikey auth authorization bearer cookie cookies cred credential credentials creds passphrase passwd password "
    "passwords pat pw pwd secret secrets sig signature webhook webhooks"
)
_KEY_OF = _set("access account api auth encryption private secret session service shared signing")
# Of keys and tokens that are not secrets: those of data and of a vocabulary, and counts; `pass` where it is a run.
_PLAIN = _set(
    "answer begin bos cache choice choices cls column count dict end eos field first foreign group id index input json "
    "label last limit mask max metadata metric min multi new num object one output pad per primary public question row "
    "sample score second sep single sort start stop target unique"
)
_CHOSEN_WORDS = _set("cred creds pass passphrase passwd password passwords pw pwd")  # people think them up
# What a variable such as AUTH_HOST or HF_TOKEN_PATH names: where a secret lies or goes, not the secret.
_PLACES = _set("dir domain endpoint file host issuer path port server sock uri url")
_HEADERS = _set("header headers")
_KEYS_OF_HEADERS = _set("key keys token tokens")  # as in X-Acme-Key
# Their contents have names of their own: distributions such as google-auth, or the fields of an answer.
_OF_OTHERS = _set("json_schema local packages response_schema versions")
_NAMES_AND_ADDRESSES = _set("base_url benchmark model model_base_url")
_ROLES = "model_roles"
_VARIABLES = _set("env environ environment")

_NAME = r"[A-Za-z][\w-]*"
_PLACEHOLDER = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
_PAIR = re.compile(r"\s*\w[\w ]*=")
_ORIGIN = re.compile(r"[A-Za-z][\w+.-]*://[^\s/?#]*")
_USERINFO = re.compile(r"(?<=://)[^\s/?#\"'<>]+(?=@)")
_QUERY = re.compile(rf"([?&;#]({_NAME})=)([^&;#\s\"'<>]+)")
_LONG = re.compile(r"[\w+/]{15}")  # every form in `_shapes` has that
_DETECTORS = (
    "aws:AWSKeyDetector azure_storage_key:AzureStorageKeyDetector discord:DiscordBotTokenDetector "
    "gitlab_token:GitLabTokenDetector mailchimp:MailchimpDetector sendgrid:SendGridDetector slack:SlackDetector "
    "square_oauth:SquareOAuthDetector stripe:StripeDetector telegram_token:TelegramBotTokenDetector"
)
# Of those who serve models, which these do not know, and some in other lengths than these know.
_TOKENS = re.compile(
    r"\b(?:(?:sk|pk|rk)-(?=[\w-]*\d)[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_\w{16,}"
    r"|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{30,}|gsk_\w{20,}|r8_\w{20,}|xai-\w{20,}"
    r"|nvapi-[\w-]{20,}|pypi-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
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


# --- which names are those of secrets ---------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Return whether this is the name of a secret: `api_key`, `x-auth-token`, `awsSecretAccessKey`."""
    words = [word.lower() for word in _WORD.findall(name)]
    if _SECRET_WORDS.intersection(words) or any(word.endswith(("apikey", "password")) for word in words):
        return True
    if "token" in words or "tokens" in words:
        return "token" in words and not _PLAIN.intersection(words)
    if any(word in {"key", "keys"} and before in _KEY_OF for before, word in pairwise(words)):
        return True
    return len(words) > 1 and words[-1] in {"key", "pass"} and words[-2] not in _PLAIN  # OPENAI_KEY, db_pass


def is_secret_header(name: str) -> bool:
    """Return whether the value of a header of this name is a secret: `Authorization`, `X-Acme-Key`."""
    return is_secret_name(name) or not _KEYS_OF_HEADERS.isdisjoint(_words(name))


def secret_variables(*, keep: tuple[str, ...] = ("GIT", "PIP_", "SSH_", "UV_")) -> set[str]:
    """Return the names of variables that hold secrets, without prefixes in `keep` (installers')."""
    return {name for name in os.environ if is_secret_name(name) and not name.startswith(keep)}


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _is_plain_key(name: str, value: Any) -> bool:
    """Return whether a key that may be one of data, by its name, has a short word for value, as in `by_key=topic`."""
    words = [word.lower() for word in _WORD.findall(name)]
    weak = words[-1:] == ["key"] and not _SECRET_WORDS.intersection(words) and not _KEY_OF.intersection(words)
    return weak and isinstance(value, str) and _is_placeholder(value, name)


def _is_placeholder(value: str, name: str) -> bool:
    """Return whether a secret is one in name alone, such as the key `ollama` of a server that asks for none.

    Keys and tokens are made by machines: long, or with digits. A short word in the place of one occurs in texts for
    what it means, such as the name of a provider, so it is not taken out of them. A password may be a word.
    """
    if len(value) >= _MOST_OF_PLACEHOLDER or not _PLACEHOLDER.fullmatch(value):
        return False
    words = _words(name)
    return not _CHOSEN_WORDS.intersection(words) and not any(word.endswith("password") for word in words)


# --- data, names and command lines ------------------------------------------------------------------------------------


def redacted(value: Any, name: str = "") -> Any:
    """Return plain data without secrets: arguments, settings, whatever a log records of a run.

    What is taken out by its name is remembered, and taken out of every text from then on. Texts with spaces are prose
    such as a prompt's template, which may well say "password: x": known values, credentials in addresses, and keys
    that are known by their form are taken out of it. Names of models and benchmarks, and servers' addresses, are as
    `redacted_name` returns them.

    Args:
        value: Data of mappings, sequences and scalars.
        name: Its name.
    """
    if name in _OF_OTHERS:
        return value
    if is_secret_name(name) and not _is_plain_key(name, value):
        return _taken_out(value, name)
    if _words(name) & _HEADERS:
        return _headers_out(value)
    match value:
        case str() if name in _NAMES_AND_ADDRESSES:
            value = redacted_name(value)
        case str():
            value = _shapes_out(_query_out(_userinfo_out(value), _LEAST)) if _is_prose(value) else redacted_text(value)
        case Mapping() if name == _ROLES:  # what a role is called says nothing of its model
            value = {role: redacted(models) for role, models in value.items()}
        case Mapping():
            take_out = _taken_out if _words(name) & _VARIABLES else redacted
            value = {key: take_out(part, str(key)) for key, part in value.items()}
        case list() | tuple():
            value = [redacted(part, name) for part in value]
    return value


def redacted_name(text: str) -> str:
    """Return the name of a model or benchmark, or the address of a server, without credentials.

    A run is found and resumed by it, so only that is taken out which cannot be part of it: the user and password of an
    address, secrets of its query, and keys in its path. Known values stay in names and hosts, since a key may be the
    name of a provider that asks for none (`openai-api/ollama/m` with `api_key=ollama`).
    """
    _remember_userinfo(text)
    text = _query_out(_USERINFO.sub(REDACTED, text))
    if origin := _ORIGIN.match(text):
        return origin[0] + _shapes_out(_known_out(text[origin.end() :]))
    return text


def redacted_command(arguments: Sequence[str]) -> list[str]:
    """Return a command line without secrets: in `KEY=VALUE`, behind options such as `--api-key`, in addresses.

    Each of thousands of logs holds it, so it is one list for all of them.
    """
    return _redacted_command(tuple(arguments), len(_remembered), tuple(os.environ.items()))


@lru_cache(maxsize=8)
def _redacted_command(arguments: Sequence[str], *_known: object) -> list[str]:
    shown = []
    for before, argument in pairwise(("", *arguments)):
        option = before[2:] if before.startswith("--") and "=" not in before else ""
        name, equals, value = argument.partition("=")
        if is_secret_name(option) and not _is_plain_key(option, argument):
            argument = _taken_out(argument, option)  # noqa: PLW2901
        elif option.replace("-", "_") in _NAMES_AND_ADDRESSES:
            argument = redacted_name(argument)  # noqa: PLW2901
        elif not equals or "://" in name:
            argument = str(redacted(argument))  # noqa: PLW2901
        else:
            key = re.sub(r"^-(?=[A-Za-z])[A-Za-z]", "", name)  # -Mapi_key=…
            argument = f"{name}={redacted(value, key)}"  # noqa: PLW2901
        shown.append(argument)
    return shown


def _taken_out(value: Any, name: str = "") -> Any:
    """Take out all values of data, and remember them; their names stay."""
    match value:
        case None | bool():
            return value
        case Mapping():
            return {key: _taken_out(part, str(key)) for key, part in value.items()}
        case list() | tuple():
            return [_taken_out(part, name) for part in value]
    text = str(value)
    for secret in (text, text.rpartition(" ")[2]):  # behind Bearer
        if not _is_placeholder(secret, name):
            remember(secret)
    return REDACTED


def _headers_out(value: Any) -> Any:
    """Take out the values of headers; those that describe what is sent, such as a media type, are not remembered."""
    match value:
        case Mapping():
            return {
                key: _taken_out(part, str(key)) if is_secret_header(str(key)) else _headers_out(part)
                for key, part in value.items()
            }
        case list() | tuple():
            return [_headers_out(part) for part in value]
        case None | bool():
            return value
    text = str(value)
    if len(text) >= _LEAST_OF_VARIABLE and re.search(r"\d", text):
        remember(text)
    return REDACTED


# --- texts ------------------------------------------------------------------------------------------------------------


def redacted_text(text: str) -> str:
    """Return a message, an address or the like without secrets."""
    text = _query_out(_userinfo_out(text))
    text = _QUOTED.sub(
        lambda m: m[0].replace(m[5], REDACTED) if m[5] and _is_secret_of(m[2], m[1], m[3]) else m[0], text
    )
    text = _BARE.sub(lambda m: f"{m[1]}{m[2]}{REDACTED}" if _is_secret_of(m[1], "", m[2]) else m[0], text)
    return _shapes_out(_ECHOED.sub(rf"\g<1>{REDACTED}", text))


def _is_secret_of(name: str, quote: str, equals: str) -> bool:
    # "Unexpected token: …" is an error of a parser.
    loose = not quote and equals.strip() != "=" and _words(name) <= {"token", "signature", "auth"}
    return is_secret_name(name) and not loose


def _is_prose(text: str) -> bool:
    """Return whether a text is prose: neither JSON nor a single word, nor parts such as `host=db password=x`."""
    if text[:1] in {"{", "["} or not re.search(r"\s", text):
        return False
    parts = text.split(";") if ";" in text else text.split()
    return not all(_PAIR.match(part) for part in parts if part.strip())


def _query_out(text: str, least: int = 1) -> str:
    return _QUERY.sub(
        lambda m: f"{m[1]}{REDACTED}" if len(m[3]) >= least and (is_secret_name(m[2]) or m[2] == "key") else m[0], text
    )


def _userinfo_out(text: str) -> str:
    _remember_userinfo(text)
    return _USERINFO.sub(REDACTED, _known_out(text))


def _shapes_out(text: str) -> str:
    """Take out what has the form of a secret, wherever it stands."""
    text = _WEBHOOK.sub(rf"\g<1>{REDACTED}", _BEARER.sub(rf"\g<1> {REDACTED}", text))
    text = _TOKENS.sub(REDACTED, text)
    for shape in _shapes() if _LONG.search(text) else ():
        text = shape.sub(REDACTED, text)
    return text


@cache
def _shapes() -> Sequence[re.Pattern[str]]:
    """Return the forms of secrets that detect-secrets knows; importing it takes a fifth of a second."""
    detectors = [resolve_name(f"detect_secrets.plugins.{name}") for name in _DETECTORS.split()]
    # In a word, such as the digits of a digest, it is a part of something else.
    found = [shape for detector in detectors for shape in detector.denylist]
    return [re.compile(rf"(?<![A-Za-z0-9])(?:{shape.pattern})(?![A-Za-z0-9])", shape.flags) for shape in found]


# --- known values -----------------------------------------------------------------------------------------------------


def remember(value: str) -> None:
    """Take a value out of every text from now on; one of fewer than 6 characters could be anything."""
    if len(value) >= _LEAST and value != REDACTED:
        _remembered.update(_spellings(value))


@lru_cache(maxsize=1024)
def _spellings(value: str) -> frozenset[str]:
    """Return how a value is written: in an address, in a header of `Basic`, or as a text of Python or JSON."""
    content = value.encode(errors="surrogatepass")  # a variable may hold any bytes
    sent = {quoted(content, safe=""), unquote(value), base64.b64encode(content).decode()}
    return frozenset(each for each in {value, *sent, repr(value)[1:-1], json.dumps(value)[1:-1]} if len(each) >= _LEAST)


def _known_out(text: str) -> str:
    # A password that is such a word would take the names away by which others are known.
    for value in sorted({*_remembered, *_of_variables()} - _SECRET_WORDS, key=len, reverse=True):
        text = text.replace(value, REDACTED)
    return text


def _of_variables() -> Iterator[str]:
    """Yield the values of environment variables that are secrets, and the passwords of addresses in others."""
    for name, value in os.environ.items():
        if "://" in value:
            for userinfo in _USERINFO.findall(value):
                yield from filter(lambda part: len(part) >= _LEAST, (userinfo, userinfo.partition(":")[2]))
        if len(value) >= _LEAST_OF_VARIABLE and is_secret_name(name) and not _is_plain(name, value):
            yield from _spellings(value)


def _is_plain(name: str, value: str) -> bool:
    """Return whether a variable with the name of a secret only says where it is, or holds a placeholder."""
    if _is_placeholder(value, name) or name.lower().rpartition("_")[2] in _PLACES:
        return True
    if origin := _ORIGIN.match(value):
        return value[origin.end() :] in {"", "/"}  # no more than a host: KEYCLOAK_AUTH=https://login.acme.io
    try:
        return value.startswith("/") and Path(value).exists()
    except OSError:  # too long for a path
        return False


def _remember_userinfo(text: str) -> None:
    for userinfo in _USERINFO.findall(text):
        user, _, password = userinfo.partition(":")
        for secret in (userinfo, unquote(userinfo), password or user):  # httpx sends it unquoted, in base64
            remember(secret)
