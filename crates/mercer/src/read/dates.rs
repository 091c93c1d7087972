//! Dates as days since 1970-01-01 (UTC): ISO 8601, `22.11.2022`, `11/22/2022`, `20221122`, `3 Mar 2021`, `March 3, 2021`, each
//! with a time of day or not; months, quarters and weeks by their first day (see `periods`).
//! One column has one order of day and month; which one, all of its cells together decide. What is one day in any order stands
//! beside every order.

use super::cells::{Cell, Cells, missing_among_numbers};
use super::periods;
use crate::data::DateOrder;

/// Years of dates that are written as one number: other numbers of eight digits are no dates.
pub(super) const COMPACT_YEARS: std::ops::RangeInclusive<i64> = 1900..=2099;

const ORDERS: [DateOrder; 5] = [DateOrder::YearFirst, DateOrder::DayFirst, DateOrder::MonthFirst, DateOrder::Compact, DateOrder::Either];

/// The orders in which every cell that is not missing is a date; none where there is no such cell.
pub(super) fn fitting(cells: &Cells) -> Vec<DateOrder> {
    let mut orders = ORDERS.to_vec();
    let mut any = false;
    for cell in present(cells) {
        any = true;
        orders.retain(|&order| days(cell, order).is_some());
        if orders.is_empty() {
            break;
        }
    }
    if any && !periods::are_seasons(present(cells)) { orders } else { Vec::new() }
}

fn present(cells: &Cells) -> impl Iterator<Item = &str> {
    cells.iter().filter(|cell| Cell::of(cell) != Cell::Missing && !missing_among_numbers(cell))
}

/// A cell whose day stands first and one whose month does, with their rows from 0, in a column of dates that no order fits: a day
/// that could be either cannot be read there.
pub(super) fn two_orders(cells: &Cells) -> Option<[(usize, &str); 2]> {
    let reads = |cell: &str, order: DateOrder| days(cell, order).is_some();
    if !present(cells).all(|cell| reads(cell, DateOrder::DayFirst) || reads(cell, DateOrder::MonthFirst)) {
        return None;
    }
    let only = |order: DateOrder, other: DateOrder| cells.iter().enumerate().find(|(_, cell)| reads(cell, order) && !reads(cell, other));
    Some([only(DateOrder::DayFirst, DateOrder::MonthFirst)?, only(DateOrder::MonthFirst, DateOrder::DayFirst)?])
}

/// The order to read a column in, and whether another would do as well and mean other days.
pub(super) fn order(cells: &Cells) -> Option<(DateOrder, bool)> {
    let orders = fitting(cells);
    let open = orders.contains(&DateOrder::DayFirst) && orders.contains(&DateOrder::MonthFirst) && !orders.contains(&DateOrder::YearFirst);
    if !open {
        return orders.first().map(|&order| (order, false));
    }
    let differs = cells.iter().any(|cell| days(cell, DateOrder::DayFirst) != days(cell, DateOrder::MonthFirst));
    // Between slashes the month comes first in the United States alone, but most tables with slashes come from there;
    // pandas.to_datetime takes it so, too.
    let slashes = cells.iter().any(|cell| cell.contains('/'));
    Some((if slashes { DateOrder::MonthFirst } else { DateOrder::DayFirst }, differs))
}

/// The order in which most cells are dates: a fault is then named by the first cell that is none.
pub(super) fn nearest_order(cells: &Cells) -> DateOrder {
    let count = |order: DateOrder| cells.iter().filter(|cell| days(cell, order).is_some()).count();
    ORDERS.into_iter().rev().filter(|order| *order != DateOrder::Either).max_by_key(|&order| count(order)).unwrap_or(DateOrder::YearFirst)
}

