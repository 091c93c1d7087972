//! Months, quarters and weeks by their first day: `2019-01`, `01/2019`, `Jan 2019`, `2019-Q1`, `2019-W05` (ISO 8601).

use super::dates::{COMPACT_YEARS, first_of_month, month, numbers, since_1970};

/// Days since 1970-01-01 of the first day.
pub(super) fn first_day(text: &str) -> Option<f64> {
    month_of(text).or_else(|| named_month(text)).or_else(|| quarter(text)).map(first_of_month).or_else(|| week(text))
}

/// `201901`
pub(super) fn compact(text: &str) -> Option<[i64; 2]> {
    let sound = text.len() == 6 && text.bytes().all(|b| b.is_ascii_digit());
    let [year, month] = if sound { [text[..4].parse().ok()?, text[4..].parse().ok()?] } else { return None };
    (COMPACT_YEARS.contains(&year) && (1..=12).contains(&month)).then_some([year, month])
}

/// `2019-01`, `2019/1`, `01/2019`, `1-2019`, `01.2019`
fn month_of(text: &str) -> Option<[i64; 2]> {
    let by = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| ['-', '/', '.'].contains(c))?;
    let [year, month] = match numbers::<2>(text, by, &[1..=2, 4..=4]) {
        Some([month, year]) => [year, month],
        None => numbers::<2>(text, by, &[4..=4, if by == '/' { 1..=2 } else { 2..=2 }])?,
    };
    (1..=12).contains(&month).then_some([year, month])
}

/// `Jan 2019`, `January-2019`, `2019 Jan`, `Jan-19` (years of two digits from 1969 to 2068), `2019M01`
fn named_month(text: &str) -> Option<[i64; 2]> {
    let year = |word: &str| (word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.parse::<i64>().ok())?;
    if let Some((first, second)) = text.split_once([' ', '-', '/']) {
        let second = second.trim_start();
        let short = |word: &str| numbers::<1>(word, '-', &[2..=2]).map(|[y]| if y >= 69 { 1900 + y } else { 2000 + y });
        return match (month(first.trim_end_matches(['.', ','])), month(second)) {
            (Some(month), _) if text.contains('-') => Some([year(second).or_else(|| short(second))?, month]),
            (Some(month), _) => Some([year(second)?, month]),
            (_, Some(month)) => Some([year(first)?, month]),
            _ => None,
        };
    }
    let (first, second) = text.split_once('M')?;
    let [month] = numbers::<1>(second, '-', &[2..=2])?;
    (1..=12).contains(&month).then_some([year(first)?, month])
}

/// `2019-Q1`, `2019Q1`, `Q1 2019`, `Q1/2019`
fn quarter(text: &str) -> Option<[i64; 2]> {
    let (before, behind) = text.split_once(['Q', 'q'])?;
    let (year, quarter) = match before.trim_end_matches(['-', ' ', '/']) {
        "" => behind.split_once([' ', '-', '/']).map(|(quarter, year)| (year, quarter))?,
        year => (year, behind),
    };
    let ([year], [quarter]) = (numbers::<1>(year.trim(), '-', &[4..=4])?, numbers::<1>(quarter, '-', &[1..=1])?);
    (1..=4).contains(&quarter).then_some([year, 3 * quarter - 2])
}

/// `2019-W05`, `2019W05`: its Monday. The first week of a year is that of its 4th of January.
fn week(text: &str) -> Option<f64> {
    let (year, week) = text.split_once('W')?;
    let [year] = numbers::<1>(year.trim_end_matches('-'), '-', &[4..=4])?;
    let [week] = numbers::<1>(week, '-', &[2..=2])?;
    let fourth = since_1970(year, 1, 4);
    // 1970-01-01 was a Thursday.
    let monday = fourth - (fourth + 3).rem_euclid(7);
    (1..=53).contains(&week).then_some((monday + 7 * (week - 1)) as f64)
}

/// Whether cells are seasons, `2010-11`, `2011-12`: years and the next ones, which no month is in all rows.
pub(super) fn are_seasons<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let mut first: Option<&str> = None;
    let mut several = false;
    for cell in cells {
        let season = numbers::<2>(cell, '-', &[4..=4, 2..=2]).is_some_and(|[year, next]| (year + 1) % 100 == next);
        if !season {
            return false;
        }
        several |= first.is_some_and(|first| first != cell);
        first = first.or(Some(cell));
    }
    several
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_quarters_and_weeks_are_their_first_days() {
        // Python 3: (date(2019, 1, 1) - date(1970, 1, 1)).days is 17897, date(2019, 4, 1): 17987; date.fromisocalendar(2019, 5, 1)
        // is 2019-01-28: 17924, date.fromisocalendar(2019, 1, 1) is 2018-12-31: 17896.
        for text in ["2019-01", "2019/01", "2019/1", "01/2019", "1/2019", "01-2019", "Jan 2019", "January 2019", "Jan. 2019", "2019 Jan"] {
            assert_eq!(first_day(text), Some(17_897.0), "{text}");
        }
        for text in ["Jan-2019", "Jan-19", "2019-Jan", "2019M01", "2019-Q1", "2019Q1", "2019 Q1", "Q1 2019", "Q1/2019", "q1-2019"] {
            assert_eq!(first_day(text), Some(17_897.0), "{text}");
        }
        assert_eq!((first_day("Q2 2019"), first_day("2019-W05"), first_day("2019W01")), (Some(17_987.0), Some(17_924.0), Some(17_896.0)));
        assert_eq!((compact("201901"), compact("201913"), compact("2019011")), (Some([2019, 1]), None, None));
        for text in ["2019-13", "2019-1", "13/2019", "1/2", "Jan 19", "2019-Q5", "2019-W54", "Foo 2019", "2019", "2019-01-", "Q1"] {
            assert_eq!(first_day(text), None, "{text}");
        }
    }

    #[test]
    fn seasons_are_no_months() {
        assert!(are_seasons(["2009-10", "2010-11", "2011-12"].into_iter()));
        assert!(!are_seasons(["2010-11"].into_iter()) && !are_seasons(["2010-11", "2010-12"].into_iter()));
    }
}
