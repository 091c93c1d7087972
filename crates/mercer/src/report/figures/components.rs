//! Rows along the first two components, under their names as far as there is room.

use super::axes::{Axes, SMALL, Span};
use super::canvas::{Anchor, draw, width};
use super::colours::{FAINT, INK, class};
use super::drawn;
use crate::error::{Error, Result};
use crate::report::words::{counted, listed, percent, shown};

/// Where rows lie along two components.
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    /// Names of the components: two, or one where there are no more.
    pub axes: Vec<String>,
    /// The share of the variance along each.
    pub shares: Vec<f64>,
    /// The coordinates of each row; 0 upwards where there is one component.
    pub places: Vec<[f64; 2]>,
    /// What each row is called.
    pub rows: Vec<String>,
    /// The cluster of each row; empty where there are none.
    pub clusters: Vec<usize>,
    /// Rows that are medoids of clusters: they are named first.
    pub medoids: Vec<usize>,
}

/// Characters of the name of a row.
const NAME: usize = 24;

impl Components {
    fn axis(&self, k: usize) -> String {
        match (self.axes.get(k), self.shares.get(k)) {
            (Some(name), Some(share)) => format!("{name} ({})", percent(*share)),
            (name, _) => name.cloned().unwrap_or_default(),
        }
    }

    /// What the figure shows, in one sentence with its numbers.
    pub(super) fn sentence(&self) -> String {
        let far = |a: &&usize, b: &&usize| self.places[**a][0].total_cmp(&self.places[**b][0]);
        let all: Vec<usize> = (0..self.places.len().min(self.rows.len())).collect();
        let ends: Vec<String> =
            [all.iter().min_by(far), all.iter().max_by(far)].into_iter().flatten().map(|&i| shown(&self.rows[i], NAME)).collect();
        let axes: Vec<String> = (0..self.axes.len()).map(|k| self.axis(k)).collect();
        if let Some(last) = self.clusters.iter().max() {
            let medoids: Vec<String> = self.medoids.iter().filter_map(|&m| self.rows.get(m)).map(|name| shown(name, NAME)).collect();
            let around = if medoids.is_empty() { String::new() } else { format!("; medoids: {}", listed(&medoids)) };
            let all = counted(self.places.len(), "row");
            return format!(
                "{all} in {} along {}, with the share of the variance of each{around}.",
                counted(last + 1, "cluster"),
                listed(&axes)
            );
        }
        format!(
            "{} along {}, with the share of the variance of each; farthest apart along the first: {}.",
            counted(self.places.len(), "row"),
            listed(&axes),
            listed(&ends)
        )
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (620.0, 520.0);
        Error::unless_equal("names of rows", self.places.len(), self.rows.len())?;
        if !self.clusters.is_empty() {
            Error::unless_equal("clusters of rows", self.places.len(), self.clusters.len())?;
        }
        let span = |k: usize| Span::of(self.places.iter().map(|p| p[k]), 0.08);
        let (x, y) = (self.axis(0), self.axis(1));
        let axes = Axes::new(SIZE, 0.0, span(0), span(1), [&x, &y]);
        let marked: Vec<usize> = drawn(self.places.len()).collect();
        let medoids: Vec<usize> = self.medoids.iter().copied().filter(|&m| m < self.places.len()).collect();
        // Medoids are named first, then the rows that lie farthest out.
        let mut order = marked.clone();
        let out = |i: usize| self.places[i][0].powi(2) + self.places[i][1].powi(2);
        order.sort_by(|&a, &b| out(b).total_cmp(&out(a)));
        order.retain(|i| !medoids.contains(i));
        order.splice(0..0, medoids.iter().copied());
        draw(SIZE, label, |sheet| {
            axes.grid(sheet)?;
            sheet.line(&[axes.place(0.0, f64::NEG_INFINITY), axes.place(0.0, f64::INFINITY)], FAINT, 2.0)?;
            for &i in &marked {
                let cluster = self.clusters.get(i).copied().unwrap_or(0);
                sheet.mark(axes.place(self.places[i][0], self.places[i][1]), cluster, class(cluster), 3.0)?;
            }
            for &m in &medoids {
                let cluster = self.clusters.get(m).copied().unwrap_or(0);
                sheet.mark(axes.place(self.places[m][0], self.places[m][1]), cluster, INK, 7.0)?;
                sheet.mark(axes.place(self.places[m][0], self.places[m][1]), cluster, class(cluster), 5.0)?;
            }
            let mut taken: Vec<[f64; 4]> = Vec::new();
            for i in order {
                let name = shown(&self.rows[i], NAME);
                let (left, middle) = axes.place(self.places[i][0], self.places[i][1]);
                let left = (left + 6.0).min(SIZE.0 - width(&name, SMALL) - 2.0);
                let room = [left, left + width(&name, SMALL), middle - 0.6 * SMALL, middle + 0.6 * SMALL];
                let meets = |t: &[f64; 4]| room[0] < t[1] && t[0] < room[1] && room[2] < t[3] && t[2] < room[3];
                if !taken.iter().any(meets) {
                    sheet.text(&name, (left, middle), Anchor::Start, SMALL, INK)?;
                    taken.push(room);
                }
            }
            axes.frame(sheet)
        })
    }
}