impl DateOrder {
    /// A date in this order.
    pub(super) fn example(self) -> &'static str {
        match self {
            DateOrder::YearFirst => "2024-03-01 or 2024-03-01T12:30:00Z",
            DateOrder::DayFirst => "22.11.2022 or 22/11/2022 12:30",
            DateOrder::MonthFirst => "11/22/2022 or 11/22/2022 12:30",
            DateOrder::Either => "22/11/2022 or 11/22/2022, whose day cannot be a month",
            DateOrder::Compact => "20221122",
        }
    }
}

/// Days since 1970-01-01 of a date, with a time after `T` or a space, if any.
pub(super) fn days(text: &str, order: DateOrder) -> Option<f64> {
    let text = without_weekday(text);
    match order {
        DateOrder::Compact => days_in(text, order).or_else(|| periods::compact(text).map(first_of_month)),
        DateOrder::YearFirst => days_in(text, order).or_else(|| year_behind(text)).or_else(|| periods::first_day(text)),
        DateOrder::DayFirst | DateOrder::MonthFirst => days_in(text, order).or_else(|| days(text, DateOrder::YearFirst)),
        DateOrder::Either => match (days(text, DateOrder::DayFirst), days(text, DateOrder::MonthFirst)) {
            (Some(a), Some(b)) => (a == b).then_some(a),
            (a, b) => a.or(b),
        },
    }
}

/// The first day of a month of a year.
pub(super) fn first_of_month([year, month]: [i64; 2]) -> f64 {
    since_1970(year, month, 1) as f64
}

/// Characters of the longest date with a time.
const LONGEST: usize = 48;

/// The text without the name of a weekday before it, `Wed, 20 May 2015`.
fn without_weekday(text: &str) -> &str {
    // The names of the days of a week in English.
    const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let Some((word, rest)) = text.split_once(|c: char| !c.is_alphabetic()) else { return text };
    if !(3..=9).contains(&word.len()) {
        return text;
    }
    let word = word.to_ascii_lowercase();
    let is_named = |day: &&str| **day == *word || (word.len() == 3 && day.starts_with(&word));
    if WEEKDAYS.iter().any(is_named) { rest.trim_start_matches([',', ' ', '.']) } else { text }
}

