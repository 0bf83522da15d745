//! Mutation fuzzer for the BVH reader on the stable compiler: `fuzz_bvh [EXECUTIONS] [SEED]`.
//!
//! Every execution mutates a built-in file (or an input that was accepted before) by byte flips, splices,
//! deletions, repeats and dictionary words, and reads it strictly and leniently. What is accepted must hold finite
//! numbers in range and survive writing and reading again. A panic stops the run and prints seed and execution.

use stuntlab_mocap::bvh::{Bvh, PositionChannels, ReadOptions};
use stuntlab_physics::random::Random;

const SEEDS: [&str; 3] = [
    "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\tJOINT Spine\n\t{\n\t\tOFFSET 0 10 0\n\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 5 0\n\t\t}\n\t}\n}\nMOTION\nFrames: 3\nFrame Time: 0.0333333\n1 2 3 4 5 6 7 8 9\n1 2 3 4.5 -5e-3 6 7 8 9\n1 2 3 4 5 6 7 8 9\n",
    "hierarchy root a{offset 1 2 3 channels 1 Yrotation End Site{offset 0 0 0}}root b{offset 0 0 0}motion\r\nframes : 2\r\nframe time:.5\r\n1\r\n2",
    "HIERARCHY\rROOT x y\r{\rCHANNELS 0\rOFFSET 0 0 0\r}\rMOTION\rFrames:\t2\rFrame Time: 1e-2\r\r\r",
];
const WORDS: [&str; 24] = [
    "HIERARCHY",
    "ROOT ",
    "JOINT j",
    "End Site",
    "OFFSET ",
    "CHANNELS ",
    "MOTION",
    "Frames:",
    "Frame Time:",
    "{",
    "}",
    "Xposition ",
    "Zrotation ",
    "\n",
    "\r",
    " ",
    "\t",
    "nan",
    "-",
    "1e308",
    "99999999999999999999",
    "0,5",
    "\u{1a}",
    "é",
];

fn mutate(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(24)).min(text.len());
        match random.below(7) {
            0 if at < text.len() => text[at] = random.below(256) as u8,
            1 if at < text.len() => text[at] ^= 1 << random.below(8),
            2 => drop(text.drain(at..end)),
            3 => {
                let piece = text[at..end].to_vec();
                text.splice(at..at, piece);
            }
            4 => {
                let from = random.below(other.len());
                let to = (from + random.below(40)).min(other.len());
                text.splice(at..end, other[from..to].iter().copied());
            }
            5 => text.truncate(at),
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                text.splice(at..at, word.bytes());
            }
        }
    }
    text.truncate(4096);
}

fn check(text: &[u8]) -> bool {
    let lenient = Bvh::read(text, ReadOptions { lenient_frame_count: true });
    let strict = Bvh::parse(text);
    if let Ok(bvh) = &strict {
        assert_eq!(lenient.as_ref().map(|r| &r.bvh), Ok(bvh), "lenient reading differs on a sound file");
        assert_eq!(Bvh::parse(bvh.write().as_bytes()).as_ref(), Ok(bvh), "not the same after writing");
        for frame in 0..bvh.n_frames().min(4) {
            let positions = bvh.world_positions(frame, PositionChannels::Add);
            assert_eq!(positions.len(), bvh.nodes().len());
        }
    }
    for error in [strict.as_ref().err(), lenient.as_ref().err()].into_iter().flatten() {
        let lines = text.iter().filter(|c| matches!(c, b'\n' | b'\r')).count() + 1;
        assert!((1..=lines).contains(&error.line), "line {} of {lines}", error.line);
    }
    strict.is_ok()
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap_or(1));
    let executions = arguments.next().unwrap_or(1_000_000);
    let seed = arguments.next().unwrap_or(1);
    let mut random = Random::new(seed);
    let mut pool: Vec<Vec<u8>> = SEEDS.iter().map(|s| s.as_bytes().to_vec()).collect();
    let mut accepted = 0u64;
    for execution in 0..executions {
        let mut text = pool[random.below(pool.len())].clone();
        let other = pool[random.below(pool.len())].clone();
        mutate(&mut text, &other, &mut random);
        let ok = std::panic::catch_unwind(|| check(&text)).unwrap_or_else(|_| {
            eprintln!("seed {seed}, execution {execution}: {:?}", String::from_utf8_lossy(&text));
            std::process::exit(1);
        });
        if ok {
            accepted += 1;
            // Accepted inputs are worth going on from; the pool keeps its size.
            if pool.len() < 256 {
                pool.push(text);
            } else {
                let slot = SEEDS.len() + random.below(pool.len() - SEEDS.len());
                pool[slot] = text;
            }
        }
    }
    println!("{executions} executions with seed {seed}, {accepted} accepted, no finding");
}
