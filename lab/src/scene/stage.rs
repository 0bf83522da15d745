//! From a scene to a model at its start: bodies, joints, pins, who is who.

use std::collections::BTreeMap;
use std::sync::Arc;

use stuntlab_control::reference::{HeldPose, Reference};
use stuntlab_control::{Casting, Controller, Figurant, Refusal};
use stuntlab_mocap::character::{Character as Mocap, Physique};
use stuntlab_physics::actuation::{Anchor, Key, Pin};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::spatial::{Transform, rotation};
use stuntlab_physics::{Bodies, BodyId, BodySpec, Joint, JointKind, Model, ModelBuilder, State};

use super::body::BodyItem;
use super::chain::Chain;
use super::character::Character;
use super::{ControllerSpec, Fields, Motion, Scene, SceneError, What};
use crate::random::seed_of;
use crate::words::line_break;

/// A scene's model at its start.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Everything that moves, and the terrain.
    pub model: Model,
    /// Where everything starts.
    pub state: State,
    /// The characters.
    pub cast: Vec<Member>,
    /// What holds chains and bridges.
    pub pins: Vec<Pin>,
    /// Bodies that wait to be thrown.
    pub parked: Vec<BodyId>,
    /// Where all chance comes from.
    pub seed: u64,
}

/// A character and its bodies.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its bodies in the model.
    pub bodies: Bodies,
    /// What drives it.
    pub controller: ControllerSpec,
    /// The character alone, where it stands in the scene; coordinates as in the whole.
    pub model: Arc<Model>,
    /// The figure with its skeleton, where motions can be put on it.
    pub figure: Option<Arc<Mocap>>,
    /// What it follows.
    pub motion: Option<Motion>,
    /// What its bodies are.
    pub physique: Arc<Physique>,
}

/// A pin of a scene: holds a body, where it is at the start, to the world or to another body.
#[derive(Clone, Debug)]
pub(crate) struct PinItem {
    pub(crate) line: usize,
    pub(crate) body: String,
    pub(crate) to: Option<String>,
    pub(crate) at: DVec3,
}

/// Reads one `[[pin]]`.
pub(crate) fn read_pin(fields: Fields<'_>) -> Result<PinItem, SceneError> {
    let pin = PinItem {
        line: fields.line(),
        body: fields.required_text("body")?.to_owned(),
        to: fields.text("to")?.map(str::to_owned),
        at: fields.required_vector("at")?,
    };
    fields.finish()?;
    Ok(pin)
}

/// Collects bodies with the lines they come from.
struct Assembly<'a> {
    scene: &'a Scene,
    builder: ModelBuilder,
    lines: BTreeMap<String, usize>,
    /// Frames of the bodies at the start, to place joints on them.
    frames: BTreeMap<String, Transform>,
}

impl Stage {
    /// Builds the model of a scene.
    ///
    /// # Errors
    /// Names that are not there or there twice, masses and joints that make no sense.
    pub fn build(scene: &Scene) -> Result<Self, SceneError> {
        let builder = ModelBuilder::new().gravity(scene.gravity).self_collision(scene.self_collision);
        let mut assembly = Assembly { scene, builder, lines: BTreeMap::new(), frames: BTreeMap::new() };
        for shape in &scene.terrain {
            assembly.builder.push_fixture(shape.clone());
        }
        for character in &scene.characters {
            assembly.character(character)?;
        }
        for item in &scene.bodies {
            assembly.body(item)?;
        }
        for chain in &scene.chains {
            assembly.chain(chain)?;
        }
        assembly.finish()
    }
}

