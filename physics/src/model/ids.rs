//! What bodies, trees, freedoms and coordinates are called. An id is a place in the arrays that have an entry per body (or
//! tree, freedom, coordinate) and indexes them: `data.position.world_from_body[body]`, `state.v[freedom]`.

/// An id: a place in arrays with an entry per thing of its kind.
pub trait Id: Copy + Eq {
    /// The thing at `index`.
    fn at(index: usize) -> Self;

    /// Its place in arrays.
    fn place(self) -> usize;
}

/// Makes an [`Id`] type: a number of 32 bits that indexes slices and vectors. Crates that count things of their own use it too.
///
/// ```
/// stuntlab_physics::id_type! {
///     /// A joint of a hand.
///     Knuckle
/// }
/// let bent = vec![0.1, 0.2, 0.3];
/// assert_eq!(bent[Knuckle::new(1)], 0.2);
/// ```
#[macro_export]
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The one at `index`. Whoever has the whole has better ways: by name, or from what holds it.
            ///
            /// # Panics
            /// If there could not be so many.
            #[inline]
            pub const fn new(index: usize) -> Self {
                assert!(index <= u32::MAX as usize, "an index of 32 bits");
                Self(index as u32)
            }

            /// Place in arrays with an entry per thing of this kind.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::model::Id for $name {
            #[inline]
            fn at(index: usize) -> Self {
                Self::new(index)
            }

            #[inline]
            fn place(self) -> usize {
                self.index()
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        $crate::id_type!(@index $name, [T]);
        $crate::id_type!(@index $name, Vec<T>);
    };
    (@index $name:ident, $array:ty) => {
        impl<T> ::core::ops::Index<$name> for $array {
            type Output = T;

            #[inline]
            fn index(&self, id: $name) -> &T {
                &self[id.index()]
            }
        }

        impl<T> ::core::ops::IndexMut<$name> for $array {
            #[inline]
            fn index_mut(&mut self, id: $name) -> &mut T {
                &mut self[id.index()]
            }
        }
    };
}

id_type! {
    /// A body of a [`crate::Model`], and the joint that carries it.
    BodyId
}

id_type! {
    /// A tree of a [`crate::Model`]: a body that hangs on the world and all that hang on it.
    TreeId
}

id_type! {
    /// A freedom of some joint: a place in [`crate::State::v`], in accelerations and joint forces.
    Freedom
}

id_type! {
    /// A position coordinate of some joint: a place in [`crate::State::q`].
    Coordinate
}
