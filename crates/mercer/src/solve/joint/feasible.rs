//! The sums of the coefficients of every class brought to 0 by variables that shrink alone, so that all bounds still hold.
//!
//! With F_pq = sum of a_iq over the rows i of class p, the sum of class p is sum_q F_pq - F_qp. Where it is above 0, some path of
//! F > 0 leads from p to a class whose sum is below 0; F falls along it, by no more than the two sums, until all are 0. Every a_iq then
//! takes the share that is left of its F_pq.

use crate::linalg::Matrix;
use std::collections::VecDeque;

/// Shrinks variables (N x C, those of the own class 0) until the sums of all classes are 0 up to rounding.
pub(super) fn make_feasible(variables: &mut Matrix, class: &[usize]) {
    let classes = variables.cols();
    let mut flow = Matrix::zeros(classes, classes);
    for (i, &p) in class.iter().enumerate() {
        (0..classes).for_each(|q| flow[(p, q)] += variables[(i, q)]);
    }
    let before = flow.clone();
    let mut sums: Vec<f64> = (0..classes).map(|p| (0..classes).map(|q| flow[(p, q)] - flow[(q, p)]).sum()).collect();
    let rounding = f64::EPSILON * classes as f64 * before.data().iter().sum::<f64>();
    while let Some(path) = path(&flow, &sums, rounding) {
        let (first, last) = (path[0], path[path.len() - 1]);
        let least = path.windows(2).map(|e| flow[(e[0], e[1])]).fold(sums[first].min(-sums[last]), f64::min);
        path.windows(2).for_each(|e| flow[(e[0], e[1])] = (flow[(e[0], e[1])] - least).max(0.0));
        (sums[first], sums[last]) = (sums[first] - least, sums[last] + least);
    }
    for (i, &p) in class.iter().enumerate() {
        for q in (0..classes).filter(|&q| before[(p, q)] > 0.0 && flow[(p, q)] < before[(p, q)]) {
            variables[(i, q)] *= flow[(p, q)] / before[(p, q)];
        }
    }
}

/// A shortest path of F above 0 from the class of the greatest sum to one whose sum is below 0.
fn path(flow: &Matrix, sums: &[f64], rounding: f64) -> Option<Vec<usize>> {
    let start = (0..sums.len()).fold(0, |best, c| if sums[c] > sums[best] { c } else { best });
    if sums[start] <= rounding {
        return None;
    }
    let mut from = vec![usize::MAX; sums.len()];
    from[start] = start;
    let mut open = VecDeque::from([start]);
    while let Some(p) = open.pop_front() {
        if sums[p] < 0.0 {
            let mut path = vec![p];
            while let Some(&at) = path.last().filter(|at| **at != start) {
                path.push(from[at]);
            }
            path.reverse();
            return Some(path);
        }
        for q in (0..sums.len()).filter(|&q| flow[(p, q)] > 0.0) {
            if from[q] == usize::MAX {
                from[q] = p;
                open.push_back(q);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_zero_and_no_variable_has_grown() {
        let class: Vec<usize> = (0..40).map(|i| i % 4).collect();
        let mut variables = Matrix::from_fn(40, 4, |i, q| if class[i] == q { 0.0 } else { (0.9 * (4 * i + q) as f64).sin().max(0.0) });
        let before = variables.clone();
        make_feasible(&mut variables, &class);
        for c in 0..4 {
            let own: f64 = (0..40).filter(|i| class[*i] == c).map(|i| variables.row(i).iter().sum::<f64>()).sum();
            let others: f64 = (0..40).map(|i| variables[(i, c)]).sum();
            assert!((own - others).abs() <= 1e-13, "{c}: {own} {others}");
        }
        assert!(variables.data().iter().zip(before.data()).all(|(a, b)| *a >= 0.0 && a <= b));
    }

    // Class 0 has rows that stand against class 1 alone, class 1 against class 2: nothing leads back, and all is taken.
    #[test]
    fn a_path_through_another_class_is_found() {
        let mut variables = Matrix::zeros(2, 3);
        (variables[(0, 1)], variables[(1, 2)]) = (2.0, 1.5);
        make_feasible(&mut variables, &[0, 1]);
        assert!(variables.data().iter().all(|a| a.abs() <= 1e-15), "{variables:?}");
    }
}
