"""Charts as SVG: plain values in, one `<svg>` out.

Colours are classes that the page's style sheet gives, so a chart follows light, dark and print. Each chart says in
words what it shows, for those who do not see it.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import cos, pi, sin
from typing import NamedTuple

_WIDTH = 480
_LABEL_WIDTH = 150
_ROW = 24


class Edge(NamedTuple):
    """A line between two dots of a map, by their names; `kind` is its class."""

    one: str
    other: str
    weight: float
    """0 to 1: how strong it is drawn."""
    kind: str
    label: str


def gauge(value: int, status: str) -> str:
    """A half circle filled to `value` of 100."""
    radius, x, y = 90, 120, 110
    angle = pi * (1 - value / 100)
    end_x, end_y = x + radius * cos(angle), y - radius * sin(angle)
    arc = f"M {x - radius} {y} A {radius} {radius} 0 0 1"
    parts = [
        f'<path class="track" d="{arc} {x + radius} {y}"/>',
        f'<path class="fill {status}" d="{arc} {end_x:.1f} {end_y:.1f}"/>' if value else "",
        f'<text class="big" x="{x}" y="{y - 18}">{value}</text>',
        f'<text class="middle" x="{x}" y="{y + 4}">{escape(status)}</text>',
    ]
    return _svg(240, 124, f"Health {value} of 100: {status}", parts, "gauge")


def bars(rows: Sequence[tuple[str, float, str]], about: str, most: float | None = None) -> str:
    """Horizontal bars: name, value, and the value in words."""
    scale = most or max((value for _, value, _ in rows), default=0) or 1
    room = _WIDTH - _LABEL_WIDTH - 70
    parts = []
    for place, (name, value, told) in enumerate(rows):
        y = place * _ROW
        length = room * max(0.0, min(1.0, value / scale))
        parts += [
            f'<text class="name" x="{_LABEL_WIDTH - 8}" y="{y + 16}">{escape(_short(name))}'
            f"<title>{escape(name)}</title></text>",
            f'<rect class="track" x="{_LABEL_WIDTH}" y="{y + 4}" width="{room}" height="16" rx="3"/>',
            f'<rect class="fill" x="{_LABEL_WIDTH}" y="{y + 4}" width="{length:.1f}" height="16" rx="3"/>',
            f'<text class="value" x="{_LABEL_WIDTH + room + 8}" y="{y + 16}">{escape(told)}</text>',
        ]
    told = "; ".join(f"{name} {value}" for name, _, value in rows)
    return _svg(_WIDTH, max(1, len(rows)) * _ROW, f"{about}: {told}", parts, "bars")


def histogram(rows: Sequence[tuple[str, int]], about: str, marked: Sequence[int] = ()) -> str:
    """Upright bars with their counts; the `marked` ones (by place) stand out."""
    height, floor = 190, 160
    most = max((count for _, count in rows), default=0) or 1
    step = _WIDTH / max(1, len(rows))
    parts = [f'<line class="axis" x1="0" y1="{floor}" x2="{_WIDTH}" y2="{floor}"/>']
    for place, (name, count) in enumerate(rows):
        tall = 130 * count / most
        x = place * step
        kind = "fill marked" if place in marked else "fill"
        parts += [
            f'<rect class="{kind}" x="{x + 4:.1f}" y="{floor - tall:.1f}" width="{step - 8:.1f}" '
            f'height="{tall:.1f}" rx="2"/>',
            f'<text class="middle" x="{x + step / 2:.1f}" y="{floor - tall - 6:.1f}">{count or ""}</text>',
            f'<text class="middle small" x="{x + step / 2:.1f}" y="{floor + 18}">{escape(name)}</text>',
        ]
    told = ", ".join(f"{name}: {count}" for name, count in rows)
    return _svg(_WIDTH, height, f"{about}: {told}", parts, "histogram")


def area(points: Sequence[tuple[str, int]], about: str) -> str:
    """A line over time with the area below it, from zero."""
    height, floor, left = 190, 160, 40
    most = max((count for _, count in points), default=0) or 1
    room = _WIDTH - left - 10
    gap = room / max(1, len(points) - 1)
    places = [(left + place * gap, floor - 130 * count / most) for place, (_, count) in enumerate(points)]
    if len(places) == 1:
        places = [(left, places[0][1]), (left + room, places[0][1])]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [
        f'<polygon class="under" points="{left},{floor} {line} {places[-1][0]:.1f},{floor}"/>' if places else "",
        f'<polyline class="line" points="{line}"/>',
        f'<line class="axis" x1="{left}" y1="{floor}" x2="{_WIDTH - 10}" y2="{floor}"/>',
        f'<text class="value end" x="{left - 6}" y="{floor}">0</text>',
        f'<text class="value end" x="{left - 6}" y="{floor - 126}">{most}</text>',
    ]
    for place in sorted({0, len(points) // 2, len(points) - 1} if points else set()):
        x = left + place * gap
        anchor = "start" if place == 0 else "end" if place == len(points) - 1 else "middle"
        parts.append(f'<text class="small {anchor}" x="{x:.1f}" y="{floor + 18}">{escape(points[place][0])}</text>')
    told = f"{points[0][1]} in {points[0][0]} to {points[-1][1]} in {points[-1][0]}" if points else "nothing"
    return _svg(_WIDTH, height, f"{about}: {told}", parts, "area")


def network(groups: Sequence[Sequence[str]], edges: Sequence[Edge], about: str) -> str:
    """Groups of dots side by side, with lines between the dots: two below each other, more as a ring."""
    dots, height = _placed(groups)
    parts = []
    for edge in edges:
        one, other = dots[edge.one], dots[edge.other]
        parts.append(
            f'<line class="edge {edge.kind}" x1="{one.x:.1f}" y1="{one.y:.1f}" x2="{other.x:.1f}" y2="{other.y:.1f}" '
            f'stroke-width="{1 + 3 * edge.weight:.1f}"><title>{escape(edge.label)}</title></line>'
        )
    for name, dot in dots.items():
        aside = 9 if dot.anchor == "start" else -9
        parts += [
            f'<circle class="dot" cx="{dot.x:.1f}" cy="{dot.y:.1f}" r="5"><title>{escape(name)}</title></circle>',
            f'<text class="small {dot.anchor}" x="{dot.x + aside:.1f}" y="{dot.y + 4:.1f}">'
            f"{escape(_short(name.removeprefix('MEM-')))}</text>",
        ]
    return _svg(_MAP_WIDTH, height, f"{about}: {len(edges)} pairs in {len(groups)} groups", parts, "network")


_MAP_WIDTH = 2 * _WIDTH
_NAME_WIDTH = 140


class _Dot(NamedTuple):
    x: float
    y: float
    anchor: str
    """On which side its name stands."""


def _placed(groups: Sequence[Sequence[str]]) -> tuple[dict[str, _Dot], int]:
    """Where each dot stands, groups in rows; and how high it all is."""
    dots: dict[str, _Dot] = {}
    left = top = deepest = 0.0
    for members in groups:
        shape, wide, high = _pair(members) if len(members) < 3 else _ring(members)
        if left and left + wide > _MAP_WIDTH:
            left, top, deepest = 0.0, top + deepest, 0.0
        dots |= {name: _Dot(left + dot.x, top + dot.y, dot.anchor) for name, dot in shape.items()}
        left += wide
        deepest = max(deepest, high)
    return dots, int(top + deepest) or 1


def _pair(members: Sequence[str]) -> tuple[dict[str, _Dot], float, float]:
    return {name: _Dot(10, 14 + 30 * place, "start") for place, name in enumerate(members)}, _NAME_WIDTH + 20, 72


def _ring(members: Sequence[str]) -> tuple[dict[str, _Dot], float, float]:
    radius = max(30.0, 8.5 * len(members) if len(members) > 6 else 30.0)
    shape: dict[str, _Dot] = {}
    for place, name in enumerate(members):
        angle = 2 * pi * place / len(members) + pi / 2
        x, y = radius * cos(angle), radius * sin(angle)
        shape[name] = _Dot(_NAME_WIDTH + radius + x, radius + 14 + y, "start" if x >= -1 else "end")
    return shape, 2 * (radius + _NAME_WIDTH), 2 * radius + 50


def _svg(width: int, height: int, about: str, parts: Iterable[str], kind: str) -> str:
    """The drawing, with what it shows in words."""
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(about)}" '
        f'xmlns="http://www.w3.org/2000/svg">' + "".join(parts) + "</svg>"
    )


def _short(name: str, limit: int = 22) -> str:
    return name if len(name) <= limit else name[: limit - 1] + "…"
