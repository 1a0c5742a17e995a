"""Words that turn a statement round, units that give a number its meaning: data of our own, several languages."""


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATORS = _listed(
    """
    not never no cannot neither nor none nobody nothing nowhere without ain't
    nicht nie niemals kein keine keinem keinen keiner keines ohne weder
    ne n' pas jamais aucun aucune sans rien nunca jamás sin ningún ninguna ninguno tampoco
    não nem sem non mai senza nessun nessuna niet nooit geen zonder inte aldrig utan ikke
    не нет никогда без нельзя لا لم لن ليس بدون
    """
)
"""Folded words that negate what follows them in their clause. `…n't` counts too."""

CANCELLED_BY = _listed(
    """
    only just merely simply forget hesitate fail neglect necessarily doubt matter worry problem least
    nur bloß vergessen unbedingt seulement oublier oubliez oublie hésitez solo sólo solamente olvidar olvides olvide
    """
)
"""Words right behind a negator that take its force away: `do not forget to …`, `not only …`."""

REJECTERS = _listed("over instead than not statt anstatt anstelle nicht lieu pas")
"""Words that may put what follows them second: `spaces over tabs`, `tabs instead of spaces`, `tabs, not spaces`."""

PREFERENCES = _listed("prefer prefers preferred favor favour choose pick use like recommend rather")
"""Words without which `over` and `than` put nothing second."""

CARRIED = _listed(
    """
    a an the one to be been being is are was were am has have had do does did will would shall should can could may
    might must it its this that these those any ever longer more yet so very too also even still really at in on of
    for by with der die das den dem ein eine einen einem zu sein ist sind wird werden mehr le la les un une de du
    des être est sont plus el los las lo una ser es son más se
    """
)
"""Words between a negator and the word it negates."""

_PAIRS = """
on/off allow/deny allow/forbid permit/forbid allow/disallow allow/block accept/reject accept/refuse enable/disable
enabled/disabled tabs/spaces before/after always/never sync/async synchronous/asynchronous true/false yes/no
include/exclude inclusive/exclusive required/optional mandatory/optional must/may public/private internal/external
local/remote increase/decrease raise/lower higher/lower more/less most/least maximum/minimum max/min upper/lower
up/down above/below over/under open/closed open/close start/stop lock/unlock pass/fail success/failure succeed/fail
early/late first/last old/new ascending/descending asc/desc head/tail push/pull read/write upload/download
import/export encrypt/decrypt client/server primary/replica primary/secondary master/replica leader/follower
manual/automatic manually/automatically static/dynamic strict/lax strict/lenient strict/loose eager/lazy
mutable/immutable sorted/unsorted signed/unsigned safe/unsafe secure/insecure valid/invalid present/absent
visible/hidden online/offline hot/cold warm/cold cheap/expensive fast/slow big/small large/small long/short
wide/narrow strong/weak full/empty add/remove insert/delete create/delete keep/drop keep/remove keep/delete
merge/rebase squash/rebase blocking/non-blocking stateful/stateless opt-in/opt-out in/out left/right with/without
all/none both/neither north/south horizontal/vertical row/column parent/child allowlist/denylist whitelist/blacklist
whitelist/denylist light/dark single/multiple serial/parallel sequential/parallel sequentially/concurrently odd/even
even/odd positive/negative deprecated/recommended good/bad better/worse best/worst right/wrong same/different
together/separately inside/outside an/aus erlaubt/verboten erlauben/verbieten vor/nach immer/nie mit/ohne
aktiviert/deaktiviert intern/extern mehr/weniger oben/unten groß/klein alt/neu öffentlich/privat activer/désactiver
activé/désactivé avant/après toujours/jamais avec/sans autoriser/interdire autorisé/interdit plus/moins public/privé
activar/desactivar activado/desactivado antes/después siempre/nunca con/sin permitir/prohibir más/menos
público/privado 开/关 启用/禁用 允许/禁止 之前/之后 打开/关闭 同步/异步 公开/私有 有効/無効 許可/禁止 以前/以後
включить/выключить до/после всегда/никогда
разрешить/запретить
"""


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.split():
        one, other = pair.split("/")
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _opposites()
"""Each folded word with what says the opposite. Inflected forms are compared by their stems as well."""

COUNTERS = _listed(
    """
    port step section pr issue page line chapter phase level task room error code row column point item rule case
    figure table layer stage number part question attempt try exit status uid gid pid sprint group day week month
    year seite schritt january february march april may june july august september october november december
    """
)
"""Words before a number that make it a plain number where a product's name would make it a version."""

_DAYS = """
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
"""
_MONTHS = """
january february march april may june july august september october november december
januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre
novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
"""
CALENDAR = dict.fromkeys(_DAYS.split(), "weekday") | dict.fromkeys(
    set(_MONTHS.split()) - {"may", "march", "mars"}, "month"
)
"""Names of days and months: they differ as numbers do."""

PRODUCTS = _listed(
    """
    android angular bash chrome debian django docker firefox go java kafka kubernetes linux macos mysql node perl php
    postgres postgresql python rails react redis ruby rust spring swift typescript ubuntu version release vue windows
    """
)
"""Words before a number that make it a version wherever they stand."""

VERSION_CUES = _listed(
    """
    needs need requires require since from later newer older upgrade upgraded version versions release ab seit benötigt
    depuis requiert desde requiere
    """
)
"""Words in a sentence that make `uvicorn 0.31` a version rather than a measure."""

# Seconds, bytes or plain, by what is written behind a number.
_UNITS = """
time 0.000000001 ns nanosecond nanoseconds
time 0.000001 us µs μs microsecond microseconds
time 0.001 ms msec millisecond milliseconds millisekunden millisecondes milisegundos
time 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos сек секунд
time 60 m min mins minute minutes minuten minuto minutos мин минут
time 3600 h hr hrs hour hours stunde stunden heure heures hora horas ч часов
time 86400 d day days tag tage tagen jour jours día días день дней
time 604800 w week weeks woche wochen semaine semaines semana semanas
time 2592000 month months monat monate monaten mois mes meses
time 31536000 y year years jahr jahre jahren ans année años año
size 1 b byte bytes octets
size 1000 kb kilobyte kilobytes
size 1024 k kib ki
size 1000000 mb megabyte megabytes
size 1048576 mib mi
size 1000000000 gb gigabyte gigabytes
size 1073741824 gib gi
size 1000000000000 tb terabyte terabytes
size 1099511627776 tib ti
share 1 % percent prozent pourcent pct
length 1 px
length 0.1 mm
length 1 cm
length 100 meter meters metre metres
length 100000 km
weight 1 kg
money 1 € eur euro euros
money 1 $ usd dollar dollars
rate 1 rps qps
rate 1 hz
rate 1000 khz
rate 1000000 mhz
rate 1000000000 ghz
"""


def _units() -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {}
    for line in _UNITS.strip().splitlines():
        dimension, factor, *names = line.split()
        found |= dict.fromkeys(names, (dimension, float(factor)))
    return found


UNITS = _units()
"""Folded unit names with their dimension and factor; lengths in cm, time in seconds, sizes in bytes."""
