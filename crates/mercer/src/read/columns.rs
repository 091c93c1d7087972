//! Text cells to typed columns: as they look, as declared, or as in training.

use super::cells::{Cell, Cells, MISSING_WORDS, missing_among_numbers};
use super::doubts::{self, Identity};
use super::facts::{Fact, Topic, declared as declared_type};
use super::infer::{self, Looks, marking, shortened};
use super::table::Raw;
use super::unseen::{difference, look};
use super::writing::Mostly;
use super::{ColumnType, MISSING, ReadOptions, Table, dates, fasta, libsvm, marks, orders, sequences};
use crate::data::{
    Categories, Column, ColumnKind, Dataset, DateOrder, Holds, Marks, Schema, Thousands, UNSEEN, Unit, Values, Writing, Written,
};
use crate::error::{Error, Result, nearest};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

impl Table {
    /// The columns left in the table as a dataset; identifiers are left out with a notice.
    ///
    /// A missing cell (empty, `NA`, `N/A`, `NaN`, `?`, `null`, `None`, ...) is NaN in a column of numbers, the label
    /// [`MISSING`] in a column of categories, the empty string in texts and sequences. Among numbers, `-` and `.` are missing too.
    ///
    /// # Errors
    /// A declared column that is not there, and a cell that does not fit its column, by row and column.
    pub fn dataset(&mut self, options: &ReadOptions) -> Result<Dataset> {
        self.check_declared(options)?;
        self.widen(options)?;
        let mut columns = Vec::new();
        let mut written = Vec::new();
        for (name, raw) in std::mem::take(&mut self.columns) {
            let declared = self.declared(options, &name);
            if declared == Some(ColumnType::Ignore) {
                continue;
            }
            if options.declared(&name).is_none() && !options.names.contains(&name) && self.aside.contains(&name) {
                self.tell_aside(&name);
                continue;
            }
            let kind = declared.as_ref().and_then(ColumnType::kind);
            let mut writing = Writing::Point;
            let features = if let Raw::Indexed(x) = &raw { x.listed().to_vec() } else { Vec::new() };
            let values = match raw {
                Raw::Numbers(v) if matches!(declared, None | Some(ColumnType::Of(ColumnKind::Number))) => Some(self.finite(&name, v)?),
                Raw::Points(p) if matches!(declared, None | Some(ColumnType::Of(ColumnKind::Points))) => Some(Values::Points(p)),
                Raw::Lists(lists) => Some(self.listed(&name, lists, kind)?),
                Raw::Ready(values) => Some(values),
                Raw::Indexed(x) if declared.is_none() => Some(Values::Points(x.points(u64::from(name != libsvm::FROM_0))?)),
                raw => {
                    let made = self.values(&name, raw.into_cells(&name)?, declared.as_ref())?;
                    made.map(|(values, how)| {
                        writing = how;
                        values
                    })
                }
            };
            let values = match values {
                Some(Values::Numbers(v)) if declared.is_none() => self.unless_identifier(&name, v, &writing),
                other => other,
            };
            if let Some(Values::Sequences(strings)) = &values {
                self.facts.extend(sequences::letters(&name, strings));
            }
            let missing = self.marked.iter().filter(|(column, _)| *column == name).flat_map(|(_, texts)| texts.clone()).collect();
            let coordinates = self.grouped.iter().filter(|sets| sets.column == name).flat_map(|sets| sets.coordinates.clone()).collect();
            let channels = self.wide.iter().filter(|(series, _)| *series == name).flat_map(|(_, channels)| channels.clone()).collect();
            let ordered_by = self.grouped.as_ref().filter(|sets| sets.column == name).and_then(|sets| sets.ordered_by.clone());
            let (days_alone, channels_first) = (declared == Some(ColumnType::Days), declared == Some(ColumnType::ChannelsFirst));
            written.push((
                name.clone(),
                Written { numbers: writing, days_alone, missing, coordinates, ordered_by, features, channels, channels_first },
            ));
            columns.extend(values.map(|values| Column { name, values }));
        }
        let data = Dataset::with_rows(self.rows, columns)?;
        Ok(written.into_iter().fold(data, |data, (name, how)| if data.position(&name).is_ok() { data.remember(&name, how) } else { data }))
    }

