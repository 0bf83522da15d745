//! Which of a character's bodies: the same in every model the character was put into.

use stuntlab_physics::{Bodies, BodyId};

stuntlab_physics::id_type! {
    /// A body of a character, counted among its own. In the character's own model it has the same number as the body.
    Bone
}

impl Bone {
    /// Which of a character's `bodies` a body is; `None` if it is not one of them.
    #[inline]
    pub fn of(body: BodyId, bodies: Bodies) -> Option<Self> {
        bodies.place_of(body).map(Self::new)
    }

    /// The body it is in a model where the character's are `bodies`.
    ///
    /// # Panics
    /// If the character has no such bone.
    #[inline]
    pub fn among(self, bodies: Bodies) -> BodyId {
        bodies.at(self.index())
    }
}
