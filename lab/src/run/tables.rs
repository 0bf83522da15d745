//! Logs of every body, joint, contact and reading: a row each, so many times a second. Columns are in `scenes/README.md`.

use std::fmt::Write as _;

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{BodyId, State};

use super::log::cell;
use super::world::World;
use crate::scene::Logged;

/// A table being written.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    what: Logged,
    text: String,
    period: f64,
    rows: u64,
}

impl Table {
    /// The tables a world's scene asks for.
    pub(crate) fn of(world: &World) -> Vec<Self> {
        let table = |(what, rate): &(Logged, f64)| Self {
            what: *what,
            text: header(*what).to_owned(),
            period: 1.0 / rate,
            rows: 0,
        };
        world.scene().log.iter().map(table).collect()
    }

    /// Name of its file, without lane and ending.
    pub(crate) fn name(&self) -> &'static str {
        self.what.name()
    }

    /// All rows so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Adds the rows of now if it is time for them.
    pub(crate) fn sample(&mut self, world: &World) {
        let time = world.state.time;
        if time + 1e-9 < self.rows as f64 * self.period {
            return;
        }
        self.rows += 1;
        // A rate above that of the steps takes every step once.
        while (self.rows as f64) * self.period < time {
            self.rows += 1;
        }
        match self.what {
            Logged::Bodies => bodies(world, &mut self.text),
            Logged::Joints => joints(world, &mut self.text),
            Logged::Contacts => contacts(world, &mut self.text),
            Logged::Readings => readings(world, &mut self.text),
        }
    }
}

fn header(what: Logged) -> &'static str {
    match what {
        Logged::Bodies => {
            "time_s,body,x_m,y_m,z_m,qx,qy,qz,qw,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s\n"
        }
        Logged::Joints => "time_s,body,freedom,position,rate,force,drive,motor,limit\n",
        Logged::Contacts => {
            "time_s,body_a,body_b,x_m,y_m,z_m,normal_x,normal_y,normal_z,depth_m,fx_N,fy_N,fz_N\n"
        }
        Logged::Readings => "time_s,character,controller,reading,value,unit\n",
    }
}

// Writing to a string cannot fail.

fn vector(out: &mut String, v: DVec3) {
    let _ = write!(out, ",{:.9e},{:.9e},{:.9e}", v.x, v.y, v.z);
}

fn bodies(world: &World, out: &mut String) {
    let (data, time) = (&world.data, world.state.time);
    for (i, body) in world.model().bodies().iter().enumerate() {
        let (pose, rate) = (&data.position.world_from_body[i], &data.velocity.body[i]);
        let turn = pose.quaternion();
        let _ = write!(out, "{time:.6},{}", cell(body.name()));
        vector(out, pose.translation);
        let _ = write!(out, ",{:.9e},{:.9e},{:.9e},{:.9e}", turn.x, turn.y, turn.z, turn.w);
        vector(out, rate.linear);
        vector(out, rate.angular);
        out.push('\n');
    }
}

fn joints(world: &World, out: &mut String) {
    let (model, time, forces) = (world.model(), world.state.time, &world.data.reactions);
    // Positions as the way from the model's zero: angles of hinges, rotation vectors of ball joints.
    let mut way = vec![0.0; model.n_v()];
    State::new(model).difference(model, &world.state, &mut way);
    for body in model.bodies() {
        for (number, k) in body.freedoms().iter().enumerate() {
            let _ = write!(out, "{time:.6},{},{number}", cell(body.name()));
            let numbers = [
                way[k],
                world.state.v[k],
                forces.along[k],
                forces.drive[k],
                forces.motor[k],
                forces.limit[k],
            ];
            for x in numbers {
                let _ = write!(out, ",{x:.9e}");
            }
            out.push('\n');
        }
    }
}

fn contacts(world: &World, out: &mut String) {
    let (model, time) = (world.model(), world.state.time);
    for contact in &world.data.contact.points {
        let name = |b: BodyId| cell(model.body(b).name());
        let other = contact.body_b.map_or_else(String::new, name);
        let _ = write!(out, "{time:.6},{},{other}", name(contact.body_a));
        vector(out, contact.point);
        vector(out, contact.normal);
        let _ = write!(out, ",{:.9e}", contact.depth);
        vector(out, contact.force);
        out.push('\n');
    }
}

fn readings(world: &World, out: &mut String) {
    let time = world.state.time;
    for (member, controller) in world.cast().iter().zip(&world.controllers) {
        for (published, value) in controller.readings().iter() {
            let (character, kind) = (cell(&member.name), controller.name());
            let (name, unit) = (cell(published.name), cell(published.unit));
            let _ = writeln!(out, "{time:.6},{character},{kind},{name},{value:.9e},{unit}");
        }
    }
}
