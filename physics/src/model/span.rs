//! Things that follow each other: the bodies of a tree, the freedoms of a joint.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

use super::ids::{BodyId, Coordinate, Freedom, Id};

/// Bodies that follow each other, such as those of a tree.
pub type Bodies = Span<BodyId>;
/// Freedoms that follow each other, such as those of a joint or of a tree.
pub type Freedoms = Span<Freedom>;
/// Position coordinates that follow each other, such as those of a joint or of a tree.
pub type Coordinates = Span<Coordinate>;

/// A run of ids without gaps. It is iterated over, and indexes arrays as a range does: `state.v[body.freedoms()]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span<I> {
    start: u32,
    end: u32,
    kind: PhantomData<I>,
}

impl<I: Id> Span<I> {
    /// Those at these indices. Whoever has the model asks it instead.
    ///
    /// # Panics
    /// If it ends before it starts, or beyond 32 bits.
    pub fn new(range: Range<usize>) -> Self {
        assert!(range.start <= range.end, "a span ends after its start");
        let narrow = |index| u32::try_from(index).expect("an index of 32 bits");
        Self { start: narrow(range.start), end: narrow(range.end), kind: PhantomData }
    }

    /// Only this one.
    pub fn one(id: I) -> Self {
        Self::new(id.place()..id.place() + 1)
    }

    /// Their places in arrays.
    #[inline]
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many.
    #[inline]
    pub const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The `k`-th of them.
    ///
    /// # Panics
    /// If there are no more than `k`.
    #[inline]
    pub fn at(self, k: usize) -> I {
        assert!(k < self.len(), "the {k}th of {}", self.len());
        I::at(self.start as usize + k)
    }

    /// The first, if there are any.
    pub fn first(self) -> Option<I> {
        (!self.is_empty()).then(|| self.at(0))
    }

    /// The last, if there are any.
    pub fn last(self) -> Option<I> {
        (!self.is_empty()).then(|| self.at(self.len() - 1))
    }

    /// Whether `id` is one of them.
    #[inline]
    pub fn contains(self, id: I) -> bool {
        self.range().contains(&id.place())
    }

    /// Which of them `id` is, counted from the first.
    #[inline]
    pub fn place_of(self, id: I) -> Option<usize> {
        self.contains(id).then(|| id.place() - self.start as usize)
    }

    /// The part of them with these numbers, counted from the first.
    ///
    /// # Panics
    /// If they do not have such a part.
    pub fn part(self, numbers: Range<usize>) -> Self {
        assert!(numbers.end <= self.len(), "numbers {numbers:?} of {}", self.len());
        let start = self.start as usize;
        Self::new(start + numbers.start..start + numbers.end)
    }

    /// One after the other.
    #[inline]
    pub fn iter(self) -> Ids<I> {
        Ids { left: self.start..self.end, kind: PhantomData }
    }
}

impl<I> fmt::Debug for Span<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl<I: Id> IntoIterator for Span<I> {
    type Item = I;
    type IntoIter = Ids<I>;

    #[inline]
    fn into_iter(self) -> Ids<I> {
        self.iter()
    }
}

/// The ids of a [`Span`], one after the other.
#[derive(Clone, Debug)]
pub struct Ids<I> {
    left: Range<u32>,
    kind: PhantomData<I>,
}

impl<I: Id> Iterator for Ids<I> {
    type Item = I;

    #[inline]
    fn next(&mut self) -> Option<I> {
        self.left.next().map(|i| I::at(i as usize))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<I> {
        self.left.nth(n).map(|i| I::at(i as usize))
    }
}

impl<I: Id> DoubleEndedIterator for Ids<I> {
    #[inline]
    fn next_back(&mut self) -> Option<I> {
        self.left.next_back().map(|i| I::at(i as usize))
    }
}

impl<I: Id> ExactSizeIterator for Ids<I> {}

impl<T, I: Id> Index<Span<I>> for [T] {
    type Output = [T];

    #[inline]
    fn index(&self, span: Span<I>) -> &[T] {
        &self[span.range()]
    }
}

impl<T, I: Id> IndexMut<Span<I>> for [T] {
    #[inline]
    fn index_mut(&mut self, span: Span<I>) -> &mut [T] {
        &mut self[span.range()]
    }
}

impl<T, I: Id> Index<Span<I>> for Vec<T> {
    type Output = [T];

    #[inline]
    fn index(&self, span: Span<I>) -> &[T] {
        &self[span.range()]
    }
}

impl<T, I: Id> IndexMut<Span<I>> for Vec<T> {
    #[inline]
    fn index_mut(&mut self, span: Span<I>) -> &mut [T] {
        &mut self[span.range()]
    }
}

#[cfg(test)]
mod tests {
    use super::{Bodies, Freedoms};
    use crate::model::{BodyId, Freedom};

    #[test]
    fn a_span_is_a_range_of_ids() {
        let bodies = Bodies::new(3..6);
        assert_eq!(bodies.iter().map(BodyId::index).collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(
            (bodies.len(), bodies.first(), bodies.last()),
            (3, Some(BodyId::new(3)), Some(BodyId::new(5)))
        );
        assert!(bodies.contains(BodyId::new(5)) && !bodies.contains(BodyId::new(6)));
        assert_eq!(bodies.place_of(BodyId::new(4)), Some(1));
        assert_eq!(bodies.place_of(BodyId::new(2)), None);
        assert_eq!(bodies.part(1..3), Bodies::new(4..6));
        assert!(Bodies::new(2..2).first().is_none());
    }

    #[test]
    fn ids_and_spans_index_arrays() {
        let mut v = vec![0.0, 1.0, 2.0, 3.0];
        v[Freedom::new(2)] += 5.0;
        v[Freedoms::new(0..2)].fill(9.0);
        assert_eq!(v, [9.0, 9.0, 7.0, 3.0]);
    }
}
