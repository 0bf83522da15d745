//! Strongly connected components (Tarjan, *Depth-first search and linear graph algorithms*, 1972), without recursion.

/// Component number of every node; components are numbered in the order in which they are completed.
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut order, mut low, mut component) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut stack, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let (mut n_seen, mut n_components) = (0, 0);
    for root in 0..n {
        if order[root] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if *next == 0 {
                order[node] = n_seen;
                low[node] = n_seen;
                n_seen += 1;
                stack.push(node);
            }
            if let Some(&target) = edges[node].get(*next) {
                *next += 1;
                if order[target] == NEW {
                    path.push((target, 0));
                } else if component[target] == NEW {
                    low[node] = low[node].min(order[target]);
                }
                continue;
            }
            // A node without edges is visited once only, so that its order is set once.
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = stack.pop() {
                    component[member] = n_components;
                    if member == node {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    component
}

/// Which nodes belong to the largest component (the first of equals).
pub(super) fn largest(edges: &[Vec<usize>]) -> Vec<bool> {
    let component = components(edges);
    let mut sizes = vec![0usize; component.iter().max().map_or(0, |m| m + 1)];
    component.iter().for_each(|&c| sizes[c] += 1);
    let best = sizes.iter().enumerate().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(&a.0))).map_or(0, |b| b.0);
    component.iter().map(|&c| c == best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Two nodes share a component exactly where each reaches the other.
        #[test]
        fn components_are_mutual_reachability(pairs in prop::collection::vec((0usize..12, 0usize..12), 0..40)) {
            let mut edges = vec![Vec::new(); 12];
            let mut reach = [[false; 12]; 12];
            (0..12).for_each(|i| reach[i][i] = true);
            for &(a, b) in &pairs {
                edges[a].push(b);
                reach[a][b] = true;
            }
            for k in 0..12 { for i in 0..12 { for j in 0..12 { reach[i][j] |= reach[i][k] && reach[k][j]; } } }
            let component = components(&edges);
            for i in 0..12 { for j in 0..12 {
                prop_assert_eq!(component[i] == component[j], reach[i][j] && reach[j][i]);
            } }
        }
    }

    #[test]
    fn a_long_chain_does_not_overflow() {
        let n = 300_000;
        let edges: Vec<Vec<usize>> = (0..n).map(|i| vec![(i + 1) % n]).collect();
        assert!(largest(&edges).iter().all(|&b| b));
    }
}
