//! What a fighter sees of itself and its opponent.

use stuntlab_mocap::character::Part;
use stuntlab_physics::glam::{DMat3, DQuat};
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Bodies, BodyId, Data};

use super::Fighter;
use super::aid::{root_rotation, wrap, yaw};
use super::falling::{REST, SUNK};
use super::mind::View;
use crate::controller::Sense;
use crate::senses::root_over_lowest;

/// Puts a pose where a root is and turns it to the same heading.
pub(super) fn place_like(q: &mut [f64], actual: &Transform) {
    q[..2].copy_from_slice(&actual.translation.to_array()[..2]);
    let turn = yaw(&actual.rotation) - yaw(&root_rotation(q));
    let turned = DQuat::from_rotation_z(turn) * DQuat::from_slice(&q[3..7]);
    q[3..7].copy_from_slice(&turned.normalize().to_array());
}

impl Fighter {
    /// Direction of the opponent, rad.
    pub(super) fn direction(&self, sense: &Sense<'_>) -> Option<f64> {
        let poses = &sense.data.position.world_from_body;
        let place = |body: BodyId| poses.get(body.index()).map(|t| t.translation);
        let way = place(self.options.opponent?.first()?)? - place(sense.root())?;
        Some(way.y.atan2(way.x))
    }

    /// Where to face: towards the opponent, or where it stood when a person leads it or there is none.
    pub(super) fn facing(&mut self, sense: &Sense<'_>) -> f64 {
        if self.options.autonomous
            && let Some(direction) = self.direction(sense)
        {
            self.heading = Some(direction);
            return direction;
        }
        let pelvis = yaw(&sense.data.world_from_body(sense.root()).rotation);
        *self.heading.get_or_insert(pelvis - self.repertoire.guard_yaw())
    }

    /// The opponent as seen from here.
    pub(super) fn look(&self, sense: &Sense<'_>) -> Option<View> {
        let opponent = self.options.opponent?;
        let pose = |body: BodyId| &sense.data.position.world_from_body[body];
        let own: &DMat3 = &pose(sense.root()).rotation;
        let way = pose(opponent.first()?).translation - pose(sense.root()).translation;
        let facing = yaw(own) - self.repertoire.guard_yaw();
        let bearing = wrap(self.direction(sense)? - facing);
        let towards = way.truncate().normalize_or_zero();
        let fist = |part: &Part| matches!(part, Part::Hand(_));
        let parts = self.repertoire.character().parts();
        let fists = opponent.iter().zip(parts).filter(|(_, part)| fist(part));
        let own_speed = sense.data.velocity.body[sense.root()].linear;
        let threat = fists
            .map(|(body, _)| -(sense.data.velocity.body[body].linear - own_speed).truncate().dot(towards))
            .fold(0.0, f64::max);
        Some(View {
            distance: way.truncate().length(),
            bearing,
            opponent_stands: self.opponent_up_for > self.options.style.fairness,
            threat,
        })
    }

    /// Counts the time the opponent is up.
    pub(super) fn watch(&mut self, sense: &Sense<'_>) {
        let Some(opponent) = self.options.opponent else { return };
        let up = self.height_share(sense.data, opponent) > SUNK.0;
        self.opponent_up_for = if up { self.opponent_up_for + sense.dt } else { 0.0 };
    }

    /// Height of the pelvis above the lowest body of a figure, as a share of standing height; uneven ground does not
    /// matter to it.
    pub(super) fn height_share(&self, data: &Data, bodies: Bodies) -> f64 {
        let own = &data.position.world_from_body[bodies];
        root_over_lowest(own) / self.repertoire.character().root_height()
    }

    /// Whether all of it is at rest.
    pub(super) fn is_still(&self, sense: &Sense<'_>) -> bool {
        sense.data.velocity.body[sense.bodies].iter().all(|v| v.linear.length() < REST.0)
    }
}
