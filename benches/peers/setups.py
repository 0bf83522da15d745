"""Set-ups of the comparison lab as other engines need them, read from scenes/compare: sizes, masses and speeds stand there and nowhere else.

Only what these set-ups use is understood: a plane, boxes and balls, materials, repeated bodies, a push. Anything else is refused.
"""
import itertools
import math
import tomllib
from dataclasses import dataclass, field

GRAVITY = [0.0, 0.0, -9.81]  # where a scene does not say
FRICTION = 0.8  # likewise
KNOWN = {"name", "shape", "size", "radius", "mass", "at", "velocity", "spin", "material", "repeat"}


@dataclass
class Body:
    name: str
    mass: float
    size: list  # edges of a box, or the radius of a ball alone
    at: list
    velocity: list
    spin: list
    friction: float
    restitution: float
    push: list = field(default_factory=lambda: [0.0, 0.0, 0.0])  # N, all along

    @property
    def is_ball(self):
        return len(self.size) == 1

    @property
    def inertia(self):
        """About its centre, along its own axes, kg m²."""
        if self.is_ball:
            return [0.4 * self.mass * self.size[0] ** 2] * 3
        x, y, z = (s * s for s in self.size)
        return [self.mass / 12.0 * s for s in (y + z, x + z, x + y)]


@dataclass
class SetUp:
    name: str
    duration: float
    gravity: list
    ground: tuple  # friction and restitution, or None
    bodies: list


def read(folder, name):
    text = tomllib.loads((folder / f"{name}.toml").read_text())
    ground = None
    for terrain in text.get("terrain", []):
        expect(terrain["kind"] == "plane", name, f"terrain {terrain['kind']}")
        ground = surface(terrain)
    bodies = [body for spec in text["body"] for body in copies(name, spec)]
    for event in text.get("event", []):
        expect(event["kind"] == "push" and event["time"] == 0.0 and event["duration"] == text["duration"], name, "an event")
        pushed = next(b for b in bodies if b.name == event["body"])
        pushed.push = [p / event["duration"] for p in event["impulse"]]
    return SetUp(name, text["duration"], text.get("gravity", GRAVITY), ground, bodies)


def copies(name, spec):
    expect(set(spec) <= KNOWN, name, f"{sorted(set(spec) - KNOWN)} of a body")
    repeat = spec.get("repeat", {"count": [1, 1, 1], "step": [0.0, 0.0, 0.0]})
    expect(set(repeat) == {"count", "step"}, name, "a repeat")
    for k, place in enumerate(itertools.product(*(range(n) for n in repeat["count"]))):
        start = spec.get("at", [0.0, 0.0, 0.0])
        at = [a + n * s for a, n, s in zip(start, place, repeat["step"])]
        size = [spec["radius"]] if spec["shape"] == "sphere" else spec["size"]
        expect(spec["shape"] in ("sphere", "box"), name, f"shape {spec['shape']}")
        zero = [0.0, 0.0, 0.0]
        label = spec["name"] if repeat["count"] == [1, 1, 1] else f"{spec['name']}{k}"
        yield Body(label, spec["mass"], size, at, spec.get("velocity", zero), spec.get("spin", zero), *surface(spec))


def surface(spec):
    material = spec.get("material", {})
    return material.get("friction", FRICTION), material.get("restitution", 0.0)


def pair_friction(a, b):
    """Of two surfaces, as the lab has it."""
    return math.sqrt(a * b)


def expect(fine, name, what):
    if not fine:
        raise SystemExit(f"{name}: {what} is not understood here")
