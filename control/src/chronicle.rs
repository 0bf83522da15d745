//! What a controller that chooses has chosen, and why: for logs, timelines and marks on the order of things.

/// A choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// When, s.
    pub time: f64,
    /// What was taken up; empty for nothing.
    pub chosen: &'static str,
    /// Why what was before ended, in words.
    pub why: String,
    /// What everyone bid, by name: score, and why in words.
    pub bids: Vec<(&'static str, u8, String)>,
}

/// Whether choices went as in `order`, whose names may end in `?` for what may as well be left out: the share of both that agrees from the
/// start on, 1 if all of one is all of the other.
pub fn in_order(entries: &[Entry], order: &[String]) -> f64 {
    // met[k]: the longest way along the order that k choices can have gone.
    let is = |wanted: &str, chosen: &str| wanted.strip_suffix('?').unwrap_or(wanted) == chosen;
    let (mut at, mut met) = (0, 0);
    for entry in entries {
        while at < order.len() && order[at].ends_with('?') && !is(&order[at], entry.chosen) {
            at += 1;
        }
        if at >= order.len() || !is(&order[at], entry.chosen) {
            break;
        }
        (at, met) = (at + 1, met + 1);
    }
    let left = order[at..].iter().filter(|name| !name.ends_with('?')).count();
    let strays = entries.len() - met;
    let whole = met + left + strays;
    if whole == 0 { 1.0 } else { met as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn went(names: &[&'static str]) -> Vec<Entry> {
        let entry = |chosen: &&'static str| Entry { time: 0.0, chosen, why: String::new(), bids: Vec::new() };
        names.iter().map(entry).collect()
    }

    fn order(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| (*n).to_owned()).collect()
    }

    #[test]
    fn only_all_of_it_in_this_order_is_one() {
        let wanted = order(&["stand", "step?", "fall", "rest"]);
        assert_eq!(in_order(&went(&["stand", "fall", "rest"]), &wanted), 1.0);
        assert_eq!(in_order(&went(&["stand", "step", "fall", "rest"]), &wanted), 1.0);
        assert_eq!(in_order(&went(&["stand", "fall"]), &wanted), 2.0 / 3.0);
        assert_eq!(in_order(&went(&["stand", "fall", "rest", "fall"]), &wanted), 0.75);
        assert!(in_order(&went(&["stand", "rest", "fall"]), &wanted) < 0.5);
        assert_eq!(in_order(&[], &wanted), 0.0);
        assert_eq!(in_order(&[], &[]), 1.0);
    }
}