    /// Says of a column that is no input unless it is declared what it is: the target that the table names itself, where another was
    /// taken, or what the headers of sequences say.
    fn tell_aside(&mut self, name: &str) {
        if self.own_target.iter().any(|own| own == name) {
            let fact = Fact::of_column(Topic::Table, name, "{is} the target that the table names itself, and no input");
            self.facts.push(fact.undone_by("category makes it one"));
        } else if self.is_of_sequences() {
            self.facts.extend(fasta::aside(name));
        }
    }

    /// Plain numbers as an input, and what is doubtful of them; none where they are an identifier.
    fn unless_identifier(&mut self, name: &str, v: Vec<f64>, writing: &Writing) -> Option<Values> {
        if *writing == Writing::Point {
            if doubts::identity(name, &v) == Identity::Identifier {
                self.facts.push(doubts::ignored(name));
                return None;
            }
            self.facts.extend(doubts::of_numbers(name, &v));
        }
        Some(Values::Numbers(v))
    }

    /// Cells as they are declared, or as they look, and how their numbers are written; `None` for identifiers.
    fn values(&mut self, name: &str, cells: Cells, declared: Option<&ColumnType>) -> Result<Option<(Values, Writing)>> {
        let looks = match declared {
            Some(ColumnType::Ignore) => return Ok(None),
            Some(ColumnType::Of(kind)) if *kind != ColumnKind::Number => Looks::Of(*kind),
            Some(ColumnType::ChannelsFirst) => {
                let fix = declared_type(name, "series");
                let why = "a form of arrays of numbers (NPY, Python); a cell of text holds a vector for each time";
                return Err(self.fault(format!("column '{name}' is declared series-channels-first, {why}: {fix}")));
            }
            Some(numeric) => Looks::Number(self.declared_writing(name, numeric, &cells)?),
            None => infer::looks(&self.file, name, &cells, &mut self.facts)?,
        };
        if let Looks::Number(writing) = &looks {
            self.tell_writing(name, &cells, writing, declared);
        }
        Ok(match looks {
            Looks::Number(writing) => Some((Values::Numbers(numbers(&self.file, name, &cells, &writing)?), writing)),
            Looks::Of(ColumnKind::Category) => {
                let cells = if declared.is_some() { cells.of_declared_labels() } else { cells };
                self.tell_labels(name, &cells, Topic::Missing);
                if declared.is_none() {
                    self.tell_order(name, &cells, Topic::Labels);
                }
                Some((Values::Categories(categories(&cells)), Writing::Point))
            }
            Looks::Of(kind) => Some((self.parsed(name, kind, &cells)?, Writing::Point)),
            Looks::Identifier(why) => {
                let says = format!("{{has}} {why}: ignored as an identifier");
                let numbers = Writing::of(&cells).is_some();
                let vectors = cells.iter().find(|cell| !cells.misses(cell)).is_some_and(|cell| ColumnKind::Points.could_be(cell));
                let keeps = match (numbers, vectors) {
                    (_, true) => "series (or set, points, text) keeps it",
                    (true, _) => "category (or number) keeps it",
                    _ => "text (or sequence, category) keeps it",
                };
                self.facts.push(Fact::of_column(Topic::Identifiers, name, says).undone_by(keeps));
                None
            }
        })
    }

    /// Cells that are read as they stand. Words such as `None` that mean a missing cell are kept where they are not the whole cell.
    fn parsed(&self, name: &str, kind: ColumnKind, cells: &Cells) -> Result<Values> {
        let mut texts = cells.iter().map(|cell| if MISSING_WORDS.contains(&cell) && cells.misses(cell) { "" } else { cell });
        kind.parse(&mut texts).map_err(|misfit| self.cell(misfit.row, name, &misfit.found, &misfit.expected))
    }

