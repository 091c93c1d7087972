//! Numbers written for people: `3,5`, `1,234.50`, `1.234,50`, `12,34,567`, `$1,234`, `12.5 %`, `161.2 m2`, `(50.00)`, `34k`,
//! `3.12 ± 0.40`. One column has one unit and one way of writing; which one, all of its cells together decide.

use super::cells::{Cell, Cells, Decimals, missing_among_numbers};
use crate::data::{Addition, Marks, Negative, Thousands, Unit};

/// Decimals behind a comma or not, and what parts thousands.
const WAYS: [(bool, Thousands); 9] = [
    (false, Thousands::None),
    (true, Thousands::None),
    (false, Thousands::Comma),
    (true, Thousands::Point),
    (false, Thousands::Space),
    (true, Thousands::Space),
    (false, Thousands::Apostrophe),
    (true, Thousands::Apostrophe),
    (false, Thousands::Lakh),
];

/// Powers of 1000 behind a number.
const MAGNITUDES: [(&str, f64); 8] =
    [("k", 1e3), ("K", 1e3), ("Mio.", 1e6), ("Mio", 1e6), ("M", 1e6), ("Mrd.", 1e9), ("Mrd", 1e9), ("bn", 1e9)];

/// What all cells of a column say together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// One way of writing.
    One(Marks),
    /// `1,234` in every cell that has a comma: 1234 or 1.234.
    Either,
    /// No numbers.
    None,
}

/// The cells that are not missing among numbers.
pub(super) fn present(cells: &Cells) -> impl Iterator<Item = &str> {
    cells.iter().filter(|cell| Cell::of(cell) != Cell::Missing && !missing_among_numbers(cell))
}

/// What stands behind some cells, beside nothing.
fn additions(cells: &Cells) -> Vec<Addition> {
    let any = |found: fn(&str) -> bool| present(cells).any(found);
    let mut all = vec![Addition::None];
    all.extend(any(|cell| split_uncertainty(cell).is_some()).then_some(Addition::Uncertainty));
    all.extend(any(|cell| MAGNITUDES.iter().any(|(word, _)| cell.contains(word))).then_some(Addition::Magnitude));
    all
}

/// Every way in which a cell is a number; what has nothing behind it comes first.
fn ways_of(cell: &str, additions: &[Addition]) -> Vec<Marks> {
    const UNITS: [Unit; 8] = [Unit::None, Unit::Percent, Unit::Dollar, Unit::Euro, Unit::Pound, Unit::Yen, Unit::Rupee, Unit::Franc];
    const NEGATIVES: [Negative; 3] = [Negative::Before, Negative::Brackets, Negative::Behind];
    let parts = split_uncertainty(cell).map(|(number, spread)| [number.to_owned(), format!("0 {}", split_unit(spread).1)]);
    let others = std::iter::once(cell).chain(parts.iter().flatten().map(String::as_str)).filter_map(Unit::other);
    let units: Vec<Unit> = UNITS.into_iter().chain(others).collect();
    let mut ways = Vec::new();
    for &addition in additions {
        for unit in &units {
            for (decimal_comma, thousands) in WAYS {
                let of = |negative| Marks { decimal_comma, thousands, unit: unit.clone(), negative, addition };
                ways.extend(NEGATIVES.map(of).into_iter().filter(|marks| marks.number(cell).is_some()));
            }
        }
    }
    ways
}

/// A number and the uncertainty behind it, `3.12 ± 0.40` or `3.12(40)`.
fn split_uncertainty(cell: &str) -> Option<(&str, &str)> {
    // What stands between a number and its uncertainty.
    const PLUS_MINUS: [&str; 5] = ["±", "+/-", "+/\u{2212}", "+-", "\\pm"];
    let signed = PLUS_MINUS.iter().find_map(|sign| cell.split_once(sign));
    let concise = || cell.split_once('(').filter(|(number, spread)| number.ends_with(|c: char| c.is_ascii_digit()) && spread.contains(')'));
    signed.or_else(concise).map(|(number, spread)| (number.trim(), spread.trim()))
}

/// The number of an uncertainty, and the unit behind it.
fn split_unit(spread: &str) -> (&str, &str) {
    let at = spread.find(|c: char| !(c.is_ascii_digit() || ".,eE+-".contains(c))).unwrap_or(spread.len());
    (spread[..at].trim(), spread[at..].trim_start_matches(')').trim())
}

