//! Independent pieces of work on all cores, whose results come back one by one to a single place.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Threads where nobody asks for a number: one per core.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does pieces `0..count` on `threads` threads (0: one per core). `done` hears of each as it ends, in whatever order
/// that is, on the calling thread; where it fails, no more are begun.
///
/// # Errors
/// The first that `done` returns.
pub(crate) fn each<T: Send, E>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = if threads == 0 { cores() } else { threads }.clamp(1, count.max(1));
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= count || sender.send((piece, work(piece))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // Leaving early drops the receiver: threads end with the piece they are at.
        results.into_iter().try_for_each(|(piece, result)| done(piece, result))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once_and_a_failure_ends_it() {
        for threads in [0, 1, 3, 100] {
            let mut seen = [0; 50];
            let all: Result<(), ()> = each(
                50,
                threads,
                |k| k * k,
                |k, square| {
                    assert_eq!(square, k * k);
                    seen[k] += 1;
                    Ok(())
                },
            );
            assert!(all.is_ok() && seen.iter().all(|n| *n == 1));
        }
        let begun = AtomicUsize::new(0);
        let count = |_| {
            begun.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_micros(100));
        };
        assert_eq!(each(10_000, 2, count, |_, ()| Err("full")), Err("full"));
        assert!(begun.load(Ordering::Relaxed) < 10_000);
        assert_eq!(each(0, 0, |_| (), |_, ()| Err("none")), Ok(()));
    }
}