    /// Says how numbers are written where they are not plain, and where there is a doubt.
    pub(super) fn tell_writing(&mut self, name: &str, cells: &Cells, writing: &Writing, declared: Option<&ColumnType>) {
        let doubtful = matches!(writing, Writing::Date(DateOrder::DayFirst | DateOrder::MonthFirst))
            && dates::order(cells).is_some_and(|(_, doubt)| doubt);
        if doubtful && matches!(declared, None | Some(ColumnType::Date | ColumnType::Days | ColumnType::Of(ColumnKind::Number))) {
            let (taken, other) = if *writing == Writing::Date(DateOrder::DayFirst) {
                ("day", "date-mdy reads month first")
            } else {
                ("month", "date-dmy reads day first")
            };
            let says = format!(
                "{{holds}} dates in which day and month could change places, since none is above 12: read {taken} first, as days since 1970-01-01"
            );
            self.facts.push(Fact::of_column(Topic::Dates, name, says).undone_by(other));
        } else if declared.is_none() {
            if !self.tell_points(name, cells, writing) {
                self.facts.extend(writing.fact(name));
            }
            if let Writing::Marked(marks) = writing
                && marks::some_lack_sign(marks, cells)
            {
                let says = format!("{{has}} amounts without a sign beside others: taken as {} too", marks.unit_in_words());
                self.facts.push(Fact::of_column(Topic::Numbers, name, says));
            }
            if *writing == Writing::Point
                && let Some((row, found)) = doubts::no_day(cells)
            {
                let says =
                    format!("{{looks}} like dates written as 20221122, but '{found}' in row {} is no day: read as plain numbers", row + 1);
                self.facts.push(Fact::of_column(Topic::Dates, name, says));
            } else if *writing == Writing::Point && doubts::are_codes(cells) {
                let says = "{holds} numbers with leading zeros, as codes have them: read as numbers";
                self.facts.push(Fact::of_column(Topic::Labels, name, says).undone_by("category reads labels"));
            }
        }
    }

    /// Says what points were taken for where their three digits leave a doubt, and whether there is one.
    fn tell_points(&mut self, name: &str, cells: &Cells, writing: &Writing) -> bool {
        let plain = |marks: &Marks| marks.unit == Unit::None && marks.thousands == Thousands::Point;
        let says = match writing {
            Writing::Marked(marks) if plain(marks) && cells.decimal_comma.is_none() && Writing::Point.fits(cells) => {
                "{has} points that part thousands, since three digits stand behind each and no point in smaller numbers; \
                 --decimal . reads decimal points"
            }
            Writing::Point if marks::points_are_doubtful(cells) => {
                "{has} points that could part thousands, since three digits stand behind each: read as decimal points; \
                 --decimal , reads thousands"
            }
            _ => return false,
        };
        self.facts.push(Fact::of_column(Topic::Numbers, name, says));
        true
    }

    /// Says which words for a missing cell are kept as labels, since only among numbers it is safe to take them so, and which
    /// labels may be one.
    pub(super) fn tell_labels(&mut self, name: &str, cells: &Cells, topic: Topic) {
        let mut labels: Vec<&str> = cells.iter().filter(|cell| !cells.misses(cell)).collect();
        labels.sort_unstable();
        labels.dedup();
        let sign = labels.iter().find(|cell| missing_among_numbers(cell)).filter(|_| labels.len() > 2);
        // What the user keeps, or the format tells from a missing cell, is no doubt.
        let word = labels.iter().find(|cell| is_missing(cell)).filter(|_| !cells.strings);
        if let Some(marker) = sign.or(word) {
            let says = format!("{{has}} the label '{marker}', which is kept as a label; --na={marker} takes such cells as empty");
            self.facts.push(Fact::of_column(topic, name, says));
        }
        let mut seen: HashMap<String, &str> = HashMap::new();
        let twins = labels.iter().find_map(|label| seen.insert(look(label), label).map(|twin| (twin, *label)));
        if let Some((one, other)) = twins {
            let says = format!(
                "{{has}} the labels '{}' and '{}', which differ in {} alone and are two labels here; if they are one, write them alike",
                shortened(one),
                shortened(other),
                difference(one, other)
            );
            self.facts.push(Fact::of_column(if topic == Topic::Missing { Topic::Labels } else { topic }, name, says));
        }
    }

