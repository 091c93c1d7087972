//! Files of the UCR archive of time series (Dau et al. 2019), `NAME_TRAIN.tsv` and `NAME_TEST.tsv`: the class, then the values of a
//! series, between tabs and without a header. NaN at the end of a row ends its series.

use super::ColumnType;
use super::cells::Cells;
use super::facts::{Fact, Topic};
use super::table::{Raw, Table};
use super::time_series::{CLASS, SERIES};
use super::wide;
use crate::data::{Series, Values};
use crate::error::Result;

/// Whether a file is named like one of the archive, by its name in lower case without the ending of its packing.
pub(super) fn is_named(name: &str) -> bool {
    // The last letters of the names of such files.
    const ENDINGS: [&str; 2] = ["_train.tsv", "_test.tsv"];
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Reads the table; `None` of one that is not written so: rows of unlike length, cells that are no numbers, a header.
///
/// # Errors
/// Infinite numbers.
pub(super) fn parse(file: &str, text: &str) -> Option<Result<Table>> {
    let (mut labels, mut values, mut width) = (Vec::new(), Vec::new(), None);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (label, rest) = line.split_once('\t')?;
        let before = values.len();
        for cell in rest.trim_end().split('\t') {
            values.push(cell.trim().parse::<f64>().ok().filter(|x| !x.is_infinite())?);
        }
        let count = values.len() - before;
        if *width.get_or_insert(count) != count {
            return None;
        }
        labels.push(label.trim());
    }
    let times = width.filter(|&times| times > 1)?;
    // A label that stands above all others and nowhere else is the first name of a header.
    let first = labels.first()?;
    if first.parse::<f64>().is_err() && !labels[1..].contains(first) {
        return None;
    }
    Some(table(file, &labels, times, &values))
}

fn table(file: &str, labels: &[&str], times: usize, values: &[f64]) -> Result<Table> {
    let series = Series::padded(times, 1, values)?;
    let mut cells = Cells::new(true, true);
    labels.iter().for_each(|label| cells.push(label));
    let says = format!("{{holds}} the {times} numbers of each line behind the first, which is the class, as in the UCR archive");
    let mut facts = vec![Fact::of_column(Topic::Table, SERIES, says + "; --no-header reads a column for each")];
    facts.extend(wide::ends(SERIES, &series, times));
    let columns = vec![(CLASS.to_owned(), Raw::Cells(cells)), (SERIES.to_owned(), Raw::Ready(Values::Series(series)))];
    let own_types = vec![(CLASS.to_owned(), ColumnType::CATEGORY)];
    let own_target = vec![CLASS.to_owned()];
    Ok(Table { facts, aside: own_target.clone(), own_target, own_types, ..Table::of_raw(file, labels.len(), columns)? })
}
