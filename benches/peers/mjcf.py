#!/usr/bin/env python3
"""Writes the scenes as MJCF for MuJoCo from our files, so that all engines get the same bodies.

usage: mjcf.py DIR      DIR/humanoid37.tree -> DIR/ragdoll.xml (on a plane, joint damping)
                        DIR/{game_scene.txt, terrain.txt, bones36.tree} -> DIR/game_scene.xml (servos as springs)
The .tree format is described in harness.hpp; the scenes in README.md.
"""
import math
import pathlib
import sys
from dataclasses import dataclass, field

FRICTION = 0.8


@dataclass
class Body:
    name: str
    parent: int
    anchor: list
    mass: float
    com: list
    inertia: list
    kp: float
    kd: float
    damping: float
    joint: str
    axes: list = field(default_factory=list)
    shape: str = ""
    size: list = field(default_factory=list)
    shape_at: list = field(default_factory=list)


def read_tree(path):
    bodies = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        if not words or words[0] != "body":
            continue
        try:
            bodies.append(read_body(words))
        except (ValueError, IndexError) as error:
            sys.exit(f"{path}:{number}: malformed body: {error}")
    return bodies


def read_body(words):
    number = [float(w) if i > 3 and is_number(w) else math.nan for i, w in enumerate(words)]
    body = Body(words[2], int(words[3]), number[4:7], number[7], number[8:11], number[11:14],
                *number[14:17], joint=words[18])
    at = 19
    if body.joint == "hinge":
        count = int(words[at])
        body.axes = [number[at + 1 + 3 * k:at + 4 + 3 * k] for k in range(count)]
        at += 1 + 3 * count
    body.shape = words[at + 1]
    end = at + 2 + {"box": 3, "sphere": 1, "capsule": 3}[body.shape]
    body.size, body.shape_at = number[at + 2:end], number[end:end + 3]
    return body


def is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True


def text(values):
    return " ".join(f"{v:.12g}" for v in values)


def geom(body, extra):
    if body.shape == "capsule":
        axis, radius, half = int(body.size[0]), body.size[1], body.size[2]
        ends = [list(body.shape_at), list(body.shape_at)]
        ends[0][axis] -= half
        ends[1][axis] += half
        return f'<geom type="capsule" size="{radius:.12g}" fromto="{text(ends[0])} {text(ends[1])}"{extra}/>'
    return f'<geom type="{body.shape}" size="{text(body.size)}" pos="{text(body.shape_at)}"{extra}/>'


def figure(bodies, joint_extra, geom_extra, prefix="", at=(0, 0, 0)):
    """The nested <body> elements of one figure."""
    # Tips first: what a body holds is complete when its turn comes.
    inside, roots = [""] * len(bodies), ""
    for index, body in reversed(list(enumerate(bodies))):
        place = [a + (o if body.parent < 0 else 0) for a, o in zip(body.anchor, at)]
        out = f'<body name="{prefix}{body.name}" pos="{text(place)}">'
        out += f'<inertial pos="{text(body.com)}" mass="{body.mass:.12g}" diaginertia="{text(body.inertia)}"/>'
        if body.joint == "free":
            out += "<freejoint/>"
        elif body.joint == "ball":
            out += f'<joint type="ball"{joint_extra(body)}/>'
        for axis in body.axes:
            out += f'<joint type="hinge" axis="{text(axis)}"{joint_extra(body)}/>'
        out += geom(body, geom_extra) + inside[index] + "</body>\n"
        if body.parent < 0:
            roots = out + roots
        else:
            inside[body.parent] = out + inside[body.parent]
    return roots


def document(world, asset=""):
    return (f'<mujoco><compiler angle="radian"/><option timestep="0.001"/><default><geom friction="{FRICTION}"/></default>\n'
            f"{asset}<worldbody>\n{world}</worldbody></mujoco>\n")


def ragdoll(bodies):
    # Bit 1 the figure, bit 2 the ground; the bench switches self-collision on by changing the masks.
    ground = '<geom type="plane" size="50 50 1" contype="2" conaffinity="1"/>\n'
    damping = lambda body: f' damping="{body.damping:.12g}"'
    return document(ground + figure(bodies, damping, ' contype="1" conaffinity="2"', at=(0, 0, 0.1)))


def game(folder):
    bodies = read_tree(folder / "bones36.tree")
    rows = (folder / "terrain.txt").read_text().splitlines()
    n_rows, n_columns, half_x, half_y = (float(w) for w in rows[0].split())
    heights = [[float(w) for w in row.split()] for row in rows[1:]]
    low, high = min(map(min, heights)), max(map(max, heights))
    # MuJoCo takes the row of the largest y first and heights from 0 to 1.
    elevation = " ".join(f"{(h - low) / (high - low):.12g}" for row in reversed(heights) for h in row)
    asset = (f'<asset><hfield name="terrain" nrow="{int(n_rows)}" ncol="{int(n_columns)}" '
             f'size="{half_x} {half_y} {high - low:.12g} 1" elevation="{elevation}"/></asset>\n')
    everything, n_figures = (1 << 11) - 1, 0
    world = (f'<geom type="hfield" hfield="terrain" pos="0 0 {low:.12g}" contype="1024" '
             f'conaffinity="{everything}"/>\n')
    servo = lambda body: f' stiffness="{body.kp:.12g}" damping="{body.kd:.12g}"'
    for number, line in enumerate((folder / "game_scene.txt").read_text().splitlines()):
        kind, *words = line.split()
        if kind == "character":
            bit = 1 << n_figures
            mask = f' contype="{bit}" conaffinity="{everything & ~bit}"'
            world += figure(bodies, servo, mask, f"figure{n_figures}_", [float(w) for w in words[1:4]])
            n_figures += 1
        else:
            values = [float(w) for w in words]
            size, mass, at = values[:-4], values[-4], values[-3:]
            world += (f'<body name="loose{number}" pos="{text(at)}"><freejoint/><geom type="{kind}" size="{text(size)}" '
                      f'mass="{mass:.12g}" contype="1024" conaffinity="{everything}"/></body>\n')
    return document(world, asset)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    if (folder / "humanoid37.tree").exists():
        (folder / "ragdoll.xml").write_text(ragdoll(read_tree(folder / "humanoid37.tree")))
    if all((folder / name).exists() for name in ("game_scene.txt", "terrain.txt", "bones36.tree")):
        (folder / "game_scene.xml").write_text(game(folder))


if __name__ == "__main__":
    main()