    /// Says that labels have an order, and what would read it.
    pub(super) fn tell_order(&mut self, name: &str, cells: &Cells, topic: Topic) {
        if let Some(steps) = orders::worth_a_word(cells) {
            let noun = if topic == Topic::Target { "classes" } else { "labels" };
            let says = format!("{{has}} labels in an order ({}): read as {noun} without one", steps.join(" < "));
            let undo = format!("ordinal reads the numbers 0 to {}", steps.len() - 1);
            self.facts.push(Fact::of_column(topic, name, says).undone_by(&undo));
        }
    }

    /// The columns of a training schema, in its order; other columns are ignored. Labels that training did not
    /// have are coded [`UNSEEN`] and said in a notice. Where the cells leave open how they are written, they are read as in
    /// training; declared types say how they are written here.
    ///
    /// # Errors
    /// A column that is missing, a cell that does not fit its column, by row and column, and a declared type that is another
    /// than in training.
    pub fn dataset_like(&mut self, schema: &Schema, options: &ReadOptions) -> Result<Dataset> {
        self.count_features_like(schema);
        self.widen_like(schema)?;
        for (name, _) in &options.types {
            // The target may be declared, and need not be there.
            if !self.has_column(name) {
                self.facts.push(Fact::of_table(format!("{}: there is no column '{name}'; what --types says of it is not used", self.file)));
            }
        }
        let mut columns = Vec::new();
        for wanted in &schema.columns {
            let name = &wanted.name;
            let declared = options.declared(name);
            if let Some(declared) = declared.as_ref().filter(|declared| !agrees(declared, &wanted.holds)) {
                return Err(Error::Setting {
                    name: "--types".into(),
                    why: format!(
                        "'{name}' is declared {}, and the model was fitted on a column that is {} there; leave it out of --types",
                        declared.name(),
                        wanted.holds.kind()
                    ),
                });
            }
            self.empty_as_trained(name, &wanted.written.missing)?;
            self.require_trained(name)?;
            let raw = self.take(name)?;
            let values = match (&wanted.holds, raw) {
                (holds, Raw::Lists(lists)) => {
                    let values = self.listed(name, lists, Some(holds.kind()))?;
                    self.agreed(name, holds, &values)?
                }
                (Holds::Points(dim), raw) => self.vectors_like(name, *dim, &wanted.written.features, raw)?,
                (Holds::Number(()), Raw::Numbers(v)) => self.finite(name, v)?,
                (Holds::Number(()), raw) => {
                    let cells = raw.into_cells(name)?;
                    let trained = &wanted.written.numbers;
                    let writing = match &declared {
                        Some(declared) => self.declared_writing(name, declared, &cells)?,
                        None => Writing::like(trained, &cells).unwrap_or_else(|| trained.clone()),
                    };
                    if writing != *trained {
                        self.facts.extend(writing.fact(name).map(Fact::settled));
                    }
                    Values::Numbers(numbers(&self.file, name, &cells, &writing)?)
                }
                (Holds::Category(names), raw) => {
                    let cells = raw.into_cells(name)?;
                    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
                    let labels: Vec<&str> =
                        cells.iter().map(|cell| if known.contains(cell) { cell } else { label(&cells, cell) }).collect();
                    let coded = Categories::with_names(&labels, names.clone());
                    self.tell_unseen(name, &labels, &coded);
                    Values::Categories(coded)
                }
                (holds, Raw::Ready(values)) => self.agreed(name, holds, &values)?,
                (Holds::Similarities(_), _) => {
                    return Err(
                        self.fault(format!("the model takes kernel values for column '{name}'; give their file: --gram {name}=FILE"))
                    );
                }
                (holds, raw) => self.agreed(name, holds, &self.parsed(name, holds.kind(), &raw.into_cells(name)?)?)?,
            };
            if let Values::Sequences(strings) = &values {
                self.facts.extend(sequences::letters(name, strings).into_iter().map(|fact| fact.about(Topic::New)));
            }
            columns.push(Column { name: name.clone(), values });
        }
        let data = Dataset::with_rows(self.rows, columns)?;
        Ok(schema.columns.iter().fold(data, |data, column| data.remember(&column.name, column.written.clone())))
    }