/// `May 20 21:34:02 2015`, as C and git write it, with a zone before or behind the year or without.
fn year_behind(text: &str) -> Option<f64> {
    if text.len() > LONGEST {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    let (month, day, time, zone, year) = match words.as_slice() {
        [month, day, time, year] if is_year(year) => (month, day, time, "", year),
        [month, day, time, zone, year] if is_year(year) => (month, day, time, *zone, year),
        [month, day, time, year, zone] if is_year(year) => (month, day, time, *zone, year),
        _ => return None,
    };
    days_in(&format!("{month} {day} {year} {time} {zone}"), DateOrder::YearFirst).filter(|_| time.contains(':'))
}

fn days_in(text: &str, order: DateOrder) -> Option<f64> {
    let named = with_month(text);
    let (date, time) = match (named, text.split_once(['T', ' '])) {
        (Some((_, behind)), _) => ("", (!behind.is_empty()).then(|| behind.trim_start_matches(':'))),
        (None, Some((date, time))) => (date, Some(time.trim_start())),
        // 14 digits.
        (None, None) if order == DateOrder::Compact && text.len() == 14 && text.is_ascii() => (&text[..8], Some(&text[8..])),
        (None, None) => (text, None),
    };
    let [year, month, day] = match order {
        // The name of a month leaves no doubt of the order.
        DateOrder::YearFirst if named.is_some() => named?.0,
        _ if named.is_some() => return None,
        DateOrder::YearFirst => year_first(date)?,
        DateOrder::DayFirst => year_last(date).map(|[day, month, year]| [year, month, day])?,
        DateOrder::MonthFirst if date.contains('.') => return None,
        DateOrder::MonthFirst => year_last(date).map(|[month, day, year]| [year, month, day])?,
        DateOrder::Compact => compact(date)?,
        DateOrder::Either => return None,
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let seconds = match time {
        Some(time) => seconds(time)?,
        None => 0.0,
    };
    Some(since_1970(year, month, day) as f64 + seconds / 86_400.0)
}

/// `2022-11-22`, `2022/11/22`, `2022/1/2`
fn year_first(date: &str) -> Option<[i64; 3]> {
    if date.contains('-') {
        return numbers::<3>(date, '-', &[4..=4, 2..=2, 2..=2]);
    }
    numbers::<3>(date, if date.contains('/') { '/' } else { '.' }, &[4..=4, 1..=2, 1..=2])
}

/// `22.11.2022`, `11/22/2022`, `1/5/22`; years of two digits are those from 1969 to 2068 (POSIX, strptime).
fn year_last(date: &str) -> Option<[i64; 3]> {
    let by = date.chars().find(|c| !c.is_ascii_digit()).filter(|c| ['.', '/', '-'].contains(c))?;
    if let Some(parts) = numbers::<3>(date, by, &[1..=2, 1..=2, 4..=4]) {
        return Some(parts);
    }
    // 1.2.3 may be a version, 1-2-3 anything.
    let [first, second, year] = match by {
        '/' => numbers::<3>(date, by, &[1..=2, 1..=2, 2..=2])?,
        '.' => numbers::<3>(date, by, &[2..=2, 2..=2, 2..=2])?,
        _ => return None,
    };
    Some([first, second, if year >= 69 { 1900 + year } else { 2000 + year }])
}

/// The month of that name or its abbreviation to three letters (and `Sept`), in any case.
pub(super) fn month(word: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
    let word = word.to_ascii_lowercase();
    let is = |name: &&str| *name == word || (word.len() == 3 && name.starts_with(&word)) || (word == "sept" && **name == *"september");
    MONTHS.iter().position(is).map(|at| at as i64 + 1)
}

/// A date with the name of its month, `3 Mar 2021`, `3rd March 2021`, `March 3, 2021`, `03-Mar-21`: year, month and day, and what
/// is behind them.
fn with_month(text: &str) -> Option<([i64; 3], &str)> {
    let mut rest = text;
    let mut word = || {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let next = behind.trim_start_matches([' ', '-', '.', ',', '/']);
        // The sign of a time zone or a point belong to what follows.
        (behind.len() - next.len() <= 2).then(|| rest = next)?;
        Some(word)
    };
    let words = [word()?, word()?, word()?];
    let digits = |word: &str, lengths: std::ops::RangeInclusive<usize>| {
        (lengths.contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.parse::<i64>().ok())?
    };
    let day = |word: &str| digits(["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word), 1..=2);
    let year = |word: &str| digits(word, 4..=4);
    let short = |word: &str| digits(word, 2..=2).map(|year| if year >= 69 { 1900 + year } else { 2000 + year });
    let [a, b, c] = words;
    let found = match (month(a), month(b)) {
        (Some(month), _) => [year(c)?, month, day(b)?],
        (_, Some(month)) => match (day(a), year(a)) {
            (Some(day), _) => [year(c).or_else(|| short(c))?, month, day],
            (_, Some(year)) => [year, month, day(c)?],
            _ => return None,
        },
        _ => return None,
    };
    Some((found, rest))
}

/// `20221122`
fn compact(date: &str) -> Option<[i64; 3]> {
    let sound = date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit());
    let number = |part: &str| part.parse().ok();
    let parts = if sound { [number(&date[..4])?, number(&date[4..6])?, number(&date[6..])?] } else { return None };
    COMPACT_YEARS.contains(&parts[0]).then_some(parts)
}

/// Days from the civil calendar: years begin in March, so that the leap day is the last of its year.
/// Howard Hinnant, chrono-compatible low-level date algorithms (2014).
pub(super) fn since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Names of zones and their hours before UTC (RFC 822, and central Europe).
const ZONES: [(&str, i32); 13] = [
    ("UTC", 0),
    ("GMT", 0),
    ("UT", 0),
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
    ("CEST", 2),
    ("CET", 1),
];

/// Seconds of `HH:MM[:SS[.fraction]]`, with `AM` or `PM` behind it or not, with `Z`, the name of a zone, `+HH:MM`, `+HHMM` or `+HH` behind
/// that, taken to UTC; the name of a place in brackets may follow, `+02:00[Europe/Paris]`.
fn seconds(text: &str) -> Option<f64> {
    if text.len() > LONGEST {
        return None;
    }
    let text = text.strip_suffix(']').and_then(|text| text.split_once('[')).map_or(text, |(time, _)| time).trim_end();
    // CEST ends in EST: the name is the whole of the last word.
    let (time, word) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
    if let Some((_, hours)) = ZONES.iter().find(|(zone, _)| *zone == word) {
        // No other zone may stand before it.
        return seconds(time.trim_end()).filter(|_| !time.contains(['Z', '+', '-'])).map(|found| found - f64::from(*hours) * 3600.0);
    }
    let colons;
    let text = if !text.contains(':') && text.len() >= 4 && text.bytes().take(4).all(|b| b.is_ascii_digit()) {
        colons = with_colons(text);
        colons.as_str()
    } else {
        text
    };
    let (clock, offset) = match text.find(['Z', '+', '-']) {
        None => (text, 0),
        Some(at) if &text[at..] == "Z" => (&text[..at], 0),
        Some(at) => {
            let zone = &text[at + 1..];
            let [hours, minutes] = match zone.len() {
                2 => [numbers::<1>(zone, ':', &[2..=2])?[0], 0],
                4 if zone.is_ascii() => [numbers::<1>(&zone[..2], ':', &[2..=2])?[0], numbers::<1>(&zone[2..], ':', &[2..=2])?[0]],
                _ => numbers::<2>(zone, ':', &[2..=2, 2..=2])?,
            };
            let sign = if text[at..].starts_with('-') { -1 } else { 1 };
            (hours <= 23 && minutes <= 59).then_some((text[..at].trim_end(), sign * (hours * 3600 + minutes * 60)))?
        }
    };
    let upper = clock.to_ascii_uppercase();
    let (clock, half) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(clock), _) => (clock.trim_end(), Some(0)),
        (_, Some(clock)) => (clock.trim_end(), Some(12)),
        _ => (clock, None),
    };
    let (clock, fraction) = match clock.split_once(['.', ',']) {
        Some((clock, digits)) if !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit()) => {
            (clock, format!("0.{digits}").parse::<f64>().ok()?)
        }
        Some(_) => return None,
        None => (clock, 0.0),
    };
    let [hours, minutes, whole] = match numbers::<3>(clock, ':', &[1..=2, 2..=2, 2..=2]) {
        Some(parts) => parts,
        None if fraction == 0.0 => {
            let [hours, minutes] = numbers::<2>(clock, ':', &[1..=2, 2..=2])?;
            [hours, minutes, 0]
        }
        None => return None,
    };
    let hours = match half {
        None => hours,
        Some(half) => (1..=12).contains(&hours).then_some(hours % 12 + half)?,
    };
    (hours <= 23 && minutes <= 59 && whole <= 60).then_some((hours * 3600 + minutes * 60 + whole - offset) as f64 + fraction)
}

