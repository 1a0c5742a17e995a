"""Sessions with planted constraints, decisions, numbers and contradictions in five languages, told from a seed."""

from dataclasses import dataclass, field
from random import Random

CONSTRAINTS = {
    "en": (
        "The {thing} store must never hold more than {n} open handles.",
        "Uploads of a {thing} are limited to {n} MB.",
        "At most {n} retries are allowed for a {thing} job.",
        "Only the release manager may tag a {thing} version.",
        "A backup is required before every {thing} migration.",
    ),
    "de": (
        "Der {thing}-Speicher darf höchstens {n} offene Verbindungen halten.",
        "Ein {thing} muss alle {n} Tage erneuert werden.",
        "Es ist verboten, einen {thing} ohne Prüfung zu löschen.",
        "Nur die Leitung darf einen {thing} freigeben.",
        "Vor jeder Umstellung von {thing} ist eine Sicherung erforderlich.",
    ),
    "fr": (
        "Le dépôt {thing} ne doit jamais dépasser {n} connexions.",
        "Une clé {thing} doit être renouvelée tous les {n} jours.",
        "Il est interdit de supprimer un {thing} sans relecture.",
        "Au plus {n} tentatives par tâche {thing}.",
        "Une sauvegarde de {thing} est obligatoire avant chaque migration.",
    ),
    "es": (
        "El almacén {thing} nunca debe superar {n} conexiones.",
        "Una clave {thing} debe renovarse cada {n} días.",
        "Está prohibido borrar un {thing} sin revisión.",
        "Como máximo {n} intentos por tarea {thing}.",
        "Se requiere una copia de {thing} antes de cada migración.",
    ),
    "zh": (
        "{thing}缓存最多保存{n}条记录。",
        "{thing}密钥必须每{n}天轮换一次。",
        "禁止在未审核时删除{thing}。",
        "每个{thing}任务最多重试{n}次。",
        "迁移{thing}之前必须备份。",
    ),
}
DECISIONS = {
    "en": "We decided to keep the {thing} service in one process.",
    "de": "Wir haben entschieden, den {thing}-Dienst in einem Prozess zu lassen.",
    "fr": "Nous avons décidé de garder le service {thing} dans un seul processus.",
    "es": "Decidimos mantener el servicio {thing} en el mismo proceso.",
    "zh": "我们决定让{thing}服务留在一个进程里。",
}
CONTRADICTIONS = {
    "en": ("The {thing} timeout is {a} seconds.", "The {thing} timeout is {b} seconds."),
    "de": ("Die Frist für {thing} beträgt {a} Sekunden.", "Die Frist für {thing} beträgt {b} Sekunden."),
    "fr": ("Les sauvegardes de {thing} sont chiffrées.", "Les sauvegardes de {thing} ne sont pas chiffrées."),
    "es": ("El puerto de {thing} es {a}.", "El puerto de {thing} es {b}."),
    "zh": ("{thing}日志已经加密存储。", "{thing}日志没有加密存储。"),
}
FILLERS = {
    "en": (
        "The morning went into reading the {thing} code with the new colleague, who asked good questions about it.",
        "Somebody drew the flow of a {thing} on the whiteboard and the others added what they knew of it.",
        "The tests of `{ident}` ran for {n} minutes on the old machine, and nobody was in a hurry.",
        "Afterwards the notes about {thing} were put in order and the room was left as it had been found.",
        "A long talk about the names in `{ident}` ended where it had begun, in good spirits.",
    ),
    "de": (
        "Am Vormittag haben wir gemeinsam den Code von {thing} gelesen und über die Namen gesprochen.",
        "Jemand hat den Ablauf von {thing} an die Tafel gezeichnet, die anderen haben ergänzt.",
        "Die Tests von `{ident}` liefen {n} Minuten auf dem alten Rechner, und alle hatten Zeit.",
        "Danach wurden die Notizen zu {thing} geordnet und der Raum aufgeräumt.",
        "Ein langes Gespräch über die Namen in `{ident}` endete dort, wo es begonnen hatte.",
    ),
    "fr": (
        "La matinée est passée à lire le code de {thing} avec la nouvelle collègue.",
        "Quelqu'un a dessiné le parcours de {thing} au tableau et les autres ont complété.",
        "Les tests de `{ident}` ont tourné {n} minutes sur la vieille machine, dans le calme.",
        "Ensuite les notes sur {thing} ont été rangées et la salle aussi.",
        "Une longue discussion sur les noms de `{ident}` a fini là où elle avait commencé.",
    ),
    "es": (
        "La mañana se fue en leer el código de {thing} con la nueva compañera.",
        "Alguien dibujó el recorrido de {thing} en la pizarra y los demás añadieron lo suyo.",
        "Las pruebas de `{ident}` corrieron {n} minutos en la máquina vieja, con calma.",
        "Después se ordenaron las notas sobre {thing} y también la sala.",
        "Una larga charla sobre los nombres de `{ident}` terminó donde había empezado.",
    ),
    "zh": (
        "上午大家一起阅读了{thing}的代码，并讨论了其中的命名，气氛很好。",
        "有人在白板上画出了{thing}的流程，其他人补充了自己知道的部分。",
        "`{ident}`的测试在旧机器上运行了{n}分钟，大家都有时间。",
        "随后整理了关于{thing}的笔记，也把房间收拾干净。",
        "关于`{ident}`命名的长谈最后回到了起点，大家都很开心。",
    ),
}
THINGS = ("ledger", "harbor", "lantern", "orchard", "quarry", "saddle", "timber", "velvet", "walnut", "falcon")


