//! A visit to one group: its rows are relaxed in order, tangents onto their disc.

use super::dense::Dense;
use super::{Coupled, CoupledRow, Group, MAX_GROUP};

impl Coupled {
    /// Relaxes the rows of a group in order; the largest change of a row's velocity.
    #[inline]
    pub(super) fn relax(
        &self,
        rows: &[CoupledRow],
        number: u32,
        x: &mut [f64],
        dense: Option<&mut Dense>,
    ) -> f64 {
        let group = &self.groups[number as usize];
        let rows = &rows[group.rows.0 as usize..group.rows.1 as usize];
        match <&[CoupledRow; 3]>::try_from(rows) {
            Ok(rows) if is_pair(rows, 1) => self.relax_contact(rows, group, number, x, dense),
            _ => self.relax_any(rows, group, number, x, dense),
        }
    }

    /// A row and its two tangents, the usual group, without loops.
    #[inline]
    fn relax_contact(
        &self,
        rows: &[CoupledRow; 3],
        group: &Group,
        number: u32,
        x: &mut [f64],
        dense: Option<&mut Dense>,
    ) -> f64 {
        let start = group.rows.0 as usize;
        let own: &[f64; 9] = self.numbers[group.own as usize..][..9].try_into().expect("nine numbers");
        let [mut n, mut s, mut t] = [x[start], x[start + 1], x[start + 2]];
        let [w0, mut w1, mut w2] = match &dense {
            Some(dense) => {
                let at = dense.start_of(number);
                [0, 1, 2].map(|k| dense.slack(at + k, &rows[k]))
            }
            None => self.slack_of_contact(rows, group, x),
        };
        let diagonal =
            [own[0] + rows[0].compliance, own[4] + rows[1].compliance, own[8] + rows[2].compliance];
        let step = |w: f64, d: f64, x: f64| if d > 0.0 { x - w / d } else { 0.0 };
        let normal = step(w0, diagonal[0], n).clamp(rows[0].lower, rows[0].upper);
        let delta = normal - n;
        n = normal;
        w1 += own[3] * delta;
        w2 += own[6] * delta;
        let limit = rows[1].friction.map_or(0.0, |(_, mu)| mu) * n.max(0.0);
        let (mut a, mut b) = (step(w1, diagonal[1], s), step(w2, diagonal[2], t));
        let square = a * a + b * b;
        if square > limit * limit {
            let scale = limit / square.sqrt();
            (a, b) = (a * scale, b * scale);
        }
        let change =
            (delta.abs() * diagonal[0]).max((a - s).abs() * diagonal[1]).max((b - t).abs() * diagonal[2]);
        (s, t) = (a, b);
        x[start..start + 3].copy_from_slice(&[n, s, t]);
        if let Some(dense) = dense {
            dense.set(dense.start_of(number), &[n, s, t]);
        }
        change
    }

    /// `w` of a row and its two tangents, block by block.
    #[inline]
    fn slack_of_contact(&self, rows: &[CoupledRow; 3], group: &Group, x: &[f64]) -> [f64; 3] {
        let start = group.rows.0 as usize;
        let [mut w0, mut w1, mut w2] = [0, 1, 2].map(|k| rows[k].offset + rows[k].compliance * x[start + k]);
        for block in &self.blocks[group.blocks.0 as usize..group.blocks.1 as usize] {
            // The rows of a group follow its first.
            if x[block.at as usize] == 0.0 {
                continue;
            }
            if block.rows == 3
                && let Some(a) = self.numbers[block.from as usize..].first_chunk::<9>()
                && let Some(y) = x[block.at as usize..].first_chunk::<3>()
            {
                w0 += a[0] * y[0] + a[1] * y[1] + a[2] * y[2];
                w1 += a[3] * y[0] + a[4] * y[1] + a[5] * y[2];
                w2 += a[6] * y[0] + a[7] * y[1] + a[8] * y[2];
            } else {
                let m = block.rows as usize;
                let y = &x[block.at as usize..][..m];
                let a = &self.numbers[block.from as usize..][..3 * m];
                for k in 0..m {
                    w0 += a[k] * y[k];
                    w1 += a[m + k] * y[k];
                    w2 += a[2 * m + k] * y[k];
                }
            }
        }
        [w0, w1, w2]
    }

