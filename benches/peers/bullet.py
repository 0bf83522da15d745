#!/usr/bin/env python3
"""Bullet's multibody through pybullet: only the native step call is timed.

usage: bullet.py ragdoll DIR REPEATS
       bullet.py game DIR FRAMES
Figures are created from .tree files link by link. Bullet has no two-freedom joints: two hinges with a 1 g link
between stand in. It ignores joint damping on its spherical joints, so the ragdoll is undamped, and its client
sets motors of the first 128 position variables only: its game figures are indicative.
"""
import json
import math
import pathlib
import sys
import time

import pybullet as bullet

from mjcf import read_tree

FRICTION, SPIN, HALF_TURN = 0.8, [0.2, 0.5, 0.0], math.sqrt(0.5)


def print_line(bench, model, fn, unit, samples, **facts):
    print(json.dumps({"bench": bench, "engine": "Bullet", "version": "3.2.7", "model": model, "fn": fn, "unit": unit,
                      **facts, "samples": samples}), flush=True)


def collision_shape(shape, size):
    if shape == "box":
        return bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=size)
    if shape == "sphere":
        return bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=size[0])
    return bullet.createCollisionShape(bullet.GEOM_CAPSULE, radius=size[1], height=2 * size[2])


def shape_turn(body):
    """Bullet's capsules lie along z."""
    axis = int(body.size[0]) if body.shape == "capsule" else 2
    return {0: [0, HALF_TURN, 0, HALF_TURN], 1: [HALF_TURN, 0, 0, HALF_TURN], 2: [0, 0, 0, 1]}[axis]


class Links:
    """The parallel lists createMultiBody wants. Link frames sit at the joint; shapes and masses are offset."""

    def __init__(self):
        self.mass, self.shape, self.visual, self.at, self.turn = [], [], [], [], []
        self.com, self.com_turn, self.parent, self.kind, self.axis = [], [], [], [], []

    def add(self, mass, shape, at, com, parent, kind, axis):
        self.mass.append(mass)
        self.shape.append(shape)
        self.visual.append(-1)
        self.at.append(at)
        self.turn.append([0, 0, 0, 1])
        self.com.append(com)
        self.com_turn.append([0, 0, 0, 1])
        self.parent.append(parent)
        self.kind.append(kind)
        self.axis.append(axis)
        return len(self.mass)  # createMultiBody counts the base as 0


def add_figure(bodies, at, self_collision):
    """Returns the body id and, per tree body, its link index (-1 the base)."""
    links, index, inertia = Links(), [], []
    for body in bodies:
        offset_shape = centred_shape(body)
        if body.joint == "free":
            base, index = (body, offset_shape), index + [0]
            continue
        parent, place = index[body.parent], body.anchor
        if bodies[body.parent].joint == "free":
            place = [a - c for a, c in zip(place, bodies[body.parent].com)]
        axes = [] if body.joint == "ball" else body.axes
        for axis in axes[:-1]:
            parent = links.add(1e-3, -1, place, [0, 0, 0], parent, bullet.JOINT_REVOLUTE, axis)
            inertia.append([1e-6] * 3)
            place = [0, 0, 0]
        kind, axis = (bullet.JOINT_REVOLUTE, axes[-1]) if axes else (bullet.JOINT_SPHERICAL, [1, 0, 0])
        index.append(links.add(body.mass, offset_shape, place, body.com, parent, kind, axis))
        inertia.append(body.inertia)
    root, root_shape = base
    flags = bullet.URDF_USE_SELF_COLLISION | bullet.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT if self_collision else 0
    figure = bullet.createMultiBody(
        root.mass, root_shape, -1, [a + b + c for a, b, c in zip(root.anchor, at, root.com)], [0, 0, 0, 1],
        linkMasses=links.mass, linkCollisionShapeIndices=links.shape, linkVisualShapeIndices=links.visual,
        linkPositions=links.at, linkOrientations=links.turn, linkInertialFramePositions=links.com,
        linkInertialFrameOrientations=links.com_turn, linkParentIndices=links.parent, linkJointTypes=links.kind,
        linkJointAxis=links.axis, flags=flags)
    settle(figure, -1, root.inertia)
    for link, diagonal in enumerate(inertia):
        settle(figure, link, diagonal)
    return figure, [i - 1 for i in index]


def centred_shape(body):
    """A shape placed in the link frame; pybullet takes the offset with compound-style arguments."""
    kinds = {"box": bullet.GEOM_BOX, "sphere": bullet.GEOM_SPHERE, "capsule": bullet.GEOM_CAPSULE}
    sizes = {"box": {"halfExtents": body.size}, "sphere": {"radius": body.size[0]}}
    size = sizes.get(body.shape) or {"radius": body.size[1], "height": 2 * body.size[2]}
    # The base's frame is at its centre of mass.
    at = [s - c for s, c in zip(body.shape_at, body.com)] if body.joint == "free" else body.shape_at
    return bullet.createCollisionShape(kinds[body.shape], collisionFramePosition=at,
                                       collisionFrameOrientation=shape_turn(body), **size)