impl Assembly<'_> {
    /// Notes where a body is defined; each name once.
    fn claim(&mut self, name: &str, line: usize) -> Result<(), SceneError> {
        if let Some(c) = line_break(name) {
            let problem = format!("\"{name}\" has the character {c}, expected a name on one line");
            return Err(self.scene.error_at(line, "name", problem));
        }
        if self.lines.insert(name.to_owned(), line).is_some() {
            let problem = format!("\"{name}\" is defined twice, expected another name");
            return Err(self.scene.error_at(line, "name", problem));
        }
        Ok(())
    }

    fn push(&mut self, body: BodySpec, line: usize) -> Result<(), SceneError> {
        self.claim(&body.name, line)?;
        self.builder.push(body);
        Ok(())
    }

    fn character(&mut self, character: &Character) -> Result<(), SceneError> {
        for body in character.model.bodies() {
            self.claim(body.name(), character.line)?;
        }
        self.builder.append("", &character.model, Transform::IDENTITY);
        Ok(())
    }

    fn body(&mut self, item: &BodyItem) -> Result<(), SceneError> {
        let shape = ShapeSpec::new(item.shape.clone()).made_of(item.material);
        let spec = match &item.joint {
            None => {
                self.frames.insert(item.name.clone(), item.world_from_shape);
                let joint = Joint::free().placed(item.world_from_shape);
                BodySpec::root(&item.name, joint, item.inertia).with_shape(shape)
            }
            Some(link) => {
                // The body's frame lies in the joint, parallel to the world.
                let frame = Transform::from_translation(link.anchor);
                let body_from_shape = frame.inverse() * item.world_from_shape;
                let base = self.parent_frame(link.parent.as_deref(), item.line)?;
                self.frames.insert(item.name.clone(), frame);
                BodySpec {
                    name: item.name.clone(),
                    parent: link.parent.clone(),
                    joint: link.joint.clone().placed(base.inverse() * frame),
                    inertia: item.inertia.transformed(&body_from_shape),
                    shapes: vec![shape.placed(body_from_shape)],
                }
            }
        };
        self.push(spec, item.line)
    }

    fn parent_frame(&self, parent: Option<&str>, line: usize) -> Result<Transform, SceneError> {
        let Some(parent) = parent else { return Ok(Transform::IDENTITY) };
        self.frames.get(parent).copied().ok_or_else(|| {
            let problem = format!("\"{parent}\" is not a body defined above");
            self.scene.error_at(line, "joint.parent", problem)
        })
    }

    fn chain(&mut self, chain: &Chain) -> Result<(), SceneError> {
        let mut above: Option<(String, Transform)> = None;
        for (k, &frame) in chain.links.iter().enumerate() {
            let name = format!("{}-{k}", chain.name);
            let base = above.as_ref().map_or(Transform::IDENTITY, |(_, frame)| *frame);
            let shape = ShapeSpec::new(chain.shape.clone())
                .made_of(chain.material)
                .in_groups(chain.groups)
                .placed(chain.body_from_shape);
            let joint = if chain.loose && k == 0 { Joint::free() } else { chain.joint.clone() };
            self.push(
                BodySpec {
                    name: name.clone(),
                    parent: above.map(|(name, _)| name),
                    joint: joint.placed(base.inverse() * frame),
                    inertia: chain.inertia,
                    shapes: vec![shape],
                },
                chain.line,
            )?;
            above = Some((name, frame));
        }
        Ok(())
    }

    fn finish(self) -> Result<Stage, SceneError> {
        let Self { scene, builder, lines, .. } = self;
        let model = builder.build().map_err(|e| {
            let message = e.to_string();
            // Messages quote the body they are about.
            let line = message.split('\'').nth(1).and_then(|body| lines.get(body)).copied().unwrap_or(1);
            scene.error_at(line, "", message)
        })?;
        let mut stage = Stage {
            state: State::new(&model),
            cast: Vec::new(),
            pins: Vec::new(),
            parked: Vec::new(),
            seed: scene.seed,
            model,
        };
        stage.add_characters(scene)?;
        stage.add_bodies(scene);
        stage.add_pins(scene)?;
        stage.check_names(scene)?;
        Ok(stage)
    }
}

