"""Text that gives orders to whoever reads it, or that people's eyes cannot see (O-PV-02).

A memory is handed to agents, and an agent may do what it reads. What is found here is a reason to look, no verdict:
a note about such attacks reads like one. The text found is never given back, so that a list of findings, which
agents read too, repeats no order.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from memtend.text.tokens import fold

OVERRIDE = "sets earlier instructions aside"
ROLE = "speaks as the system or as a new role"
SECRECY = "wants something kept from the user"
OUTFLOW = "wants what the agent knows sent away"
FRAME = "forges the frame of a message or tool"
TAGS = "has characters that nobody sees"
DIRECTION = "turns the direction of writing, so that it reads otherwise than it is"


class Suspicion(NamedTuple):
    """Where a text gives orders or hides something, and in what way. It does not hold the text."""

    line: int
    """From 1."""
    kind: str


class _Shape(NamedTuple):
    """What a kind of order looks like, and pieces of text without any of which there is none (faster to look for)."""

    kind: str
    triggers: tuple[str, ...]
    pattern: re.Pattern[str]


_NOT = r"(?<!not )(?<!n't )(?<!never )(?<!cannot )(?<!nicht )(?<!pas )"
_FILLER = r"(?:(?:all|any|every|each|of|the|these|those|your|my|our|and|or|other|existing|current|initial|original)\s+)"
_EARLIER = r"(?:previous|prior|earlier|above|preceding|foregoing|former|past|system|developer|safety)"
_ORDERS = r"(?:instructions?|directions?|directives?|guidelines?|orders?|prompts?|commands?|programming)"
_RULES = r"(?:rules?|polic(?:y|ies)|constraints?|restrictions?|messages?|context|guardrails?|safeguards?|training)"
_BEHIND = (
    r"(?:above|before|so far|(?:that )?(?:you (?:have|had|were)|you've) (?:been )?(?:given|told|received)|until now)"
)
_IGNORE = r"\b(?:ignore|disregard|forget|override|bypass|discard)\s+"
_OVERRIDE = (
    rf"{_NOT}{_IGNORE}(?:{_FILLER}{{0,4}}{_EARLIER}\s+{_FILLER}{{0,2}}(?:{_EARLIER}\s+)?(?:{_ORDERS}|{_RULES})\b"
    rf"|{_FILLER}{{1,4}}{_ORDERS}\b|{_FILLER}{{0,4}}(?:{_ORDERS}|{_RULES})\s+{_BEHIND}\b"
    rf"|(?:everything|anything|all|what)\s+{_BEHIND}\b)"
)
_OVERRIDE_ELSEWHERE = (
    r"\bignorier\w*\s+(?:bitte\s+)?(?:alle\s+)?(?:vorherigen|bisherigen|obigen|früheren|vorigen)\s+\w+"
    r"|\b(?:ignore[zr]?|oublie[zr]?)\s+(?:toutes\s+)?(?:les|tes|vos)\s+(?:instructions|consignes|règles)"
    r"\s+\w*(?:précédent|antérieur)"
    r"|\b(?:ignora|olvida|ignore|esqueça)\w*\s+(?:todas\s+)?(?:las|as)\s+(?:instrucciones|instruções|reglas|regras)"
    r"\s+(?:anteriores|previas|prévias)"
    r"|\bигнорируй\w*\s+(?:все\s+)?(?:предыдущие|прежние)\s+\w+"
    r"|(?:忽略|无视|無視)[^\n。]{0,8}(?:之前|以上|先前|上面|前面)[^\n。]{0,8}(?:指令|指示|规则|規則|提示)"
    r"|(?:以前|これまで|上記)の(?:すべての)?(?:指示|命令|ルール)[^\n。]{0,4}(?:無視|忘れ)"
)
_MUST = r"(?:from now on|you (?:must|are|will|should|may)|ignore|disregard|always|never|do not|don't|skip|stop|new )"
_ROLE = (
    r"(?m:^[ \t>*_#-]{0,8})(?:system|developer)(?:[ ](?:message|prompt|override|instructions?|notice))?"
    rf"[*_]{{0,2}}\s?:[*_]{{0,2}}\s+{_MUST}"
    r"|(?m:^[ \t>*_#-]{0,8})(?:new|updated|real|actual)[ ](?:system[ ])?(?:instructions?|prompt|orders)[*_]{0,2}\s?:"
    r"|\b(?:new|updated) (?:system )?instructions?:\s"
    r"|\byou are (?:now|no longer) (?:in (?:developer|debug|god|admin|jailbreak)|dan\b|unrestricted|jailbroken"
    r"|bound by|an? (?:unrestricted|unfiltered))"
    r"|\b(?:enter|enable|activate) (?:developer|god|jailbreak|dan) mode\b"
)
_PEOPLE = r"(?:the |your )?(?:users?|humans?|operators?|developers?|owners?|anyone|anybody)"
_SECRECY = (
    r"\b(?:do not|don't|never|must not|without)\s+(?:ever\s+)?"
    r"(?:tell|mention|telling|mentioning|reveal|revealing|disclos(?:e|ing)|inform(?:ing)?|alert(?:ing)?|notify(?:ing)?)\s+"
    rf"(?:(?:this|it|that|them|any of this|these \w+|about \w+|of \w+)\s+)?(?:to\s+|by\s+)?(?:{_PEOPLE})\b(?!\s+to\b)"
    rf"|\b(?:hide|conceal|keep)\s+(?:this|it|that|these \w+)\s+(?:secret\s+)?from\s+{_PEOPLE}\b"
)
_OUTFLOW = (
    r"\b(?:send|post|upload|forward|leak|exfiltrate|email|mail|transmit)\s+"
    r"(?:(?:me|all|any|the|your|our|its|every|of|full|entire|whole|contents?)\s+){0,4}"
    r"(?:conversations?|chat(?:s| history| logs?)?|system prompt|credentials|secrets?|passwords?|api keys?"
    r"|private keys?|tokens|environment variables|env vars|memor(?:y|ies)|\.env)\b"
    r"[^\n]{0,60}?\bto\s+(?:https?:|[\w.+-]+@|the (?:url|address|server|webhook))"
)
_SPEAKERS = r"(?:system|memory|memories|assistant|developer|instructions?|admin)"
"""Also what a placeholder may be called (`show <memory>`): a tag only where it is closed, or alone on its line."""
_FRAME = (
    r"</?(?:system[-_ ](?:prompt|message|reminder)|tool_?(?:result|output|call|use|response)s?"
    rf"|function_?(?:calls?|results?))(?:\s[^<>\n]{{0,80}})?>|</{_SPEAKERS}>|(?m:^[ \t>]{{0,8}}<{_SPEAKERS}>[ \t]*$)"
    r"|<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\|>"
    r"|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>"
)
_SHAPES = (
    _Shape(OVERRIDE, ("ignore", "disregard", "forget", "override", "bypass", "discard"), re.compile(_OVERRIDE)),
    _Shape(
        OVERRIDE,
        ("ignor", "oubli", "olvida", "esque", "игнорируй", "忽略", "无视", "無視", "忘れ"),
        re.compile(_OVERRIDE_ELSEWHERE),
    ),
    _Shape(ROLE, ("system", "developer", "instruction", "prompt", "orders", "you are n", " mode"), re.compile(_ROLE)),
    _Shape(SECRECY, ("user", "human", "operator", "develop", "owner", "anyone", "anybody"), re.compile(_SECRECY)),
    _Shape(OUTFLOW, ("http", "@", "the url", "address", "server", "webhook"), re.compile(_OUTFLOW)),
)
_FORGED = _Shape(FRAME, ("<", "["), re.compile(_FRAME))
_CODE = re.compile(r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1|\Z)|(`+)(?!`)[^\n]*?(?<!`)\2(?!`)|^(?:\t| {4})[^\n]*$")

_TAG_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_UNSEEN = re.compile(
    "[\U000e0000-\U000e007f]+|[\U000e0100-\U000e01ef]{2,}|[\ufe00-\ufe0f]{3,}|[\u200b-\u200f\u2060-\u2064\ufeff]{4,}"
)
_OVERRIDES = re.compile("[\u202d\u202e]")
_EMBEDDINGS = re.compile("[\u202a\u202b\u2066-\u2068]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


def suspicions(text: str) -> tuple[Suspicion, ...]:
    """Where a text gives orders to an agent or hides something, in order, each kind once a line."""
    places = set(_of_orders(text))
    if not text.isascii():
        places |= {*_unseen(text), *_turned(text)}
    return tuple([Suspicion(line, kind) for line, kind in sorted(places)])


def _of_orders(text: str) -> Iterator[tuple[int, str]]:
    """The lines with orders. Read as a model may read it: in small letters, without what parts the letters unseen."""
    plain = fold(text if text.isascii() else _INVISIBLE.sub("", text))
    for shape in _SHAPES:
        if any(trigger in plain for trigger in shape.triggers):
            yield from _lines(plain, shape)
    if any(trigger in plain for trigger in _FORGED.triggers):
        yield from _lines(_CODE.sub(lambda code: "\n" * code[0].count("\n"), plain), _FORGED)


def _lines(text: str, shape: _Shape) -> Iterator[tuple[int, str]]:
    line, seen = 1, 0
    for found in shape.pattern.finditer(text):
        line += text.count("\n", seen, found.start())
        seen = found.start()
        yield line + (found[0][:1] == "\n"), shape.kind


def _unseen(text: str) -> Iterator[tuple[int, str]]:
    """Runs of characters without a shape. Flags are made of some of them, emoji and Indic words of single ones."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.isascii() and _UNSEEN.search(_TAG_FLAG.sub("", line.lstrip("\ufeff"))):
            yield number, TAGS


def _turned(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are turned round; in Arabic and Hebrew lines an embedding is as it should be."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.isascii():
            continue
        is_from_right = any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in line)
        if _OVERRIDES.search(line) or (_EMBEDDINGS.search(line) and not is_from_right):
            yield number, DIRECTION
