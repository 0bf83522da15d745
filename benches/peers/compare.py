#!/usr/bin/env python3
"""Runs set-ups of the comparison lab in other engines and writes what `stuntlab compare --peers` reads. Called by `compare`.

An engine is a class with a name, a version, `step()`, and `bodies()` giving (centre, velocity, turn as three rows, spin) of each body in the
order of the set-up. Motion is measured as lab/src/compare/metrics/motion.rs does it, headlines as lab/src/compare/suites have them.
"""
import argparse
import math
import pathlib
import statistics
import sys
import time

import numpy as np

import setups

BOXES, TOUCHING = ["125", "250", "500", "1000"], ["60", "120", "240", "480", "960"]
ROLLING = ["60", "120", "240", "480"]


def way(start, bodies, along=None):
    d = bodies[0][0] - start[0][0]
    return d[along] if along is not None else float(np.linalg.norm(d))


def balls_speed(bodies):
    return float(np.linalg.norm(sum(b[1] for b in bodies[1:])[:2])) / (len(bodies) - 1)


# Set-up, rates, what is followed, what that boils down to, whether energy and momentum stay.
LAST = lambda curve: curve[-1][1]
TASKS = [
    ("compare-boxes-simple", BOXES, lambda start, now: way(start, now), LAST, True),
    ("compare-boxes-complex", BOXES, lambda start, now: now[0][0][2], LAST, True),
    ("compare-sliding", TOUCHING, lambda start, now: way(start, now, 1), LAST, False),
    ("compare-stack", TOUCHING, lambda start, now: now[1][0][2], LAST, False),
    ("compare-rolling", ROLLING, lambda start, now: balls_speed(now), lambda c: c[-1][1] / c[-1][0], False),
    ("compare-rolling-diagonal", ROLLING, lambda start, now: balls_speed(now), lambda c: c[-1][1] / c[-1][0], False),
    ("compare-bouncing", ROLLING, lambda start, now: now[0][0][2], lambda c: max(x for t, x in c if t >= 0.8 * c[-1][0]), False),
]

# Bullet's balls gain height at 60 Hz and stay down at 120 Hz and more: whether that is its law of restitution or our call of it is not known.
LEFT_OUT = {("Bullet", "compare-bouncing")}


class MuJoCo:
    """Newton's solver, elliptic cones, implicitfast; contacts as they are by default, but friction of a pair is the lab's. Where restitution is 1
    its contact is a spring without damper (negative solref), as its manual makes bounces, of a stiffness at which a bounce lasts six steps."""
    name = "MuJoCo"

    def __init__(self, setup, dt):
        import mujoco
        self.mujoco, self.version = mujoco, mujoco.__version__
        self.model = mujoco.MjModel.from_xml_string(self.xml(setup, dt))
        self.data = mujoco.MjData(self.model)
        for k, b in enumerate(setup.bodies):
            # A free joint's rates: linear in the world, angular in the body, which starts unturned.
            self.data.qvel[6 * k:6 * k + 6] = [*b.velocity, *b.spin]
            self.data.xfrc_applied[k + 1, :3] = b.push
        mujoco.mj_forward(self.model, self.data)

    @staticmethod
    def xml(setup, dt):
        row = lambda xs: " ".join(repr(float(x)) for x in xs)
        geoms = [] if setup.ground is None else [("ground", *setup.ground)]
        world = '<geom name="ground" type="plane" size="0 0 1"/>' if geoms else ""
        for b in setup.bodies:
            size = f'type="sphere" size="{row(b.size)}"' if b.is_ball else f'type="box" size="{row(0.5 * s for s in b.size)}"'
            world += f'<body name="{b.name}" pos="{row(b.at)}"><freejoint/><geom name="{b.name}" {size} mass="{b.mass!r}"/></body>'
            geoms.append((b.name, b.friction, b.restitution))
        pairs = ""
        for i, (a, fa, ea) in enumerate(geoms):
            for b, fb, eb in geoms[i + 1:]:
                mu = setups.pair_friction(fa, fb)
                law = 'condim="3"' if mu > 0 else 'condim="1"'
                law += f' solref="{-0.25 / dt ** 2!r} 0"' if max(ea, eb) == 1.0 else ""
                pairs += f'<pair geom1="{a}" geom2="{b}" friction="{mu!r} {mu!r}" {law}/>'
        return (f'<mujoco><option timestep="{dt!r}" gravity="{row(setup.gravity)}" cone="elliptic" solver="Newton" integrator="implicitfast"/>'
                f'<default><geom contype="0" conaffinity="0"/></default><worldbody>{world}</worldbody><contact>{pairs}</contact></mujoco>')

    def step(self):
        self.mujoco.mj_step(self.model, self.data)

    def bodies(self):
        turn = lambda k: self.data.xmat[k].reshape(3, 3)
        self.mujoco.mj_kinematics(self.model, self.data)
        v = self.data.qvel
        return [(self.data.xpos[k + 1].copy(), v[6 * k:6 * k + 3].copy(), turn(k + 1).copy(), turn(k + 1) @ v[6 * k + 3:6 * k + 6])
                for k in range(self.model.nbody - 1)]