/// Every way in which each cell that is not missing is a number; none where no cell is one.
pub(super) fn fitting(cells: &Cells) -> Vec<Marks> {
    let Some(first) = present(cells).next() else { return Vec::new() };
    let mut ways = ways_of(first, &additions(cells));
    for cell in present(cells).skip(1) {
        ways.retain(|marks| marks.number(cell).is_some());
        if ways.is_empty() {
            break;
        }
    }
    ways
}

/// The rows, from 0, of the cells that are numbers in the way in which most are: a fault is then named by the first of the others.
pub(super) fn most(cells: &Cells) -> Vec<usize> {
    // Cells that are looked at to find ways of writing; a fault among more is named as plain numbers have it.
    const LOOKED_AT: usize = 50;
    let additions = additions(cells);
    let mut ways: Vec<Marks> = Vec::new();
    for cell in present(cells).take(LOOKED_AT) {
        for marks in ways_of(cell, &additions) {
            if !ways.contains(&marks) {
                ways.push(marks);
            }
        }
    }
    let is_present = |cell: &str| Cell::of(cell) != Cell::Missing && !missing_among_numbers(cell);
    let rows = |marks: &Marks| -> Vec<usize> {
        cells.iter().enumerate().filter(|(_, cell)| is_present(cell) && marks.number(cell).is_some()).map(|(row, _)| row).collect()
    };
    let mut best = Vec::new();
    for found in ways.iter().map(rows) {
        if found.len() > best.len() {
            best = found;
        }
    }
    best
}

/// The way in which the column is written.
pub(super) fn said(cells: &Cells) -> Said {
    let mut ways = fitting(cells);
    // (1) and 1- may be labels; beside other numbers they are below 0.
    ways.retain(|marks| {
        let plain = Marks { negative: Negative::Before, ..marks.clone() };
        marks.negative == Negative::Before || present(cells).any(|cell| plain.number(cell).is_some())
    });
    let has = |decimal_comma, thousands| ways.iter().find(|m| m.decimal_comma == decimal_comma && m.thousands == thousands).cloned();
    let wished = cells.decimal_comma.and_then(|comma| {
        let fits = ways.iter().filter(|m| m.decimal_comma == comma);
        // `1,234` where decimals stand behind points: thousands.
        fits.min_by_key(|m| m.thousands != Thousands::None).cloned()
    });
    if let Some(marks) = wished {
        return Said::One(marks);
    }
    let Some(first) = ways.first().cloned() else { return Said::None };
    let is_money = !matches!(first.unit, Unit::None | Unit::Percent | Unit::Other(_));
    let parts_by_comma = is_money || (matches!(first.unit, Unit::Other(_)) && !cells.commas_are_free);
    match (has(false, Thousands::None), has(true, Thousands::None)) {
        // Every point could part thousands: prices have two decimals or none.
        (Some(plain), None) => match has(true, Thousands::Point) {
            Some(parted) if is_money || points_part(cells) => Said::One(parted),
            _ => Said::One(plain),
        },
        (None, Some(comma)) => match has(false, Thousands::Comma) {
            None => Said::One(comma),
            Some(parted) if parts_by_comma => Said::One(parted),
            Some(_) if cells.commas_are_free => Said::One(comma),
            Some(_) => Said::Either,
        },
        (Some(plain), Some(_)) => Said::One(plain),
        (None, None) => Said::One(first),
    }
}

/// Whether points could part thousands in plain numbers: every number with a point has three digits behind it.
fn points_may_part(cells: &Cells) -> bool {
    let (unit, negative, addition) = (Unit::None, Negative::Before, Addition::None);
    let parted = Marks { decimal_comma: true, thousands: Thousands::Point, unit, negative, addition };
    cells.iter().any(|cell| cell.contains('.') && !missing_among_numbers(cell)) && present(cells).all(|cell| parted.number(cell).is_some())
}

/// Whether numbers below 1000 have no point beside others that have one.
fn smaller_have_none(cells: &Cells) -> bool {
    present(cells).any(|cell| !cell.contains('.') && cell.trim_start_matches(['-', '+', '\u{2212}']).len() <= 3)
}