impl Stage {
    /// The body of this name; `name` of a character means its root.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        let root = |m: &Member| m.bodies.first();
        self.model.find(name).or_else(|| self.cast.iter().find(|m| m.name == name).and_then(root))
    }

    fn add_characters(&mut self, scene: &Scene) -> Result<(), SceneError> {
        for character in &scene.characters {
            let root = character.model.bodies().first().and_then(|b| self.model.find(b.name()));
            let Some(root) = root else { continue };
            let own = self.model.tree_of(root);
            self.state.q[own.coordinates].copy_from_slice(&character.first.q);
            self.state.v[own.freedoms].copy_from_slice(&character.first.v);
            self.set_velocity(root, character.velocity, character.spin);
            for (name, values, line) in &character.pose {
                self.pose_joint(scene, name, values, *line)?;
            }
            let physique = match &character.figure {
                Some(figure) => Physique::of(figure),
                None => Physique::by_name(&character.model),
            };
            self.cast.push(Member {
                name: character.name.clone(),
                bodies: own.bodies,
                controller: character.controller.clone(),
                model: character.model.clone(),
                figure: character.figure.clone(),
                motion: character.motion.clone(),
                physique: Arc::new(physique),
            });
        }
        Ok(())
    }

    fn pose_joint(
        &mut self,
        scene: &Scene,
        name: &str,
        values: &[f64],
        line: usize,
    ) -> Result<(), SceneError> {
        let key = "pose_deg";
        let Some(id) = self.model.find(name) else {
            let own = |b: &&str| b.split('/').next() == name.split('/').next();
            let names: Vec<&str> = self.model.bodies().iter().map(|b| b.name()).filter(own).collect();
            let parts: Vec<&str> = names.iter().filter_map(|n| n.split('/').nth(1)).collect();
            let part = name.split('/').nth(1).unwrap_or(name);
            let problem = format!("has no part \"{part}\", expected one of: {}", parts.join(", "));
            return Err(scene.error_at(line, key, problem));
        };
        let body = self.model.body(id);
        let n = body.joint().kind.n_v();
        let free = body.joint().kind == JointKind::Free;
        if values.len() != n || free {
            let wanted = if free { "a joint below the root".to_owned() } else { format!("{n} angles") };
            let problem = format!("gives \"{name}\" {} angles, expected {wanted}", values.len());
            return Err(scene.error_at(line, key, problem));
        }
        if body.joint().kind == JointKind::Spherical {
            let turn = rotation::exp(DVec3::new(values[0], values[1], values[2]));
            self.state.set_rotation(body, turn);
        } else {
            self.state.q[body.coordinates()].copy_from_slice(values);
        }
        Ok(())
    }

    /// Velocities of a free root, world axes, where they are given.
    fn set_velocity(&mut self, root: BodyId, velocity: Option<DVec3>, spin: Option<DVec3>) {
        let body = self.model.body(root);
        if body.joint().kind == JointKind::Free {
            let turned = self.state.rotation(body);
            let frame = body.joint().parent_from_joint.rotation;
            let to_body = |v: DVec3| turned.conjugate() * (frame.transpose() * v);
            let v = &mut self.state.v[body.freedoms()];
            if let Some(velocity) = velocity {
                v[..3].copy_from_slice(&to_body(velocity).to_array());
            }
            if let Some(spin) = spin {
                v[3..].copy_from_slice(&to_body(spin).to_array());
            }
        }
    }

    fn add_bodies(&mut self, scene: &Scene) {
        for item in &scene.bodies {
            let Some(id) = self.model.find(&item.name) else { continue };
            match &item.joint {
                None => self.set_velocity(id, Some(item.velocity), Some(item.spin)),
                Some(link) => {
                    let range = self.model.body(id).coordinates();
                    if range.len() == 1 {
                        self.state.q[range.at(0)] = link.start;
                    }
                    let rates = self.state.v[self.model.body(id).freedoms()].iter_mut();
                    rates.zip(link.rate.to_array()).for_each(|(v, rate)| *v = rate);
                }
            }
            if item.parked {
                self.parked.push(id);
            }
        }
    }

    /// A key for another of the scene's pins, which no controller uses.
    fn next_pin(&self) -> Key {
        Key::of(u32::MAX, self.pins.len() as u32)
    }

    fn add_pins(&mut self, scene: &Scene) -> Result<(), SceneError> {
        let mut data = stuntlab_physics::Data::new(&self.model);
        stuntlab_physics::dynamics::forward_kinematics(&self.model, &self.state, &mut data);
        for chain in scene.chains.iter().filter(|c| c.closed) {
            let last = chain.links.len() - 1;
            let Some(id) = self.model.find(&format!("{}-{last}", chain.name)) else { continue };
            let sides: &[f64] = if chain.half_width > 0.0 { &[1.0, -1.0] } else { &[0.0] };
            for side in sides {
                let point = DVec3::new(chain.length, side * chain.half_width, 0.0);
                let world = data.world_from_body(id).transform_point(point);
                let key = self.next_pin();
                self.pins.push(Pin::point_to_world(key, id, point, world));
            }
        }
        for item in &scene.pins {
            let find = |name: &str, key: &str| {
                self.find(name).ok_or_else(|| no_body(scene, &self.model, item.line, key, name))
            };
            let body = find(&item.body, "body")?;
            let point = data.world_from_body(body).inverse_transform_point(item.at);
            let mut pin = Pin::point_to_world(self.next_pin(), body, point, item.at);
            if let Some(other) = &item.to {
                let other = find(other, "to")?;
                let point = data.world_from_body(other).inverse_transform_point(item.at);
                pin.anchor = Anchor::Body { body: other, point, rotation: DQuat::IDENTITY };
            }
            self.pins.push(pin);
        }
        Ok(())
    }

    /// Whatever events, cameras and measurements name must exist.
    fn check_names(&self, scene: &Scene) -> Result<(), SceneError> {
        let known = |line: usize, key: &str, name: &str| match self.find(name) {
            Some(_) => Ok(()),
            None => Err(no_body(scene, &self.model, line, key, name)),
        };
        for event in &scene.events {
            match &event.what {
                What::Push { body, .. } | What::Drag { body, .. } => known(event.line, "body", body)?,
                What::Throw { body, .. } => {
                    known(event.line, "body", body)?;
                    let free = |id| self.model.body(id).joint().kind == JointKind::Free;
                    if !self.find(body).is_some_and(free) {
                        let problem = format!("\"{body}\" hangs on a joint, expected a loose body");
                        return Err(scene.error_at(event.line, "body", problem));
                    }
                }
                What::Command { character, .. } => {
                    if !self.cast.iter().any(|m| m.name == *character) {
                        let names: Vec<&str> = self.cast.iter().map(|m| m.name.as_str()).collect();
                        let problem =
                            format!("is \"{character}\", expected a character: {}", names.join(", "));
                        return Err(scene.error_at(event.line, "character", problem));
                    }
                }
            }
        }
        self.check_controllers(scene)?;
        for measure in &scene.measures {
            if let Some(of) = &measure.of {
                known(measure.line, "of", of)?;
            }
            if let Some(stray) = measure.only.iter().find(|o| !scene.variants.iter().any(|v| v.name == **o)) {
                let names: Vec<&str> = scene.variants.iter().map(|v| v.name.as_str()).collect();
                let problem = format!("has \"{stray}\", expected variants: {}", names.join(", "));
                return Err(scene.error_at(measure.line, "only", problem));
            }
        }
        for camera in &scene.cameras {
            if let Some(follow) = &camera.follow {
                known(camera.line, "follow", follow)?;
            }
        }
        Ok(())
    }
}

