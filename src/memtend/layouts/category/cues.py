"""The words by which a sentence is known for a constraint or a decision, in several languages (category spec, 3.3).

A table that a memory extends with a file `_constraints.txt` beside its index, one phrase a line:

    strictly no            counts as whole words, in any case; in scripts without spaces wherever it stands
    retention #            counts only with a number in the sentence
    ne … que               `…` stands for one word, or for the rest of one
    ^no                    counts only where the sentence begins
    decision: ruled out    tells a decision
    // a comment

Recall comes before precision: a sentence too many costs room, one too few loses a rule.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from memtend.text import fold
from memtend.text.unspaced import UNSPACED


def _table(languages: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """Phrases by language from one text each, commas between them."""
    return {name: tuple(" ".join(phrase.split()) for phrase in text.split(",")) for name, text in languages.items()}


CONSTRAINTS: Mapping[str, tuple[str, ...]] = _table(
    {
        "en": """
            must, mustn't, shall, never, always, only, at most, at least, no more than, not more than, no less
            than, no fewer than, not exceed, exceeds, required, requires, require, requirement, mandatory,
            obligatory, forbidden, prohibited, not allowed, not permitted, disallowed, may not, cannot, can't,
            do not, don't, needs to, need to, has to, have to, constraint, non-negotiable, without exception,
            aren't allowed, isn't allowed, isn't permitted, banned, restricted to, expires after #, expire after
            #, over #, ^no, ^without, ^nothing, ^nobody, under no circumstances, no later than, deadline, limit
            #, limits #, limited to, maximum, minimum, max #, min #, up to #, within #, fewer than #, less than
            #, more than #, capped at, cap of, quota, budget of #, under #, below #, strictly, exclusively, only
            if, not to exceed, exceed #, restricted, prohibits, forbids, disallow, compulsory, obliged to,
            mandated, no longer than #, no larger than #, no greater than #, at minimum, at maximum, ceiling of,
            hard limit, upper bound, lower bound, throttled to #, rate limited, needs #, cap is #, threshold #
        """,
        "de": """
            muss, müssen, musst, muß, darf, dürfen, nie, niemals, immer, nur, ausschließlich, höchstens,
            mindestens, maximal, minimal #, nicht mehr als, nicht weniger als, nicht überschreiten,
            erforderlich, notwendig, zwingend, vorgeschrieben, pflicht, verpflichtend, verboten, untersagt,
            unzulässig, nicht erlaubt, nicht gestattet, keinesfalls, auf keinen fall, obergrenze, untergrenze,
            höchstwert, grenze #, grenzwert, limit #, bis zu #, innerhalb #, binnen #, unter #, spätestens,
            bedingung, vorgabe, kann nicht, können nicht, begrenzt, beschränkt, nicht zu, ^kein, ^keine,
            ^keinen, ^ohne, ^niemand, unbedingt, lediglich, ausnahmslos, stets, soll nicht, sollen nicht,
            limitiert, maximum, minimum, mindest…, maximal…, höchst… #, verpflicht…, nicht länger als, nicht
            größer als, nicht höher als, weniger als #, mehr als #, unterhalb #, oberhalb #, unter keinen
            umständen, in keinem fall
        """,
        "fr": """
            doit, doivent, devra, devront, il faut, il ne faut, jamais, toujours, uniquement, seulement,
            exclusivement, au plus, au maximum, au minimum, au moins, maximum, minimum, maximal #, maximale #,
            pas plus de, pas dépasser, ne dépasse pas, obligatoire, obligatoires, requis, requise, exigé, exige,
            nécessaire, interdit, interdite, interdits, défense de, ne peut pas, ne peuvent pas, ne pas,
            contrainte, ne … que, n'… que, impératif, impérativement, limite #, limité à, limitée à, plafond,
            jusqu'à #, dans les #, moins de #, au plus tard, sans exception, limités à, limitées à, ^aucun,
            ^aucune, ^sans, ^seul, ^seule, ^seuls, ^seules, en aucun cas, strictement, obligation,
            obligatoirement, interdiction, proscrit, exigence, exigent, limité, limités, limitée, limitées,
            plafonné, plafonnée, inférieur à #, supérieur à #, plus de #, maximale, minimale, à condition, seul
            le, seul un, seule la, seule une, seuls les, seules les, impératifs, indispensable
        """,
        "es": """
            debe, deben, deberá, deberán, hay que, tiene que, tienen que, nunca, jamás, siempre, solo, sólo,
            solamente, únicamente, exclusivamente, como máximo, como mínimo, a lo sumo, al menos, por lo menos,
            máximo, mínimo, no más de, no superar, no exceder, no puede, no pueden, no se permite, no se puede,
            obligatorio, obligatoria, requerido, requerida, se requiere, requiere, es necesario, prohibido,
            prohibida, está prohibido, restricción, límite #, limitado a, tope, hasta #, menos de #, en un
            plazo, a más tardar, sin excepción, limitada a, limitados a, limitadas a, exige, exigen, ^ningún,
            ^ninguna, ^sin, en ningún caso, estrictamente, obligación, obligatoriamente, prohibición, prohíbe,
            exigido, imprescindible, indispensable, ha de, han de, limitado, limitada, limitados, limitadas,
            máxima, mínima, inferior a #, superior a #, más de #, límite de, límite es
        """,
        "it": """
            deve, devono, bisogna, non deve, non può, non possono, solo, soltanto, esclusivamente, al massimo,
            al minimo, almeno, non più di, obbligatorio, obbligatoria, richiesto, vietato, proibito, sempre,
            limite #, massimo #, fino a #, entro #, non mai, ^nessun, ^nessuna, ^senza
        """,
        "pt": """
            deve, devem, deverá, nunca, sempre, apenas, somente, só, no máximo, no mínimo, pelo menos, não pode,
            não podem, obrigatório, obrigatória, exigido, proibido, proibida, é preciso, limite #, até #,
            ^nenhum, ^nenhuma, ^sem
        """,
        "nl": """
            moet, moeten, mag niet, mogen niet, nooit, altijd, alleen, uitsluitend, hoogstens, maximaal,
            minimaal, minstens, ten minste, verplicht, vereist, verboden, niet toegestaan, niet meer dan, limiet
            #, tot #, binnen #, ^geen, ^zonder
        """,
        "ru": """
            должен, должна, должны, должно, нельзя, никогда, всегда, только, не более, не менее, максимум,
            минимум, обязательно, требуется, запрещено, запрещается, лимит #, до #
        """,
        "zh": """
            必须, 必須, 只有, 都要, 一定要, 未经, 未經, 务必, 務必, 不得,
            不能, 不可, 不许, 不准, 不允许, 不應, 不应, 应当, 應當, 禁止,
            严禁, 嚴禁, 绝不, 絕不, 决不, 从不, 從不, 永远不, 永不, 切勿,
            请勿, 只能, 只允许, 只可, 仅限, 仅允许, 仅, 僅, 一律, 始终,
            最多, 至多, 最少, 至少, 不超过, 不超過, 不得超过, 不低于,
            不少于, 上限, 下限, 以内 #, 之内 #, 限制, 要求, 必需, 需要
            #, 强制, 须, 應該, 应该, 不要, 一定, 只准, 仅能, 不大于,
            不小于, 小于 #, 大于 #, 低于 #, 高于 #, 超过 #, 唯一,
            限于, 限定, 限额, 最大, 最小, 最长, 最短, 最高, 最低, 严格,
            不可以, 不會, 才能, 才可以
        """,
        "ja": """
            必ず, 必須, 禁止, なければならない, なければなりません, てはならない,
            てはいけない, てはなりません, 決して, のみ, だけ, 最大, 最小, 以下
            #, 以内 #, 以上 #, 上限, 下限, 必要がある, 常に
        """,
        "any": """
            ≤, ≥, <= #, >= #, < #, > #
        """,
    }
)
"""By language. What has `#` behind it counts only with a number in the sentence."""

DECISIONS: Mapping[str, tuple[str, ...]] = _table(
    {
        "en": """
            decided, decides, went with, going forward, from now on, settled for, voted, decide to, decision, we
            chose, chosen, choose to, agreed, agreed to, settled on, we will use, we'll use, going with, opted
            for, adopted, adopt, approved, rejected, switched to, we picked, resolved to
        """,
        "de": """
            entschieden, entscheidung, beschlossen, einigte sich, einigten uns, künftig, ab jetzt, beschluss,
            vereinbart, geeinigt, festgelegt, gewählt, wir nehmen, wir setzen auf, abgelehnt
        """,
        "fr": """
            décidé, opté, opter, désormais, décision, décidons, choisi, choix, retenu, convenu, adopté,
            adoptons, validé, rejeté, tranché
        """,
        "es": """
            decidido, decidieron, optó por, acordó, acuerdo, decidimos, decidió, decisión, elegimos, elegido,
            acordamos, acordado, adoptamos, adoptado, aprobado, rechazado, optamos por
        """,
        "it": """
            deciso, decisione, scelto, concordato, adottato, approvato
        """,
        "pt": """
            decidido, decidimos, decisão, escolhemos, acordado, adotado, aprovado
        """,
        "nl": """
            besloten, beslissing, gekozen, afgesproken, akkoord
        """,
        "ru": """
            решили, решено, решение, выбрали, договорились, принято
        """,
        "zh": """
            决定, 決定, 选定, 选择, 選擇, 采用, 採用, 确定, 商定, 同意,
            敲定, 拒绝
        """,
        "ja": """
            決定, 決めた, 採用, 合意, 選択
        """,
    }
)
"""By language."""

LABELS: Mapping[str, tuple[str, ...]] = _table(
    {
        "constraint": """
            constraint, constraints, active constraints, known constraints, rule, rules, requirements, limits,
            einschränkungen, vorgaben, regeln, bedingungen, contraintes, contrainte, règles, restricciones,
            restricción, reglas, vincoli, restrições, 约束, 限制, 规则, 制約
        """,
        "decision": """
            decision, decisions, key decisions, decisions made, entscheidung, entscheidungen, beschlüsse,
            décision, décisions, decisión, decisiones, decisione, decisioni, decisão, decisões, 决定, 决策, 決定
        """,
    }
)
"""Headings, and words before a colon, that say what stands below or behind them."""


@dataclass(frozen=True, slots=True)
class Cues:
    """The table, with what a memory adds to it. `own` are its phrases as they are written."""

    own: tuple[str, ...] = ()

    def is_constraint(self, sentence: str) -> bool:
        """Whether a sentence states a constraint."""
        always, with_number = _constraints(self.own)
        said = _said(sentence)
        return always.finds(said) or (said.has_number and with_number.finds(said))

    def is_decision(self, sentence: str) -> bool:
        """Whether a sentence tells a decision."""
        return _decisions(self.own).finds(_said(sentence))


def parse_cues(text: str) -> Cues:
    """The phrases of a `_constraints.txt`."""
    lines = (line.partition("//")[0].strip() for line in text.splitlines())
    return Cues(tuple(line for line in lines if line))


def label_of(text: str) -> str:
    """`constraint` or `decision`, where a heading or label is one of the table; else empty."""
    name = fold(text).strip(" *_:：#")
    return next((kind for kind, names in LABELS.items() if name in names), "")


_WORD = re.compile(r"[\w']+|[≤≥<>]=?")
_UNSPACED = re.compile(f"[{UNSPACED}]")


class _Said:
    """A sentence as phrases are looked for in it."""

    def __init__(self, sentence: str) -> None:
        self.folded = fold(sentence).replace("’", "'")
        self.words = _WORD.findall(self.folded)
        self.line = f" {' '.join(self.words)} "
        self.has_number = any(char.isdigit() for char in self.folded)


@lru_cache(maxsize=4)
def _said(sentence: str) -> _Said:
    return _Said(sentence)


class _Phrases:
    """Phrases in a form that is quick to look for: single words, longer ones by their first word, pieces of a run."""

    def __init__(self, phrases: Iterable[str]) -> None:
        folded = {fold(phrase).replace("’", "'").replace("...", "…") for phrase in phrases if phrase.strip()}
        self.pieces = tuple(sorted(phrase for phrase in folded if _UNSPACED.search(phrase)))
        self.first = frozenset(phrase[1:] for phrase in folded if phrase.startswith("^"))
        folded = {phrase for phrase in folded if not phrase.startswith("^")}
        self.gapped = tuple(_with_gaps(phrase) for phrase in sorted(folded) if "…" in phrase)
        spaced = [_WORD.findall(phrase) for phrase in folded - set(self.pieces) if "…" not in phrase]
        self.single = frozenset(words[0] for words in spaced if len(words) == 1)
        self.longer: dict[str, list[str]] = {}
        for words in spaced:
            if len(words) > 1:
                self.longer.setdefault(words[0], []).append(f" {' '.join(words)} ")

    def finds(self, said: _Said) -> bool:
        """Whether one of the phrases stands in a sentence."""
        if not self.single.isdisjoint(said.words):
            return True
        if said.words and said.words[0] in self.first:
            return True
        starts = self.longer.keys() & said.words
        if any(phrase in said.line for word in starts for phrase in self.longer[word]):
            return True
        if not said.folded.isascii() and any(piece in said.folded for piece in self.pieces):
            return True
        return any(first in said.line and pattern.search(said.line) for first, pattern in self.gapped)


def _with_gaps(phrase: str) -> tuple[str, re.Pattern[str]]:
    """A phrase with `…`: what it begins with, and the whole as a pattern for a line of words."""
    words = (r"\S+" if word == "…" else r"\S*".join(map(re.escape, word.split("…"))) for word in phrase.split())
    return " " + phrase.partition("…")[0].strip(), re.compile(f" {' '.join(words)} ")


@lru_cache(maxsize=8)
def _constraints(own: tuple[str, ...]) -> tuple[_Phrases, _Phrases]:
    mine = [phrase for phrase in own if not phrase.lower().startswith("decision:")]
    phrases = [phrase for table in CONSTRAINTS.values() for phrase in table] + mine
    numbered = [phrase[:-1].strip() for phrase in phrases if phrase.endswith("#")]
    return _Phrases(phrase for phrase in phrases if not phrase.endswith("#")), _Phrases(numbered)


@lru_cache(maxsize=8)
def _decisions(own: tuple[str, ...]) -> _Phrases:
    mine = [phrase.partition(":")[2].strip() for phrase in own if phrase.lower().startswith("decision:")]
    return _Phrases([phrase for table in DECISIONS.values() for phrase in table] + mine)