    fn relax_any(
        &self,
        rows: &[CoupledRow],
        group: &Group,
        number: u32,
        x: &mut [f64],
        dense: Option<&mut Dense>,
    ) -> f64 {
        let start = group.rows.0 as usize;
        let n = rows.len();
        let own = &self.numbers[group.own as usize..][..n * n];
        let mut w = [0.0; MAX_GROUP];
        if let Some(dense) = &dense {
            let at = dense.start_of(number);
            for i in 0..n {
                w[i] = dense.slack(at + i, &rows[i]);
            }
        } else {
            self.slack_of_any(rows, group, x, &mut w);
        }
        let mut change = 0.0_f64;
        let mut i = 0;
        while i < n {
            let diagonal = |i: usize| own[i * n + i] + rows[i].compliance;
            let wanted = |i: usize, x: &[f64], w: &[f64; MAX_GROUP]| {
                let diagonal = diagonal(i);
                if diagonal > 0.0 { x[start + i] - w[i] / diagonal } else { 0.0 }
            };
            let mut set = |i: usize, value: f64, x: &mut [f64], w: &mut [f64; MAX_GROUP]| {
                let delta = value - x[start + i];
                if delta != 0.0 {
                    x[start + i] = value;
                    for k in i + 1..n {
                        w[k] += own[k * n + i] * delta;
                    }
                    change = change.max(delta.abs() * diagonal(i));
                }
            };
            match rows[i].friction {
                Some((normal, mu)) if is_pair(rows, i) => {
                    let limit = mu * x[normal as usize].max(0.0);
                    let (mut a, mut b) = (wanted(i, x, &w), wanted(i + 1, x, &w));
                    let square = a * a + b * b;
                    if square > limit * limit {
                        let scale = limit / square.sqrt();
                        (a, b) = (a * scale, b * scale);
                    }
                    set(i, a, x, &mut w);
                    set(i + 1, b, x, &mut w);
                    i += 1;
                }
                Some((normal, mu)) => {
                    let limit = mu * x[normal as usize].max(0.0);
                    let value = wanted(i, x, &w).clamp(-limit, limit);
                    set(i, value, x, &mut w);
                }
                None => {
                    let value = wanted(i, x, &w).clamp(rows[i].lower, rows[i].upper);
                    set(i, value, x, &mut w);
                }
            }
            i += 1;
        }
        if let Some(dense) = dense {
            dense.set(dense.start_of(number), &x[start..start + n]);
        }
        change
    }

    /// `w` of a group's rows, block by block.
    fn slack_of_any(&self, rows: &[CoupledRow], group: &Group, x: &[f64], w: &mut [f64; MAX_GROUP]) {
        let (start, n) = (group.rows.0 as usize, rows.len());
        for i in 0..n {
            w[i] = rows[i].offset + rows[i].compliance * x[start + i];
        }
        for block in &self.blocks[group.blocks.0 as usize..group.blocks.1 as usize] {
            let m = block.rows as usize;
            let y = &x[block.at as usize..][..m];
            if y[0] == 0.0 {
                continue;
            }
            let a = &self.numbers[block.from as usize..][..n * m];
            for i in 0..n {
                w[i] += a[i * m..(i + 1) * m].iter().zip(y).map(|(a, y)| a * y).sum::<f64>();
            }
        }
    }
}

/// Whether rows `i` and `i + 1` are the two tangents of one contact.
#[inline]
pub(crate) fn is_pair(rows: &[CoupledRow], i: usize) -> bool {
    match (rows[i].friction, rows.get(i + 1).and_then(|r| r.friction)) {
        (Some((a, mu)), Some((b, nu))) => a == b && mu == nu,
        _ => false,
    }
}

/// Whether a pair of tangents among `which` is outside its disc by more than rounding.
pub(crate) fn leaves_cone(rows: &[CoupledRow], x: &[f64], mut which: impl Iterator<Item = usize>) -> bool {
    which.any(|i| match rows[i].friction {
        Some((normal, mu)) if is_pair(rows, i) => {
            x[i].hypot(x[i + 1]) > (1.0 + 1e-9) * mu * x[normal as usize].max(0.0) + f64::MIN_POSITIVE
        }
        _ => false,
    })
}