class Bullet:
    """Its defaults: sequential impulses, 50 sweeps. It multiplies frictions, so each surface gets the root of its own."""
    name = "Bullet"

    def __init__(self, setup, dt):
        import importlib.metadata
        import pybullet as p
        self.p, self.version = p, importlib.metadata.version("pybullet")
        if p.isConnected():
            p.disconnect()
        p.connect(p.DIRECT)
        p.setGravity(*setup.gravity)
        p.setPhysicsEngineParameter(fixedTimeStep=dt, numSubSteps=0)
        if setup.ground is not None:
            ground = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
            p.changeDynamics(ground, -1, lateralFriction=math.sqrt(setup.ground[0]), restitution=setup.ground[1])
        self.ids, self.pushes = [], []
        for b in setup.bodies:
            shape = p.createCollisionShape(p.GEOM_SPHERE, radius=b.size[0]) if b.is_ball else p.createCollisionShape(
                p.GEOM_BOX, halfExtents=[0.5 * s for s in b.size])
            k = p.createMultiBody(b.mass, shape, basePosition=b.at)
            p.changeDynamics(k, -1, lateralFriction=math.sqrt(b.friction), restitution=b.restitution, linearDamping=0, angularDamping=0,
                             localInertiaDiagonal=b.inertia, activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING)
            p.resetBaseVelocity(k, b.velocity, b.spin)
            self.ids.append(k)
            self.pushes += [(k, b.push)] if any(b.push) else []

    def step(self):
        for k, force in self.pushes:
            at = self.p.getBasePositionAndOrientation(k)[0]
            self.p.applyExternalForce(k, -1, force, at, self.p.WORLD_FRAME)
        self.p.stepSimulation()

    def bodies(self):
        out = []
        for k in self.ids:
            at, turn = self.p.getBasePositionAndOrientation(k)
            v, w = self.p.getBaseVelocity(k)
            turn = np.array(self.p.getMatrixFromQuaternion(turn)).reshape(3, 3)
            out.append((np.array(at), np.array(v), turn, np.array(w)))
        return out


class Motion:
    """Energy and momentum of one free body; see lab/src/compare/metrics/motion.rs."""

    def __init__(self, setup, bodies):
        self.setup, self.first, self.worst, self.most = setup, None, {}, {}
        self.look(bodies, 0.0)

    def look(self, bodies, t):
        g = np.array(self.setup.gravity)
        kinetic = potential = 0.0
        p, spin = np.zeros(3), np.zeros(3)
        for b, (at, v, turn, w) in zip(self.setup.bodies, bodies):
            momentum = turn @ (np.array(b.inertia) * (turn.T @ w))
            kinetic += 0.5 * b.mass * v @ v + 0.5 * w @ momentum
            potential -= b.mass * g @ at
            p, spin = p + b.mass * v, spin + momentum
        if self.first is None:
            self.first = kinetic + potential, p, spin
        energy, p0, spin0 = self.first
        mass = sum(b.mass for b in self.setup.bodies)
        seen = {"energy_drift": (abs(kinetic + potential - energy), kinetic), "energy_gain": (kinetic + potential - energy, kinetic),
                "momentum_drift": (np.linalg.norm(p - p0 - mass * g * t), np.linalg.norm(p)),
                "spin_drift": (np.linalg.norm(spin - spin0), np.linalg.norm(spin)),
                "spin_size": (abs(np.linalg.norm(spin) - np.linalg.norm(spin0)), np.linalg.norm(spin0))}
        for name, (off, size) in seen.items():
            self.worst[name], self.most[name] = max(self.worst.get(name, 0.0), off), max(self.most.get(name, 0.0), size)

    def numbers(self):
        return {name: off / self.most[name] for name, off in self.worst.items()}


def run(engine, setup, rate, follow, boil, keeps):
    """All metrics of a run. Times are of the native step alone, a tenth of the run left out."""
    start = engine.bodies()
    motion = Motion(setup, start) if keeps else None
    curve, times = [(0.0, follow(start, start))], []
    steps = round(setup.duration * float(rate))
    for k in range(steps):
        begun = time.perf_counter_ns()
        engine.step()
        times.append(time.perf_counter_ns() - begun)
        t, now = (k + 1) / float(rate), engine.bodies()
        curve.append((t, follow(start, now)))
        if motion:
            motion.look(now, t)
    numbers = {"headline": boil(curve), **(motion.numbers() if motion else {}), "ns_per_step": statistics.median(times[steps // 10:])}
    return {name: float(x) for name, x in numbers.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    lines = ["# Made by benches/peers/compare. Read by: stuntlab compare SUITE --peers FILE", "set_up,peer,version,rate,metric,value"]
    for kind in (MuJoCo, Bullet):
        for name, rates, follow, boil, keeps in TASKS:
            if (kind.name, name) in LEFT_OUT:
                continue
            setup = setups.read(args.scenes, name)
            try:
                for rate in rates:
                    engine = kind(setup, 1.0 / float(rate))
                    numbers = run(engine, setup, rate, follow, boil, keeps)
                    finite = {m: x for m, x in numbers.items() if math.isfinite(x)}
                    lines += [f"{name},{kind.name},{engine.version},{rate},{m},{x!r}" for m, x in finite.items()]
            except ImportError as error:
                print(f"peers: {kind.name} is left out: {error}", file=sys.stderr)
                break
            print(f"peers: {kind.name}: {name}", file=sys.stderr)
    args.out.write_text("\n".join(lines) + "\n")


main()