@dataclass
class Planted:
    """Session files, and what was planted in them."""

    files: dict[str, str] = field(default_factory=dict)
    constraints: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    contradictions: list[tuple[str, str]] = field(default_factory=list)


def planted(seed: int, count: int = 30, fillers: int = 34) -> Planted:
    """So many sessions, six in each language."""
    random = Random(seed)
    made = Planted()
    languages = list(CONSTRAINTS)
    for number in range(count):
        language = languages[number % len(languages)]
        thing = f"{random.choice(THINGS)}{number}"
        lines = [_filler(random, language, f"{number}_{line}") for line in range(fillers)]
        for text in random.sample(CONSTRAINTS[language], 2):
            constraint = text.format(thing=thing, n=random.randint(2, 900))
            made.constraints.append(constraint)
            lines.insert(random.randrange(len(lines)), constraint)
        decision = DECISIONS[language].format(thing=thing)
        made.decisions.append(decision)
        lines.insert(random.randrange(len(lines)), decision)
        body = "\n\n".join(" ".join(lines[i : i + 4]) for i in range(0, len(lines), 4))
        made.files[_path(number)] = _session(number, body)
    for number, language in enumerate(languages):
        pair = _pair(random, language)
        made.contradictions.append(pair)
        for place, text in zip((_path(number), _path(number + len(languages))), pair, strict=True):
            made.files[place] += f"\n- {text}\n"
    return made


def _path(number: int) -> str:
    return f"sessions/2026-{1 + number // 28:02}-{1 + number % 28:02}-work.md"


def _session(number: int, body: str) -> str:
    day = f"2026-{1 + number // 28:02}-{1 + number % 28:02}"
    head = f"---\ntype: memory\ncategory: sessions\nid: S-{number}\ncreated_at: {day}\n---\n"
    return f"{head}\n# Session {number}\n\n{body}\n"


def _filler(random: Random, language: str, place: str) -> str:
    ident = f"{random.choice(THINGS)}_{place}"
    text = random.choice(FILLERS[language])
    return text.format(thing=random.choice(THINGS), ident=ident, n=random.randint(2, 99))


def _pair(random: Random, language: str) -> tuple[str, str]:
    ours, theirs = CONTRADICTIONS[language]
    a, b = random.sample(range(10, 99), 2)
    thing = f"{random.choice(THINGS)}pair"
    return ours.format(thing=thing, a=a, b=b), theirs.format(thing=thing, a=a, b=b)