/// Whether points separate thousands: where decimals follow commas, or where no column of a table that is not comma-separated
/// has decimal points, and numbers below 1000 have none.
pub(super) fn points_part(cells: &Cells) -> bool {
    match (cells.decimal_comma, cells.decimals) {
        (Some(comma), _) => comma && cells.iter().any(|cell| cell.contains('.')),
        (None, Decimals::Commas) => points_may_part(cells),
        (None, Decimals::Unknown) => cells.commas_are_free && points_may_part(cells) && smaller_have_none(cells),
        (None, Decimals::OfFormat | Decimals::Points) => false,
    }
}

/// Whether points are taken as decimal points and nothing but their three digits speaks against it.
pub(super) fn points_are_doubtful(cells: &Cells) -> bool {
    cells.decimal_comma.is_none()
        && cells.decimals == Decimals::Unknown
        && (cells.commas_are_free || smaller_have_none(cells))
        && points_may_part(cells)
}

/// Whether some amounts of money lack the sign that others have.
pub(super) fn some_lack_sign(marks: &Marks, cells: &Cells) -> bool {
    let bare = Marks { unit: Unit::None, ..marks.clone() };
    marks.unit.is_money() && present(cells).any(|cell| bare.number(cell).is_some())
}

/// What the columns of a table say together of their decimals.
pub(super) fn decimals<'a>(columns: impl Iterator<Item = &'a Cells>) -> Decimals {
    let mut sign = Decimals::Unknown;
    for cells in columns {
        let has = |mark: char| cells.iter().any(|cell| cell.contains(mark) && !missing_among_numbers(cell));
        if !has('.') && !has(',') {
            continue;
        }
        if present(cells).all(|cell| matches!(Cell::of(cell), Cell::Number(_))) {
            if !points_may_part(cells) {
                return Decimals::Points;
            }
        } else if let Said::One(marks) = said(cells)
            && has(if marks.decimal_comma { ',' } else { '.' })
        {
            if !marks.decimal_comma {
                return Decimals::Points;
            }
            sign = Decimals::Commas;
        }
    }
    sign
}

impl Marks {
    /// The number that a cell writes in this way.
    pub(super) fn number(&self, cell: &str) -> Option<f64> {
        match self.addition {
            Addition::None => self.scaled(cell, |body| (body, 1.0)),
            Addition::Magnitude => self.scaled(cell, |body| {
                let found = MAGNITUDES.iter().find_map(|(word, factor)| Some((body.strip_suffix(word)?.trim_end(), *factor)));
                found.filter(|(rest, _)| rest.ends_with(|c: char| c.is_ascii_digit())).unwrap_or((body, 1.0))
            }),
            Addition::Uncertainty => match split_uncertainty(cell.strip_prefix('(').unwrap_or(cell)) {
                Some((number, spread)) => self.certain(number, spread),
                None => self.scaled(cell, |body| (body, 1.0)),
            },
        }
    }

    /// The number before an uncertainty; a unit may stand behind each of them, or behind both together.
    fn certain(&self, number: &str, spread: &str) -> Option<f64> {
        let (spread, unit) = split_unit(spread);
        let bare = Marks { unit: Unit::None, addition: Addition::None, ..self.clone() };
        bare.scaled(spread, |body| (body, 1.0))?;
        self.scaled(number, |body| (body, 1.0)).or_else(|| self.scaled(&format!("{number} {unit}"), |body| (body, 1.0)))
    }

    /// The number of a cell, of which `factor` takes what scales it.
    fn scaled(&self, cell: &str, factor: impl Fn(&str) -> (&str, f64)) -> Option<f64> {
        let (negative, body) = self.unit.without(cell, self.negative)?;
        let (body, factor) = factor(body);
        let mark = if self.decimal_comma { ',' } else { '.' };
        let (whole, decimals) = match body.split_once(mark) {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (body, None),
        };
        let mut plain = String::with_capacity(body.len() + 1);
        if negative {
            plain.push('-');
        }
        if self.thousands == Thousands::None {
            // Behind a decimal comma, a point is none.
            if self.decimal_comma && whole.contains('.') {
                return None;
            }
            plain.push_str(whole);
        } else {
            self.thousands.parts(whole)?.for_each(|part| plain.push_str(part));
        }
        if let Some(decimals) = decimals {
            plain.push('.');
            plain.push_str(decimals);
        }
        let exponent = self.thousands == Thousands::None && self.unit == Unit::None;
        let written = |b: u8| b.is_ascii_digit() || b == b'.' || (exponent && b"eE+-".contains(&b));
        let sound = body.starts_with(|c: char| c.is_ascii_digit() || c == mark) && plain.bytes().skip(usize::from(negative)).all(written);
        plain.parse().ok().map(|x: f64| x * factor).filter(|x| sound && x.is_finite())
    }