def settle(figure, link, inertia=None):
    options = {"localInertiaDiagonal": inertia} if inertia else {}
    bullet.changeDynamics(figure, link, linearDamping=0, angularDamping=0, jointDamping=0, lateralFriction=FRICTION,
                          restitution=0, activationState=bullet.ACTIVATION_STATE_DISABLE_SLEEPING, **options)


def loosen(figure):
    """Takes away the velocity motors that Bullet puts on every joint."""
    for joint in range(bullet.getNumJoints(figure)):
        if bullet.getJointInfo(figure, joint)[2] == bullet.JOINT_SPHERICAL:
            bullet.setJointMotorControlMultiDof(figure, joint, bullet.POSITION_CONTROL, targetPosition=[0, 0, 0, 1],
                                                positionGain=0, velocityGain=0, force=[0, 0, 0])
        else:
            bullet.setJointMotorControl2(figure, joint, bullet.VELOCITY_CONTROL, force=0)


def hold(figure, bodies, index, dt):
    """Servos as Bullet's position motors: the gain is the share of the error taken per step."""
    for body, joint in zip(bodies, index):
        if joint >= 0:
            gain = dt * body.kp / (dt * body.kp + body.kd)
            bullet.setJointMotorControlMultiDof(figure, joint, bullet.POSITION_CONTROL, targetPosition=[0, 0, 0, 1],
                                                positionGain=gain, velocityGain=1, force=[body.kp] * 3)


def new_world(hz):
    bullet.resetSimulation()
    bullet.setGravity(0, 0, -9.81)
    bullet.setTimeStep(1 / hz)


def deepest_contact():
    return max((-contact[8] for contact in bullet.getContactPoints()), default=0.0)


def is_broken(figures):
    speeds = [abs(v) for figure in figures for part in bullet.getBaseVelocity(figure) for v in part]
    return not all(speed < 1e3 for speed in speeds)


def ragdoll(folder, repeats):
    bodies = read_tree(folder / "humanoid37.tree")
    for hz in (1000, 120):
        for self_collision in (False, True):
            samples = []
            for _ in range(repeats):
                new_world(hz)
                ground = bullet.createMultiBody(0, bullet.createCollisionShape(bullet.GEOM_PLANE))
                settle(ground, -1)
                figure, _ = add_figure(bodies, [0, 0, 0.1], self_collision)
                loosen(figure)
                bullet.resetBaseVelocity(figure, [0, 0, 0], SPIN)
                start = time.thread_time_ns()
                for _ in range(2 * hz):
                    bullet.stepSimulation()
                samples.append((time.thread_time_ns() - start) / (2 * hz) / 1e3)
            print_line("ragdoll", "humanoid37", f"{hz} Hz, self-collision {'on' if self_collision else 'off'}", "us",
                       samples, broken=int(is_broken([figure])), penetration_mm=round(1e3 * deepest_contact(), 3))


def add_terrain(path):
    rows = path.read_text().splitlines()
    n_rows, n_columns, half_x, half_y = (float(w) for w in rows[0].split())
    heights = [float(w) for row in rows[1:] for w in row.split()]
    # Bullet centres the field on the middle of its height range.
    middle = 0.5 * (min(heights) + max(heights))
    scale = [2 * half_x / (n_columns - 1), 2 * half_y / (n_rows - 1), 1]
    shape = bullet.createCollisionShape(bullet.GEOM_HEIGHTFIELD, meshScale=scale, heightfieldData=heights,
                                        numHeightfieldRows=int(n_columns), numHeightfieldColumns=int(n_rows))
    settle(bullet.createMultiBody(0, shape, -1, [0, 0, middle]), -1)


def game(folder, frames):
    bodies = read_tree(folder / "bones36.tree")
    new_world(120)
    add_terrain(folder / "terrain.txt")
    figures = []
    for line in (folder / "game_scene.txt").read_text().splitlines():
        kind, *words = line.split()
        if kind == "character":
            figure, index = add_figure(bodies, [float(w) for w in words[1:4]], False)
            hold(figure, bodies, index, 1 / 120)
            figures.append((figure, index))
        else:
            values = [float(w) for w in words]
            settle(bullet.createMultiBody(values[-4], collision_shape(kind, values[:-4]), -1, values[-3:]), -1)
    samples = []
    for _ in range(frames):
        start = time.thread_time_ns()
        for _ in range(4):
            bullet.stepSimulation()
        samples.append((time.thread_time_ns() - start) / 1e6)
    error, count = 0.0, 0
    for figure, index in figures:
        for joint in index:
            turn = bullet.getJointStateMultiDof(figure, joint)[0] if joint >= 0 else ()
            if len(turn) == 4:  # beyond its limit the client tells nothing
                error += 2 * math.acos(min(1.0, abs(turn[3])))
                count += 1
    facts = {"only_first_frames": frames} if frames < 120 else {
        "pose_error": round(error / count, 4), "penetration_mm": round(1e3 * deepest_contact(), 3)}
    print_line("game", "game_scene", "frame", "ms", samples, runs=1,
               broken=int(is_broken([figure for figure, _ in figures])), **facts)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("ragdoll", "game"):
        sys.exit(__doc__)
    bullet.connect(bullet.DIRECT)
    {"ragdoll": ragdoll, "game": game}[sys.argv[1]](pathlib.Path(sys.argv[2]), int(sys.argv[3]))


if __name__ == "__main__":
    main()