/// `213402Z` as `21:34:02Z`.
fn with_colons(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (clock, zone) = text.split_at(digits);
    let parts: Vec<&str> = (0..digits).step_by(2).map(|at| &clock[at..(at + 2).min(digits)]).collect();
    parts.join(":") + zone
}

/// Numbers of so many digits each, separated by a character.
pub(super) fn numbers<const N: usize>(text: &str, by: char, digits: &[std::ops::RangeInclusive<usize>; N]) -> Option<[i64; N]> {
    let mut out = [0; N];
    let mut parts = text.split(by);
    for (value, lengths) in out.iter_mut().zip(digits) {
        let part = parts.next().filter(|p| lengths.contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit()))?;
        *value = part.parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(list: &[&str]) -> Cells {
        let mut cells = Cells::default();
        list.iter().for_each(|c| cells.push(c));
        cells
    }

    #[test]
    fn dates_count_days_like_python() {
        // Python 3: (date - date(1970, 1, 1)).days, and datetime.timestamp() / 86400 with tzinfo UTC.
        for (text, order, expected) in [
            ("1970-01-01", DateOrder::YearFirst, 0.0),
            ("2000-02-29", DateOrder::YearFirst, 11_016.0),
            ("2024-03-01", DateOrder::YearFirst, 19_783.0),
            ("1900-03-01", DateOrder::YearFirst, -25_508.0),
            ("0001-01-01", DateOrder::YearFirst, -719_162.0),
            ("9999-12-31", DateOrder::YearFirst, 2_932_896.0),
            ("2024-03-01T12:00:00Z", DateOrder::YearFirst, 19_783.5),
            ("2024-03-01 06:00", DateOrder::YearFirst, 19_783.25),
            ("2024-03-01T00:00:00+06:00", DateOrder::YearFirst, 19_782.75),
            ("2024-03-01T00:00:00-0600", DateOrder::YearFirst, 19_783.25),
            ("2024-03-01T12:00:00.000Z", DateOrder::YearFirst, 19_783.5),
            ("2024/3/1", DateOrder::YearFirst, 19_783.0),
            ("2024-03-01 12:00:00 UTC", DateOrder::YearFirst, 19_783.5),
            ("2024-03-01 12:00:00.000000 UTC", DateOrder::YearFirst, 19_783.5),
            ("2024-03-01 12:00 GMT", DateOrder::YearFirst, 19_783.5),
            ("2024-03-01 12:00:00 CST", DateOrder::YearFirst, 19_783.75),
            ("2024-03-01 12:00:00 PM CEST", DateOrder::YearFirst, 19_783.5 - 2.0 / 24.0),
            ("2024-03-01 12:00:00 +0600", DateOrder::YearFirst, 19_783.25),
            ("2024-03-01T12:00:00+06:00[Asia/Dhaka]", DateOrder::YearFirst, 19_783.25),
            ("2024-03-01 12:00:00,000", DateOrder::YearFirst, 19_783.5),
            ("20240301T120000Z", DateOrder::Compact, 19_783.5),
            ("20240301120000", DateOrder::Compact, 19_783.5),
            ("Fri, 01 Mar 2024 12:00:00 +0000", DateOrder::YearFirst, 19_783.5),
            ("Friday, March 1, 2024", DateOrder::YearFirst, 19_783.0),
            ("Fri Mar  1 12:00:00 2024", DateOrder::YearFirst, 19_783.5),
            ("Fri Mar 01 06:00:00 -0600 2024", DateOrder::YearFirst, 19_783.5),
            ("Fri Mar 1 12:00:00 2024 +0600", DateOrder::YearFirst, 19_783.25),
            ("01/Mar/2024:12:00:00 +0000", DateOrder::YearFirst, 19_783.5),
            ("01/03/2024 12:00 UTC", DateOrder::DayFirst, 19_783.5),
            ("01.03.2024", DateOrder::DayFirst, 19_783.0),
            ("1.3.2024 18:00", DateOrder::DayFirst, 19_783.75),
            ("1/3/24", DateOrder::DayFirst, 19_783.0),
            ("01.01.70", DateOrder::DayFirst, 0.0),
            ("03/01/2024", DateOrder::MonthFirst, 19_783.0),
            ("3/1/2024 6:00 PM", DateOrder::MonthFirst, 19_783.75),
            ("3/1/2024 12:00 AM", DateOrder::MonthFirst, 19_783.0),
            ("03-01-2024", DateOrder::MonthFirst, 19_783.0),
            ("20240301", DateOrder::Compact, 19_783.0),
            ("1 Mar 2024", DateOrder::DayFirst, 19_783.0),
            ("1 Mar 2024", DateOrder::MonthFirst, 19_783.0),
            ("2024-03-01", DateOrder::DayFirst, 19_783.0),
            ("13/01/2016", DateOrder::Either, 16_813.0),
            ("01/13/2016", DateOrder::Either, 16_813.0),
            ("1st march 2024 12:00", DateOrder::DayFirst, 19_783.5),
            ("01-Mar-24", DateOrder::DayFirst, 19_783.0),
            ("1. March 2024", DateOrder::DayFirst, 19_783.0),
            ("March 1, 2024", DateOrder::MonthFirst, 19_783.0),
            ("Mar 1 2024 6:00 PM", DateOrder::MonthFirst, 19_783.75),
            ("2024-Mar-01", DateOrder::YearFirst, 19_783.0),
            ("3 Sept 1970", DateOrder::DayFirst, 245.0),
        ] {
            assert_eq!(days(text, order), Some(expected), "{text}");
        }
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-1-1",
            "24-01-01",
            "2024-01-01T25:00",
            "2024-01-01T10",
            "2024-01-01x",
            "2024-01-01T",
            "31.04.2024",
            "1.2.3",
            "1/2/3",
            "1-2-3",
            "1/2",
            "18991231",
            "20230229",
            "3/1/2024 13:00 PM",
            "3/1/2024 0:30 AM",
            "31 Apr 2024",
            "1 Mar",
            "1 Mars 2024",
            "Mar 1, 24",
            "may 3 or 4",
        ] {
            assert_eq!(fitting(&column(&[text])), [], "{text}");
        }
    }

    #[test]
    fn the_column_decides_between_day_first_and_month_first() {
        assert_eq!(order(&column(&["01/02/2016", "12/31/2016"])), Some((DateOrder::MonthFirst, false)));
        assert_eq!(order(&column(&["01/02/2016", "31/12/2016"])), Some((DateOrder::DayFirst, false)));
        assert_eq!(order(&column(&["01/02/2016", "03/04/2016"])), Some((DateOrder::MonthFirst, true)));
        assert_eq!(order(&column(&["01-02-2016", "03-04-2016"])), Some((DateOrder::DayFirst, true)));
        // Points stand in no month-first date; one and the same day is no doubt.
        assert_eq!(order(&column(&["01.02.2016"])), Some((DateOrder::DayFirst, false)));
        assert_eq!(order(&column(&["01/01/2016", "02/02/2016"])), Some((DateOrder::MonthFirst, false)));
        // Days that are one in any order stand beside each other; one that could be two cannot.
        assert_eq!(order(&column(&["13/01/2016", "01/13/2016", "02/02/2016"])), Some((DateOrder::Either, false)));
        let two = column(&["13/01/2016", "01/13/2016", "02/03/2016"]);
        assert_eq!((order(&two), two_orders(&two)), (None, Some([(0, "13/01/2016"), (1, "01/13/2016")])));
        assert_eq!(order(&column(&["3 Mar 2021", "May 4, 2021", "2021-05-05"])), Some((DateOrder::YearFirst, false)));
        assert_eq!(order(&column(&["2021-01-10", "28/05/2022"])), Some((DateOrder::DayFirst, false)));
        assert_eq!(order(&column(&["2021-01-10", "05/04/2022"])), Some((DateOrder::MonthFirst, true)));
        assert_eq!(order(&column(&["3 Mar 2021", "04.05.2021"])), Some((DateOrder::DayFirst, false)));
        assert_eq!(nearest_order(&column(&["13/01/2016", "14/01/2016", "01/13/2016"])), DateOrder::DayFirst);
    }
}