    /// What the numbers are, by their unit.
    pub(super) fn unit_in_words(&self) -> String {
        match &self.unit {
            Unit::None => "numbers".to_owned(),
            Unit::Percent => "percentages".to_owned(),
            Unit::Other(unit) => format!("numbers in {unit}"),
            unit => format!("amounts in {}", unit.signs()[0]),
        }
    }

    /// The way in words.
    pub(super) fn words(&self) -> String {
        let mut words = self.unit_in_words();
        let mut with = Vec::new();
        if self.decimal_comma {
            with.push("decimal commas");
        }
        with.extend(match self.thousands {
            Thousands::None => None,
            Thousands::Comma => Some("commas between thousands"),
            Thousands::Point => Some("points between thousands"),
            Thousands::Space => Some("spaces between thousands"),
            Thousands::Apostrophe => Some("apostrophes between thousands"),
            Thousands::Lakh => Some("commas between thousands and lakhs"),
        });
        with.extend(match self.negative {
            Negative::Before => None,
            Negative::Brackets => Some("brackets around what is below 0"),
            Negative::Behind => Some("a minus behind what is below 0"),
        });
        with.extend(match self.addition {
            Addition::None => None,
            Addition::Magnitude => Some("k, M or bn for powers of 1000"),
            Addition::Uncertainty => Some("an uncertainty behind each"),
        });
        if !with.is_empty() {
            words.push_str(" with ");
            words.push_str(&with.join(" and "));
        }
        words
    }
}

impl Thousands {
    fn has(self, c: char) -> bool {
        match self {
            Thousands::None => false,
            Thousands::Comma | Thousands::Lakh => c == ',',
            Thousands::Point => c == '.',
            Thousands::Space => matches!(c, ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}'),
            Thousands::Apostrophe => matches!(c, '\'' | '\u{2019}'),
        }
    }

