//! The property laws of the comparison lab on another engine: Rapier beside our formulations, reduced and maximal, on the same set-ups.

use rapier3d_f64::prelude::*;
use stuntlab::compare::{BodyState, Engine, WorldEngine, laws};
use stuntlab::scene::Scene;
use stuntlab_physics::glam::{DMat3, DVec3};

/// Boxes in Rapier, one free or several on the ground.
struct Rapier {
    gravity: Vector,
    parameters: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    soft_bodies: SoftBodySet,
    ccd: CCDSolver,
    boxes: Vec<(RigidBodyHandle, f64, DVec3)>,
    time: f64,
}

fn there(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn here(v: Vector) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

impl Rapier {
    fn new(gravity: DVec3, rate: f64) -> Self {
        Self {
            gravity: there(gravity),
            parameters: IntegrationParameters { dt: 1.0 / rate, ..Default::default() },
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            impulse_joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            soft_bodies: SoftBodySet::new(),
            ccd: CCDSolver::new(),
            boxes: Vec::new(),
            time: 0.0,
        }
    }

    fn with_box(mut self, mass: f64, size: DVec3, velocity: DVec3, spin: DVec3) -> Self {
        let body = RigidBodyBuilder::dynamic().linvel(there(velocity)).angvel(there(spin)).can_sleep(false);
        let body = body.gyroscopic_forces_enabled(true);
        let handle = self.bodies.insert(body);
        let half = 0.5 * size;
        let shape = ColliderBuilder::cuboid(half.x, half.y, half.z).mass(mass);
        self.colliders.insert_with_parent(shape, handle, &mut self.bodies);
        self.boxes.push((handle, mass, size));
        self
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<(), String> {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.impulse_joints,
            &mut self.multibody_joints,
            &mut self.soft_bodies,
            &mut self.ccd,
            &(),
            &(),
        );
        self.time += self.parameters.dt;
        Ok(())
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn dt(&self) -> f64 {
        self.parameters.dt
    }

    fn gravity(&self) -> DVec3 {
        here(self.gravity)
    }

    fn bodies(&self, out: &mut Vec<BodyState>) {
        out.clear();
        for &(handle, mass, size) in &self.boxes {
            let body = &self.bodies[handle];
            let turn = body.position().rotation;
            let squares = size * size * (mass / 12.0);
            out.push(BodyState {
                mass,
                inertia: DMat3::from_diagonal(DVec3::splat(squares.element_sum()) - squares),
                rotation: DMat3::from_cols(
                    here(turn * Vector::X),
                    here(turn * Vector::Y),
                    here(turn * Vector::Z),
                ),
                center: here(body.center_of_mass()),
                velocity: here(body.linvel()),
                spin: here(body.angvel()),
            });
        }
    }

    fn is_free(&self) -> bool {
        true
    }
}

fn ours(set: &[&str]) -> Result<Box<dyn Engine>, Box<dyn std::error::Error>> {
    let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
    Ok(Box::new(WorldEngine::new(&Scene::load("compare-boxes-complex", &set)?)?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rate = "rate=250";
    let size = DVec3::new(0.1, 0.4, 0.9);
    let rapier = Rapier::new(DVec3::new(0.0, 0.0, -9.8), 250.0).with_box(
        10.0,
        size,
        DVec3::new(-2.0, 2.0, 8.0),
        DVec3::new(0.1, 5.0, 0.1),
    );
    let mut engines: Vec<(&str, Box<dyn Engine>)> = vec![
        ("Rapier 0.36", Box::new(rapier)),
        ("ours, convex", ours(&["formulation=implicit-penalty", rate])?),
        ("ours, maximal", ours(&["formulation=lcp-pgs", "dynamics=maximal", rate])?),
    ];
    println!(
        "A box that tumbles in free fall for 10 s at 250 Hz (compare-boxes-complex), each law within a hundredth:"
    );
    for (name, engine) in &mut engines {
        let all =
            [("ends", 0.0), ("momentum", 0.01), ("passive", 0.01), ("conservative", 0.01), ("spin", 0.01)];
        match laws::check(engine.as_mut(), 10.0, &all) {
            Ok(r) => println!(
                "{name:<16} all hold: momentum {:.1e}, spin {:.1e}, energy {:.1e}",
                r.get("momentum_drift"),
                r.get("spin_drift"),
                r.get("energy_drift")
            ),
            Err(broken) => println!("{name:<16} {broken}"),
        }
    }
    Ok(())
}
