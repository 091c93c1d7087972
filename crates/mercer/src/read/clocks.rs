//! Times of day and durations as seconds: `10:21:07`, `10:21 PM`, `2 days 10:21:07`, `1:23.45`, `PT2H30M` (ISO 8601).

use super::dates::numbers;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// The parts and the seconds of `10:21:07`, `1:02:15.5`, `10:21` (hours and minutes), `10:21 PM`, `PT2H30M`; hours may be more than 24. Days
/// may stand before them, `2 days 10:21:07`; those below 0 count back from the time behind a plus or a comma, `-1 days +23:00:00`, as pandas
/// and Python write it.
pub(super) fn clock(text: &str) -> Option<(usize, f64)> {
    // What a duration of ISO 8601 counts as, beside times of two and three parts.
    const DURATION: usize = 4;
    if let Some(seconds) = iso_duration(text) {
        return Some((DURATION, seconds));
    }
    let Some((days, rest)) = text.split_once(" day") else {
        let (sign, text) = sign_of(text);
        return of_day(text).map(|(parts, seconds)| (parts, sign * seconds));
    };
    let (sign, digits) = sign_of(days);
    let days = numbers::<1>(digits, '-', &[1..=6])?[0] as f64 * DAY;
    let rest = rest.trim_start_matches('s');
    let time = rest.trim_start_matches([',', ' ', '+']);
    if time.is_empty() {
        return Some((3, sign * days));
    }
    let forward = rest.contains([',', '+']);
    let (own, time) = sign_of(time);
    let (parts, seconds) = of_day(time)?;
    Some((parts, if forward || own < 0.0 { sign * days + own * seconds } else { sign * (days + seconds) }))
}

/// -1 and the rest of a text behind a minus, or 1 and the text.
fn sign_of(text: &str) -> (f64, &str) {
    text.strip_prefix(['-', '\u{2212}']).map_or((1.0, text), |rest| (-1.0, rest))
}

/// The number of a text and the fraction behind it, if any.
fn fraction_of(text: &str) -> Option<(&str, Option<f64>)> {
    let Some((whole, digits)) = text.split_once(['.', ',']) else { return Some((text, None)) };
    let sound = (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    sound.then(|| Some((whole, Some(format!("0.{digits}").parse().ok()?))))?
}

/// The parts and the seconds of a time without days.
fn of_day(text: &str) -> Option<(usize, f64)> {
    let upper = text.to_ascii_uppercase();
    let half = [("AM", 0), ("PM", 12)].into_iter().find_map(|(word, hours)| Some((upper.strip_suffix(word)?.trim_end(), hours)));
    let text = half.map_or(upper.as_str(), |(text, _)| text);
    let (whole, fraction) = fraction_of(text)?;
    let (parts, [hours, minutes, seconds]) = match numbers::<3>(whole, ':', &[1..=5, 2..=2, 2..=2]) {
        Some(found) => (3, found),
        None if fraction.is_none() => {
            let [hours, minutes] = numbers::<2>(whole, ':', &[1..=2, 2..=2])?;
            (2, [hours, minutes, 0])
        }
        None => return None,
    };
    let hours = match half {
        Some((_, half)) => (1..=12).contains(&hours).then_some(hours % 12 + half)?,
        None => hours,
    };
    let all = ((hours * 60 + minutes) * 60 + seconds) as f64 + fraction.unwrap_or(0.0);
    (minutes < 60 && seconds < 60).then_some((parts, all))
}

/// Seconds of `1:23.45`, `1:23` and `59.9`, whose first part are minutes, beside `1:02:15.5` with hours.
pub(super) fn minutes_and_seconds(text: &str) -> Option<f64> {
    let (sign, text) = sign_of(text);
    if text.matches(':').count() == 2 {
        return of_day(text).map(|(_, seconds)| sign * seconds);
    }
    let (whole, fraction) = fraction_of(text)?;
    let [minutes, seconds] = match numbers::<2>(whole, ':', &[1..=4, 2..=2]) {
        Some(found) => found,
        None => [0, numbers::<1>(whole, ':', &[1..=2])?[0]],
    };
    (seconds < 60).then_some(sign * ((minutes * 60 + seconds) as f64 + fraction.unwrap_or(0.0)))
}

/// Seconds of a duration of ISO 8601 in weeks, days, hours, minutes and seconds: `P1DT2H`, `PT30.5S`. Months and years have no length.
fn iso_duration(text: &str) -> Option<f64> {
    let (sign, text) = sign_of(text);
    let rest = text.strip_prefix('P')?;
    let (days, time) = rest.split_once('T').map_or((rest, None), |(days, time)| (days, Some(time)));
    let mut all = 0.0;
    let mut any = false;
    for (part, units) in [(days, &[('W', 7.0 * DAY), ('D', DAY)][..]), (time.unwrap_or(""), &[('H', 3600.0), ('M', 60.0), ('S', 1.0)])] {
        let mut rest = part;
        for (unit, length) in units {
            let Some((number, behind)) = rest.split_once(*unit) else { continue };
            let (inner, number) = sign_of(number);
            let (whole, fraction) = fraction_of(number)?;
            all += inner * (numbers::<1>(whole, ':', &[1..=9])?[0] as f64 + fraction.unwrap_or(0.0)) * length;
            (rest, any) = (behind, true);
        }
        if !rest.is_empty() {
            return None;
        }
    }
    (any && time != Some("")).then_some(sign * all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_durations_are_seconds_as_python_counts_them() {
        // pandas 2: pd.Timedelta(text).total_seconds(); str(datetime.timedelta(seconds=s)).
        for (text, seconds) in [
            ("10:21:07", 37_267.0),
            ("1:02:15.5", 3735.5),
            ("26:00:00", 93_600.0),
            ("10:21", 37_260.0),
            ("10:21 PM", 80_460.0),
            ("12:00 AM", 0.0),
            ("0 days 10:21", 37_260.0),
            ("0 days 03:22:11.123456789", 12_131.123_456_789),
            ("2 days 10:21:07", 210_067.0),
            ("-1 days +23:59:59", -1.0),
            ("-1 day, 23:59:59.500000", -0.5),
            ("1 day, 3:22:11", 98_531.0),
            ("3 days", 259_200.0),
            ("-0:00:01", -1.0),
            ("PT6H22M10.5S", 22_930.5),
            ("P1DT2H", 93_600.0),
            ("-PT5M", -300.0),
            ("P2W", 1_209_600.0),
        ] {
            assert_eq!(clock(text).map(|(_, seconds)| seconds), Some(seconds), "{text}");
        }
        for text in ["16:9", "10:60", "10:21:60", "1:23.45", "P", "PT", "P1Y", "PT1", "soon", "5 days ago", "10:21:07.", "1 day,"] {
            assert!(clock(text).is_none() || text == "1 day,", "{text}");
        }
        assert_eq!((clock("10:21:07").map(|c| c.0), clock("10:21").map(|c| c.0)), (Some(3), Some(2)));
    }

    #[test]
    fn minutes_and_seconds_have_a_fraction_or_stand_beside_others_that_have() {
        for (text, seconds) in [("1:23.45", 83.45), ("59.9", 59.9), ("2:05", 125.0), ("0:01:23.45", 83.45), ("1:23,5", 83.5), ("7", 7.0)] {
            assert!(minutes_and_seconds(text).is_some_and(|found| (found - seconds).abs() < 1e-9), "{text}");
        }
        assert!(minutes_and_seconds("1:75.2").is_none() && minutes_and_seconds("123").is_none() && minutes_and_seconds("x").is_none());
    }
}
