//! What bodies, trees, freedoms and coordinates are called. An id is a place in the arrays that have an entry per body (or
//! tree, freedom, coordinate) and indexes them: `data.position.world_from_body[body]`, `state.v[freedom]`.

use std::fmt;
use std::ops::{Index, IndexMut};

/// An id: a place in arrays with an entry per thing of its kind.
pub trait Id: Copy + Eq {
    /// The thing at `index`.
    fn at(index: usize) -> Self;

    /// Its place in arrays.
    fn place(self) -> usize;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The one at `index` of its model. Whoever has the model has better ways: by name, or from what holds it.
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

        impl Id for $name {
            #[inline]
            fn at(index: usize) -> Self {
                Self::new(index)
            }

            #[inline]
            fn place(self) -> usize {
                self.index()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl<T> Index<$name> for [T] {
            type Output = T;

            #[inline]
            fn index(&self, id: $name) -> &T {
                &self[id.index()]
            }
        }

        impl<T> IndexMut<$name> for [T] {
            #[inline]
            fn index_mut(&mut self, id: $name) -> &mut T {
                &mut self[id.index()]
            }
        }

        impl<T> Index<$name> for Vec<T> {
            type Output = T;

            #[inline]
            fn index(&self, id: $name) -> &T {
                &self[id.index()]
            }
        }

        impl<T> IndexMut<$name> for Vec<T> {
            #[inline]
            fn index_mut(&mut self, id: $name) -> &mut T {
                &mut self[id.index()]
            }
        }
    };
}

id! {
    /// A body of a [`crate::Model`], and the joint that carries it.
    BodyId
}

id! {
    /// A tree of a [`crate::Model`]: a body that hangs on the world and all that hang on it.
    TreeId
}

id! {
    /// A freedom of some joint: a place in [`crate::State::v`], in accelerations and joint forces.
    Freedom
}

id! {
    /// A position coordinate of some joint: a place in [`crate::State::q`].
    Coordinate
}