    /// The parts of a whole number: three digits each (two in lakhs and crores), no more than that in the first. A number without
    /// any mark has one part.
    fn parts(self, whole: &str) -> Option<impl Iterator<Item = &str>> {
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let mut parts = whole.rsplit(move |c| self.has(c));
        let last = parts.next().unwrap_or_default();
        let width = if self == Thousands::Lakh { 2 } else { 3 };
        let before: Vec<&str> = parts.collect();
        let sound = match before.split_last() {
            None => digits(last),
            Some((first, between)) => {
                (1..=width).contains(&first.len())
                    && !first.starts_with('0')
                    && digits(first)
                    && between.iter().all(|part| part.len() == width && digits(part))
                    && last.len() == 3
                    && digits(last)
            }
        };
        sound.then(|| whole.split(move |c| self.has(c)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(list: &[&str]) -> Cells {
        let mut cells = Cells::default();
        list.iter().for_each(|c| cells.push(c));
        cells
    }

    fn read(list: &[&str]) -> Option<Vec<f64>> {
        match said(&column(list)) {
            Said::One(marks) => list.iter().map(|c| marks.number(c)).collect(),
            Said::Either | Said::None => None,
        }
    }

    #[test]
    fn the_column_decides_what_points_and_commas_mean() {
        assert_eq!(read(&["1,234.50", "12"]), Some(vec![1234.5, 12.0]));
        assert_eq!(read(&["1.234,50", "12"]), Some(vec![1234.5, 12.0]));
        assert_eq!(read(&["1,234,567", "1,234"]), Some(vec![1_234_567.0, 1234.0]));
        assert_eq!(read(&["1.234.567", "1.234"]), Some(vec![1_234_567.0, 1234.0]));
        assert_eq!(read(&["1 234,5", "12 345 678"]), Some(vec![1234.5, 12_345_678.0]));
        assert_eq!(read(&["1\u{202F}234.5", "7"]), Some(vec![1234.5, 7.0]));
        assert_eq!(read(&["1'234.50", "7.25"]), Some(vec![1234.5, 7.25]));
        assert_eq!(read(&["3,5", "1,234"]), Some(vec![3.5, 1.234]));
        // Marked numbers beside others without marks.
        assert_eq!(read(&["14,030.00", "4460.00"]), Some(vec![14_030.0, 4460.0]));
    }

    #[test]
    fn what_may_be_either_is_said_to_be_either_unless_the_user_decides() {
        assert_eq!(said(&column(&["1,234", "12,345"])), Said::Either);
        let mut cells = column(&["1,234", "12,345"]);
        cells.decimal_comma = Some(true);
        let Said::One(marks) = said(&cells) else { panic!("undecided") };
        assert_eq!(marks.number("1,234"), Some(1.234));
        cells.decimal_comma = Some(false);
        let Said::One(marks) = said(&cells) else { panic!("undecided") };
        assert_eq!(marks.number("1,234"), Some(1234.0));
        let mut free = column(&["1,234", "12,345"]);
        free.commas_are_free = true;
        let Said::One(marks) = said(&free) else { panic!("undecided") };
        assert_eq!(marks.number("1,234"), Some(1.234));
    }

    #[test]
    fn units_stand_before_or_behind_and_are_one_in_a_column() {
        assert_eq!(read(&["$743.80", "$1,813.13", "-$42.00", "$-1"]), Some(vec![743.8, 1813.13, -42.0, -1.0]));
        assert_eq!(read(&["$1,234", "$950"]), Some(vec![1234.0, 950.0]));
        assert_eq!(read(&["1.234,50 €", "EUR 7,25"]), Some(vec![1234.5, 7.25]));
        assert_eq!(read(&["99.9%", "24 %", "-3%"]), Some(vec![99.9, 24.0, -3.0]));
        assert_eq!(read(&["US$ 5", "USD 6.5"]), Some(vec![5.0, 6.5]));
        assert_eq!(read(&["$5", "€6"]), None);
        assert_eq!(read(&["5%", "6"]), None);
        assert_eq!(read(&["%5"]), None);
    }

    #[test]
    fn one_unit_in_every_row_makes_numbers() {
        assert_eq!(read(&["161.2 m2", "23 m2", "-4.5m2"]), Some(vec![161.2, 23.0, -4.5]));
        assert_eq!(read(&["5 ft", "6.5 ft"]), Some(vec![5.0, 6.5]));
        assert_eq!(read(&["1 year", "10 years"]), Some(vec![1.0, 10.0]));
        assert_eq!(read(&["1,234 kg", "950 kg"]), Some(vec![1234.0, 950.0]));
        assert_eq!(read(&["1.234,5 kg", "950 kg"]), Some(vec![1234.5, 950.0]));
        assert_eq!(read(&["R$ 5,50", "R$ 1.200,00"]), Some(vec![5.5, 1200.0]));
        assert_eq!(read(&["37.2 °C", "36 °C"]), Some(vec![37.2, 36.0]));
        for mixed in [["5 ft", "3 m"], ["5 ms", "6 m"], ["5 ft 3 in", "6 ft 1 in"], ["A5", "A6"], ["5 ft", "6"], ["<5 ft", "6 ft"]] {
            assert_eq!(said(&column(&mixed)), Said::None, "{mixed:?}");
        }
    }

    #[test]
    fn powers_of_1000_stand_behind_some_numbers_and_uncertainties_behind_all() {
        assert_eq!(read(&["34k", "89,467", "139079", "1.2M"]), Some(vec![34e3, 89_467.0, 139_079.0, 1.2e6]));
        assert_eq!(read(&["$34k", "$1.5bn", "$7"]), Some(vec![34e3, 1.5e9, 7.0]));
        // A letter behind every number is its unit.
        assert_eq!(read(&["34k", "49k"]), Some(vec![34.0, 49.0]));
        assert_eq!(read(&["34k", "x", "1"]), None);
        assert_eq!(read(&["3.12 ± 0.40", "-0.25±0.5", "7"]), Some(vec![3.12, -0.25, 7.0]));
        assert_eq!(read(&["3,12 +/- 0,40 K", "(1,5 ± 0,2) K"]), Some(vec![3.12, 1.5]));
        assert_eq!(read(&["12.5% ± 0.5%", "3 % +- 1 %"]), Some(vec![12.5, 3.0]));
        // The last digits' uncertainty, as metrology writes it (JCGM 100, 7.2.2).
        assert_eq!(read(&["3.12(40)", "-0.251(3)"]), Some(vec![3.12, -0.251]));
        assert_eq!(read(&["3.12(40) K", "1.5(2) K"]), Some(vec![3.12, 1.5]));
        assert_eq!(read(&["3.12 ± a", "1 ± 2"]), None);
    }

    #[test]
    fn amounts_below_0_stand_in_brackets_or_before_a_minus_beside_others() {
        assert_eq!(read(&["(5.00)", "10.00", "(1,234.50)"]), Some(vec![-5.0, 10.0, -1234.5]));
        assert_eq!(read(&["5.00-", "10.00"]), Some(vec![-5.0, 10.0]));
        assert_eq!(read(&["($5.00)", "$10.00", "$(7)"]), Some(vec![-5.0, 10.0, -7.0]));
        assert_eq!(read(&["(5,00 €)", "10,00 €", "5,00- €"]), None);
        assert_eq!(read(&["5,00- €", "10,00 €"]), Some(vec![-5.0, 10.0]));
        assert_eq!(read(&["(3 kg)", "4 kg"]), Some(vec![-3.0, 4.0]));
        assert_eq!(read(&["(1)", "(2)"]), None);
        assert_eq!(read(&["1-", "2-"]), None);
        assert_eq!(read(&["(-5)", "1"]), None);
    }

    #[test]
    fn lakhs_are_parted_by_two_digits_and_money_may_lack_its_sign() {
        assert_eq!(read(&["1,00,000", "12,34,567.50", "50,000", "999"]), Some(vec![100_000.0, 1_234_567.5, 50_000.0, 999.0]));
        assert_eq!(read(&["₹1,00,000", "Rs. 2,500"]), Some(vec![100_000.0, 2500.0]));
        assert_eq!(read(&["$199.68", "20.27", "-$3"]), Some(vec![199.68, 20.27, -3.0]));
        assert_eq!(read(&["1,00,00", "5"]), None);
    }

    #[test]
    fn points_part_thousands_where_smaller_numbers_have_none_and_no_column_has_decimals() {
        let mut cells = column(&["3.095", "987", "12.345"]);
        cells.commas_are_free = true;
        assert!(!points_part(&cells), "a format without marks for people");
        cells.decimals = Decimals::Unknown;
        assert!(points_part(&cells));
        cells.decimals = Decimals::Points;
        assert!(!points_part(&cells) && !points_are_doubtful(&cells));
        let mut all = column(&["3.095", "12.345"]);
        (all.commas_are_free, all.decimals) = (true, Decimals::Unknown);
        assert!(!points_part(&all) && points_are_doubtful(&all));
        all.decimals = Decimals::Commas;
        assert!(points_part(&all));
        for list in [["0.095", "987"], ["3.09", "987"], ["3.095", "1987"]] {
            let mut cells = column(&list);
            (cells.commas_are_free, cells.decimals) = (true, Decimals::Unknown);
            assert!(!points_part(&cells), "{list:?}");
        }
        let decimals = |lists: &[&[&str]]| decimals(lists.iter().map(|list| column(list)).collect::<Vec<_>>().iter());
        assert_eq!(decimals(&[&["3.095", "987"], &["a", "b"]]), Decimals::Unknown);
        assert_eq!(decimals(&[&["3.095", "987"], &["1,5", "2"]]), Decimals::Commas);
        assert_eq!(decimals(&[&["1,5", "2"], &["1.5", "2"]]), Decimals::Points);
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for cell in ["1,2,3", "12,34.5", "1.23,4.5", "0,123,456", "1,,234", "$", "%", "--5", "$-", "1e5%", "1234,567.0", ",", "a1", "1-2"] {
            assert_eq!(read(&[cell]), None, "{cell}");
        }
        assert_eq!(read(&["1,5e3"]), Some(vec![1500.0]));
        assert_eq!(read(&[",5", "\u{2212}1,25"]), Some(vec![0.5, -1.25]));
    }
}
