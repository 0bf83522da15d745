//! A virtual display for tests of windows, this crate's and others'.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Ends a helper program when the test does, whichever way.
pub(crate) struct Guard(pub(crate) Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // Already gone is fine.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn installed(program: &str) -> bool {
    Command::new("which").arg(program).output().is_ok_and(|o| o.status.success())
}

/// A virtual display and its name.
pub(crate) fn display() -> Option<(Guard, String)> {
    if let Some(missing) = ["Xvfb", "xdotool", "import"].into_iter().find(|p| !installed(p)) {
        println!("skipped: {missing} is not installed");
        return None;
    }
    let mut server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut number = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
    Some((Guard(server), format!(":{}", number.trim())))
}