    /// Refuses a table without a column that a model was fitted on.
    pub(super) fn require_trained(&self, name: &str) -> Result<()> {
        if self.header.iter().any(|other| other == name) {
            return Ok(());
        }
        let near = nearest(name, &self.header).map(|n| format!(" (did you mean '{n}'?)")).unwrap_or_default();
        Err(self
            .fault(format!("the column '{name}' that the model was fitted on is missing; the table has: {}{near}", self.header.join(", "))))
    }

    /// Cells as those of training; faults name this file.
    fn agreed(&self, name: &str, holds: &Holds, values: &Values) -> Result<Values> {
        holds.agree(name, values).map_err(|error| match error {
            Error::Data(why) => self.fault(why),
            other => other,
        })
    }

    /// How the numbers of a column are written that is declared to hold numbers, dates, flags or steps of an order.
    ///
    /// # Errors
    /// Numbers that can be read in two ways, a cell among numbers that is none, and labels whose order nobody gives.
    pub(super) fn declared_writing(&self, name: &str, declared: &ColumnType, cells: &Cells) -> Result<Writing> {
        Ok(match declared {
            ColumnType::Date | ColumnType::DateDmy | ColumnType::DateMdy | ColumnType::Days => {
                let own = declared.order().or_else(|| dates::order(cells).map(|(order, _)| order));
                Writing::Date(own.unwrap_or_else(|| dates::nearest_order(cells)))
            }
            ColumnType::Flag => Writing::Flag,
            ColumnType::Ordinal(steps) if steps.is_empty() => Writing::Ordinal(orders::recognised(cells).ok_or_else(|| {
                let fix = declared_type(name, "ordinal(LEAST<NEXT<..)");
                self.fault(format!("column '{name}' is declared ordinal, and its labels have no order that is known; give it: {fix}"))
            })?),
            ColumnType::Ordinal(steps) => Writing::Ordinal(steps.clone()),
            _ => match Writing::of(cells).filter(|writing| *writing != Writing::Date(DateOrder::Compact)) {
                Some(writing) => writing,
                None => self.most_of(name, cells)?,
            },
        })
    }

    /// The notation of most cells of a column that is declared to hold numbers.
    fn most_of(&self, name: &str, cells: &Cells) -> Result<Writing> {
        let Some(most) = Mostly::of(cells).filter(|most| 2 * most.numbers > most.present) else { return Ok(Writing::Point) };
        if let Some((row, found)) = most.odd {
            let expected = format!("{}; {} if that stands for a missing cell", most.expected(), marking(found));
            return Err(self.cell(row, name, found, &expected));
        }
        match cells.iter().enumerate().find(|(_, cell)| cell.contains(',')).filter(|_| most.open) {
            Some((row, found)) => Err(self.cell(row, name, found, infer::EITHER)),
            None => Ok(most.writing),
        }
    }

    /// Numbers of which none is missing.
    ///
    /// # Errors
    /// The first cell that is no finite number, with why there is one in each row.
    pub(super) fn complete_numbers(&self, column: &str, cells: &Cells, why: &str) -> Result<Vec<f64>> {
        let writing = Writing::of(cells).unwrap_or_default();
        let number = |(row, text): (usize, &str)| match writing.cell(text) {
            Cell::Number(x) => Ok(x),
            _ => Err(self.cell(row, column, text, &format!("a finite number; {why}"))),
        };
        cells.iter().enumerate().map(number).collect()
    }

    /// A table without index 0 may still count its features from 0, if training did.
    fn count_features_like(&mut self, schema: &Schema) {
        let wanted = |name: &str| schema.columns.iter().any(|c| c.name == name);
        if !wanted(libsvm::FROM_0) || wanted(libsvm::FROM_1) {
            return;
        }
        for (name, raw) in &mut self.columns {
            if name == libsvm::FROM_1 && matches!(raw, Raw::Indexed(_)) {
                libsvm::FROM_0.clone_into(name);
                self.header.iter_mut().filter(|n| *n == libsvm::FROM_1).for_each(|n| libsvm::FROM_0.clone_into(n));
            }
        }
    }

