//! Writes a BVH text that reads back to the same numbers: f64 in their shortest exact decimal form.

use super::{Bvh, Node};
use std::fmt::Write;

/// Deepest indentation; below it the text would grow with the square of the nesting.
const MAX_INDENT: usize = 24;

impl Bvh {
    /// The file's text: one keyword per line, tab-indented, LF line ends.
    pub fn write(&self) -> String {
        let mut out = String::with_capacity(64 * self.nodes.len() + 12 * self.values.len() + 64);
        self.write_skeleton(&mut out);
        let _ = writeln!(out, "MOTION\nFrames: {}\nFrame Time: {}", self.n_frames, self.frame_time);
        for frame in 0..self.n_frames {
            for (i, &value) in self.frame(frame).iter().enumerate() {
                if i > 0 {
                    out.push(' ');
                }
                write_number(&mut out, value);
            }
            out.push('\n');
        }
        out
    }

    fn write_skeleton(&self, out: &mut String) {
        out.push_str("HIERARCHY\n");
        let mut open: Vec<usize> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            // Close every joint that this node is not below.
            while open.last().is_some_and(|&top| Some(top) != node.parent) {
                open.pop();
                line(out, open.len(), "}");
            }
            write_node(out, node, open.len());
            open.push(index);
        }
        while open.pop().is_some() {
            line(out, open.len(), "}");
        }
    }
}

fn write_node(out: &mut String, node: &Node, depth: usize) {
    match (&node.name, node.parent) {
        (None, _) => line(out, depth, "End Site"),
        (Some(name), None) => line(out, depth, &format!("ROOT {name}")),
        (Some(name), Some(_)) => line(out, depth, &format!("JOINT {name}")),
    }
    line(out, depth, "{");
    indent(out, depth + 1);
    out.push_str("OFFSET");
    for value in node.offset.to_array() {
        out.push(' ');
        write_number(out, value);
    }
    out.push('\n');
    if !node.is_end_site() {
        indent(out, depth + 1);
        let _ = write!(out, "CHANNELS {}", node.channels.len());
        for channel in node.channels.iter() {
            out.push(' ');
            out.push_str(channel.name());
        }
        out.push('\n');
    }
}

/// Plain decimals in the range where they are short, an exponent elsewhere.
fn write_number(out: &mut String, value: f64) {
    let size = value.abs();
    let plain = size == 0.0 || (1e-5..1e16).contains(&size);
    let _ = if plain { write!(out, "{value}") } else { write!(out, "{value:e}") };
}

fn line(out: &mut String, depth: usize, text: &str) {
    indent(out, depth);
    out.push_str(text);
    out.push('\n');
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n('\t', depth.min(MAX_INDENT)));
}
