//! The same for each of many things: on several threads with the feature `parallel`, in order without; the answers are the same.

/// What `of` makes of each item, in the items' order.
#[cfg(feature = "parallel")]
pub(crate) fn map<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    use rayon::prelude::*;
    items.par_iter().map(of).collect()
}

/// What `of` makes of each item, in the items' order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map<T, R>(items: &[T], of: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(of).collect()
}
