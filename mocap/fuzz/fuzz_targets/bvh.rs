//! Any bytes: the reader returns, and what it accepts survives writing and reading again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stuntlab_mocap::bvh::{Bvh, ReadOptions};

fuzz_target!(|text: &[u8]| {
    let _ = Bvh::read(text, ReadOptions { lenient_frame_count: true });
    if let Ok(bvh) = Bvh::parse(text) {
        assert_eq!(Bvh::parse(bvh.write().as_bytes()).as_ref(), Ok(&bvh));
    }
});