impl Stage {
    /// Makes the controller `spec` describes, for a character.
    pub(crate) fn make_controller(
        &self,
        member: &Member,
        spec: &ControllerSpec,
    ) -> Result<Box<dyn Controller>, Refusal> {
        let figurant = |m| {
            let Member { name, bodies, figure, .. }: &Member = m;
            Figurant { name, bodies: *bodies, figure: figure.as_ref() }
        };
        let cast: Vec<Figurant<'_>> = self.cast.iter().map(figurant).collect();
        spec.make(&Casting {
            name: &member.name,
            seed: seed_of(self.seed, &member.name),
            model: &self.model,
            state: &self.state,
            bodies: member.bodies,
            own: member.model.clone(),
            figure: member.figure.clone(),
            physique: member.physique.clone(),
            reference: &|| self.reference(member),
            cast: &cast,
        })
    }

    /// The motion of a character, or the pose it starts in.
    fn reference(&self, member: &Member) -> Box<dyn Reference> {
        if let Some(motion) = &member.motion {
            return Box::new(motion.reference());
        }
        let own = self.model.tree_of(member.bodies.at(0));
        Box::new(HeldPose::new(self.state.q[own.coordinates].to_vec()))
    }

    /// Controllers must fit their characters.
    fn check_controllers(&self, scene: &Scene) -> Result<(), SceneError> {
        for (member, character) in self.cast.iter().zip(&scene.characters) {
            self.make_controller(member, &member.controller).map_err(|r| {
                let line = if r.line > 0 { r.line } else { character.line };
                scene.error_at(line, &r.key, r.problem)
            })?;
        }
        Ok(())
    }
}

fn no_body(scene: &Scene, model: &Model, line: usize, key: &str, name: &str) -> SceneError {
    const SHOWN: usize = 12;
    let mut names: Vec<&str> = model.bodies().iter().map(|b| b.name()).collect();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    scene.error_at(line, key, format!("is \"{name}\", expected a body: {}{tail}", names.join(", ")))
}
