"""What the sentences of a session are: constraints, decisions, and what headings say of them."""

import pytest
from small_memory import compacted

from memtend.layouts.category.cues import Cues, parse_cues
from memtend.layouts.category.entries import read
from memtend.layouts.category.statements import Kind, kind_of, statements

CONSTRAINTS = """
API tokens must be rotated every 90 days.
Uploads are limited to 25 MB.
At most 3 retries per job.
The response time must not exceed 200 ms.
You may not deploy on Fridays.
No secrets in the repository.
A session expires after 15 minutes.
x ≤ 5
Only the release manager may tag a version.
API-Schlüssel müssen alle 90 Tage erneuert werden.
Höchstens 3 Versuche je Auftrag.
Die Obergrenze liegt bei 100 Anfragen pro Minute.
Kein Deployment an Freitagen.
Il ne faut jamais journaliser un paiement.
Seul le responsable peut publier une version.
Le service n'accepte que des jetons signés.
Une sauvegarde est obligatoire.
Como máximo 3 intentos por tarea.
Está prohibido escribir en la réplica.
Se requiere una copia antes de cada migración.
密钥必须每90天轮换一次。
禁止写入生产副本。
每分钟上限100个请求。
只有负责人可以发布版本。
Il servizio deve rispondere entro 2 secondi.
O serviço nunca apaga dados.
Wachtwoorden zijn verplicht.
Ключ должен меняться каждые 90 дней.
パスワードは必ず暗号化する。
Constraint: one writer at a time
"""
NO_CONSTRAINTS = """
The team had lunch in the garden.
The build took 40 minutes.
Am Morgen haben wir den Code gelesen.
Nous avons parlé des noms.
Alguien dibujó el recorrido.
大家一起阅读了代码。
It measures 40 by 30.
"""


@pytest.mark.parametrize("sentence", CONSTRAINTS.strip().splitlines())
def test_a_constraint_is_known_by_its_words(sentence: str) -> None:
    assert kind_of(sentence, Cues()) is Kind.CONSTRAINT


@pytest.mark.parametrize("sentence", NO_CONSTRAINTS.strip().splitlines())
def test_plain_talk_is_no_constraint(sentence: str) -> None:
    assert kind_of(sentence, Cues()) is Kind.STATE


@pytest.mark.parametrize(
    "sentence",
    [
        "We decided to use Redis.",
        "Decision: keep the monorepo.",
        "**Decision:** keep the monorepo.",
        "Das Team einigte sich auf PostgreSQL.",
        "L'équipe a opté pour pnpm.",
        "Se acordó usar pnpm.",
        "团队同意采用pnpm。",
    ],
)
def test_a_decision_is_known_by_its_words(sentence: str) -> None:
    assert kind_of(sentence, Cues()) is Kind.DECISION


def test_the_table_of_words_is_extended_by_a_file_of_the_memory() -> None:
    cues = parse_cues("strictly by\nretention #  // only with a number\ndecision: ruled out\n^ask\n")
    assert kind_of("Strictly by the book.", cues) is Kind.CONSTRAINT
    assert kind_of("Retention: 30 days", cues) is Kind.CONSTRAINT
    assert kind_of("Retention was discussed", cues) is Kind.STATE
    assert kind_of("Kafka was ruled out.", cues) is Kind.DECISION
    assert kind_of("Ask before you push.", cues) is Kind.CONSTRAINT
    assert kind_of("We ask before we push.", cues) is Kind.STATE
    files = {"sessions/a.md": "Strictly by the book.", "_constraints.txt": "strictly by\n"}
    summary = compacted(files).summary
    assert summary is not None
    assert [bullet.kind for bullet in summary.bullets] == [Kind.CONSTRAINT]


def test_headings_labels_and_leading_sentences_say_what_stands_below_them() -> None:
    text = """\
# Session

## Decisions

- Redis for mail
- Tokens must be short

## Entscheidungen

Ein Monorepo.

## Notes

We must never:

- log tokens
- keep `user_id`
  - in any form

Fine things:

- tea

| name | value |
|---|---|
| max_connections | must be 20 |

> 日志必须加密。

```
this must not count
```

<!-- nor must this -->
"""
    found = [(one.kind.value, one.text) for one in statements(read("sessions/a.md", text.encode()), Cues())]
    assert found == [
        ("decision", "Redis for mail"),
        ("constraint", "Tokens must be short"),
        ("decision", "Ein Monorepo."),
        ("constraint", "We must never: log tokens"),
        ("constraint", "We must never: keep `user_id`"),
        ("constraint", "We must never: in any form"),
        ("constraint", "max_connections | must be 20"),
        ("constraint", "日志必须加密。"),
    ]
