//! What a controller's own rows act on.

use super::rows::{force_hit, moment_hit};
use crate::actuation::{Row, Term};
use crate::data::Data;
use crate::dynamics::impulse::Hit;

/// Most unit impulses of a row: two per term.
pub(crate) const MOST_HITS: usize = 2 * crate::actuation::MOST_TERMS;

/// Unit impulses, several on one body or freedom summed up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hits {
    list: [Hit; MOST_HITS],
    count: usize,
}

impl Hits {
    /// None yet.
    pub(crate) const NONE: Self = Self { list: [Hit::Freedom(0, 0.0); MOST_HITS], count: 0 };

    /// All of them.
    pub(crate) fn all(&self) -> &[Hit] {
        &self.list[..self.count]
    }

    /// Adds one. A row has no more than there is room for.
    pub(crate) fn add(&mut self, hit: Hit) {
        for known in &mut self.list[..self.count] {
            match (known, hit) {
                (Hit::Body(a, sum), Hit::Body(b, wrench)) if *a == b => return *sum += wrench,
                (Hit::Freedom(a, sum), Hit::Freedom(b, scale)) if *a == b => return *sum += scale,
                _ => {}
            }
        }
        if let Some(free) = self.list.get_mut(self.count) {
            *free = hit;
            self.count += 1;
        }
    }
}

/// The unit impulses of a row at the pose in `data`; `of_freedom` says what a force along a freedom acts on.
pub(crate) fn hits(data: &Data, row: &Row, mut of_freedom: impl FnMut(usize, f64, &mut Hits)) -> Hits {
    let mut hits = Hits::NONE;
    let poses = &data.position.world_from_body;
    for term in row.terms.iter().flatten() {
        match *term {
            Term::Point { body, point, other, direction } => {
                let at = poses[body.index()].transform_point(point);
                hits.add(force_hit(data, body.index(), direction, at));
                if let Some((other, point)) = other {
                    let at = poses[other.index()].transform_point(point);
                    hits.add(force_hit(data, other.index(), -direction, at));
                }
            }
            Term::Spin { body, other, direction } => {
                hits.add(moment_hit(body.index(), direction));
                if let Some(other) = other {
                    hits.add(moment_hit(other.index(), -direction));
                }
            }
            Term::Freedom { freedom, weight } => of_freedom(freedom.index(), weight, &mut hits),
        }
    }
    hits
}
