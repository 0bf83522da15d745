//! The property laws of the comparison lab on another engine: Rapier beside our formulations, reduced and maximal, on the same set-ups.

use rapier3d_f64::prelude::*;
use stuntlab::compare::{BodyState, Engine, WorldEngine, laws};
use stuntlab::scene::Scene;
use stuntlab_physics::glam::{DMat3, DVec3};

/// Coulomb's coefficient of the sliding cube and its ground.
const FRICTION: f64 = 0.4;

/// Boxes in Rapier.
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

    /// The ground below z = 0.
    fn with_ground(mut self, friction: f64) -> Self {
        let ground = ColliderBuilder::cuboid(50.0, 50.0, 1.0).translation(there(DVec3::new(0.0, 0.0, -1.0)));
        self.colliders.insert(ground.friction(friction));
        self
    }

    fn with_box(mut self, mass: f64, size: DVec3, at: DVec3, velocity: DVec3, spin: DVec3) -> Self {
        let body = RigidBodyBuilder::dynamic()
            .translation(there(at))
            .linvel(there(velocity))
            .angvel(there(spin))
            .can_sleep(false);
        let body = body.gyroscopic_forces_enabled(true);
        let handle = self.bodies.insert(body);
        let half = 0.5 * size;
        let shape = ColliderBuilder::cuboid(half.x, half.y, half.z).mass(mass).friction(FRICTION);
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
        self.colliders.len() == self.boxes.len()
    }
}

fn ours(scene: &str, set: &[&str]) -> Result<Box<dyn Engine>, Box<dyn std::error::Error>> {
    let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
    Ok(Box::new(WorldEngine::new(&Scene::load(scene, &set)?)?))
}

/// A box that tumbles in free fall: what nobody touches keeps momentum, spin and energy.
fn flight() -> Result<(), Box<dyn std::error::Error>> {
    let (size, velocity) = (DVec3::new(0.1, 0.4, 0.9), DVec3::new(-2.0, 2.0, 8.0));
    let rapier = Rapier::new(DVec3::new(0.0, 0.0, -9.8), 250.0);
    let rapier = rapier.with_box(10.0, size, DVec3::ZERO, velocity, DVec3::new(0.1, 5.0, 0.1));
    let (scene, rate) = ("compare-boxes-complex", "rate=250");
    let mut engines: Vec<(&str, Box<dyn Engine>)> = vec![
        ("Rapier 0.36", Box::new(rapier)),
        ("ours, convex", ours(scene, &["formulation=implicit-penalty", rate])?),
        ("ours, maximal", ours(scene, &["formulation=lcp-pgs", "dynamics=maximal", rate])?),
    ];
    println!("A box that tumbles in free fall for 10 s at 250 Hz ({scene}), each law within a hundredth:");
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

/// A cube that slides until it stops: it gains no energy, and goes v²/(2 μ g) = 0.1274 m.
fn slide() -> Result<(), Box<dyn std::error::Error>> {
    let (at, velocity) = (DVec3::new(0.0, 0.0, 0.1), DVec3::new(0.0, 1.0, 0.0));
    let rapier = Rapier::new(DVec3::new(0.0, 0.0, -9.81), 240.0).with_ground(FRICTION);
    let rapier = rapier.with_box(1.0, DVec3::splat(0.2), at, velocity, DVec3::ZERO);
    let (scene, rate) = ("compare-sliding", "rate=240");
    let mut engines: Vec<(&str, Box<dyn Engine>)> = vec![
        ("Rapier 0.36", Box::new(rapier)),
        ("ours, convex", ours(scene, &["formulation=implicit-penalty", rate])?),
        ("ours, maximal", ours(scene, &["formulation=lcp-pgs", "dynamics=maximal", rate])?),
    ];
    println!("A cube that slides until it stops, 0.6 s at 240 Hz ({scene}), 0.1274 m in closed form:");
    for (name, engine) in &mut engines {
        let verdict =
            match laws::check(engine.as_mut(), 0.6, &[("ends", 0.0), ("passive", 0.01), ("cone", 0.01)]) {
                Ok(_) => "all hold".to_owned(),
                Err(broken) => broken,
            };
        let mut bodies = Vec::new();
        engine.bodies(&mut bodies);
        println!("{name:<16} {verdict}, it went {:.4} m", bodies[0].center.y);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    flight()?;
    slide()
}