    fn vectors_like(&mut self, name: &str, dim: usize, features: &[u64], raw: Raw) -> Result<Values> {
        match raw {
            Raw::Points(p) => Ok(Values::Points(p)),
            Raw::Indexed(x) => {
                let (points, cut) = x.points_like(u64::from(name != libsvm::FROM_0), dim, features)?;
                if cut > 0 {
                    let rows = if cut == 1 { "1 row has".into() } else { format!("{cut} rows have") };
                    let said = format!("column '{name}': {rows} features beyond the {dim} of training; they are ignored");
                    self.facts.push(Fact::of_table(said).about(Topic::New));
                }
                Ok(Values::Points(points))
            }
            Raw::Cells(cells) => Holds::Points(dim).agree(name, &self.parsed(name, ColumnKind::Points, &cells)?),
            Raw::Numbers(_) | Raw::Lists(_) | Raw::Ready(_) => Err(Error::WrongKind {
                kernel: "the fitted model".into(),
                column: name.to_owned(),
                needs: format!("vectors of {dim} numbers"),
                found: "one cell a row".into(),
                fix: "give this column as it was in training".into(),
            }),
        }
    }

    /// Numbers of a format that has them, none of them infinite.
    fn finite(&self, name: &str, v: Vec<f64>) -> Result<Values> {
        match v.iter().position(|x| x.is_infinite()) {
            Some(row) => Err(self.cell(row, name, &v[row].to_string(), &Writing::Point.expected())),
            None => Ok(Values::Numbers(v)),
        }
    }

    fn tell_unseen(&mut self, name: &str, labels: &[&str], coded: &Categories) {
        let unseen: Vec<usize> = (0..labels.len()).filter(|&i| coded.codes[i] == UNSEEN).collect();
        if let Some(&first) = unseen.first() {
            let rows = if unseen.len() == 1 { "1 row holds a label".into() } else { format!("{} rows hold labels", unseen.len()) };
            let first = format!("'{}' in row {}", shortened(labels[first]), first + 1);
            let said = format!("column '{name}': {rows} that training did not have (first {first}); treated as unlike every known label");
            self.facts.push(Fact::of_table(said).about(Topic::New));
        }
    }
}

/// Whether a column that is declared so can be one that training had.
fn agrees(declared: &ColumnType, holds: &Holds) -> bool {
    match (declared.kind(), holds) {
        (Some(kind), holds) if kind == holds.kind() => true,
        (Some(kind), Holds::Text(()) | Holds::Sequence(())) => matches!(kind, ColumnKind::Text | ColumnKind::Sequence),
        _ => false,
    }
}

/// Finite numbers, NaN for missing cells.
pub(super) fn numbers(file: &str, column: &str, cells: &Cells, writing: &Writing) -> Result<Vec<f64>> {
    let number = |(row, text): (usize, &str)| match writing.cell(text) {
        Cell::Number(x) => Ok(x),
        Cell::Missing => Ok(f64::NAN),
        Cell::Infinite | Cell::Word => Err(Error::Cell {
            file: file.to_owned(),
            row: row + 1,
            column: column.to_owned(),
            found: shortened(text),
            expected: format!("{}; {} takes such cells as missing", writing.expected(), marking(text)),
        }),
    };
    cells.iter().enumerate().map(number).collect()
}

fn label<'a>(cells: &Cells, cell: &'a str) -> &'a str {
    if cells.misses(cell) { MISSING } else { cell }
}

fn is_missing(cell: &str) -> bool {
    Cell::of(cell) == Cell::Missing
}

/// Labels, the names in the order of [`by_number_then_text`].
pub(super) fn categories(cells: &Cells) -> Categories {
    let labels: Vec<&str> = cells.iter().map(|cell| label(cells, cell)).collect();
    let mut names: Vec<String> = labels.iter().collect::<HashSet<_>>().into_iter().map(|s| s.to_string()).collect();
    names.sort_by(|a, b| by_number_then_text(a, b));
    Categories::with_names(&labels, names)
}

/// Numbers by size and before words; words by their text.
pub(super) fn by_number_then_text(a: &str, b: &str) -> Ordering {
    match (Cell::of(a), Cell::of(b)) {
        (Cell::Number(x), Cell::Number(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Cell::Number(_), _) => Ordering::Less,
        (_, Cell::Number(_)) => Ordering::Greater,
        _ => a.cmp(b),
    }
}
