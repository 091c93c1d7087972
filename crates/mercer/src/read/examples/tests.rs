use super::*;
use crate::data::{ColumnKind, Dataset, Target, Values};
use crate::read::{ReadOptions, Source, Table};

fn read(name: &str) -> (Dataset, Target, Vec<String>) {
    let options = ReadOptions::default();
    let mut table = Table::read(&Source::new(&format!("example:{name}"))).unwrap();
    let (target, info) = table.take_target(&[example(name).unwrap().target], &options).unwrap();
    (table.dataset(&options).unwrap(), target, info.classes.unwrap_or_default())
}

fn numbers(data: &Dataset, name: &str) -> Vec<f64> {
    match &data.column(name).unwrap().values {
        Values::Numbers(v) => v.clone(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn strings(data: &Dataset, name: &str) -> Vec<String> {
    match &data.column(name).unwrap().values {
        Values::Texts(s) | Values::Sequences(s) => s.iter().map(str::to_owned).collect(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn codes(target: &Target) -> Vec<usize> {
    target.as_classes("test").unwrap().0.to_vec()
}

#[test]
fn iris_is_fishers_table() {
    let (data, target, classes) = read("iris");
    assert_eq!(data.names(), ["sepal_length", "sepal_width", "petal_length", "petal_width"]);
    assert_eq!(classes, ["setosa", "versicolor", "virginica"]);
    // Means of the four columns as scikit-learn 1.9.1 and R give them; rows 35 and 38 as in the article, not as in the UCI copy.
    let means = [5.843333333333334, 3.0573333333333337, 3.758, 1.1993333333333336];
    for (column, mean) in data.names().into_iter().zip(means) {
        let found = numbers(&data, column).iter().sum::<f64>() / 150.0;
        assert!((found - mean).abs() <= 1e-12, "{column}: {found}");
    }
    assert_eq!((numbers(&data, "petal_width")[34], numbers(&data, "petal_length")[37]), (0.2, 1.4));
    assert_eq!((0..3).map(|k| codes(&target).iter().filter(|&&c| c == k).count()).collect::<Vec<_>>(), [50, 50, 50]);
}

#[test]
fn sinc_is_the_function_with_the_noise_it_says() {
    let (data, target, _) = read("sinc");
    let Target::Numbers(y) = target else { panic!("not numbers") };
    let x = numbers(&data, "x");
    let residuals: Vec<f64> = x.iter().zip(y.data()).map(|(x, y)| y - x.sin() / x).collect();
    let sd = (residuals.iter().map(|r| r * r).sum::<f64>() / 200.0).sqrt();
    // The standard error of an sd from 200 draws is 0.1 / sqrt(400) = 0.005.
    assert!((sd - 0.1).abs() <= 0.02, "{sd}");
    assert!(x.iter().all(|x| x.abs() <= 10.0));
}

#[test]
fn xor_needs_both_coordinates() {
    let (data, target, classes) = read("xor");
    assert_eq!(classes, ["different", "same"]);
    let (a, b) = (numbers(&data, "a"), numbers(&data, "b"));
    let right = codes(&target).iter().enumerate().filter(|&(i, &c)| ((a[i] > 0.5) == (b[i] > 0.5)) == (c == 1)).count();
    assert!(right >= 198, "{right} of 200");
    let alone = codes(&target).iter().enumerate().filter(|&(i, &c)| (a[i] > 0.5) == (c == 1)).count();
    assert!((90..=110).contains(&alone), "{alone} of 200");
}

#[test]
fn blobs_have_the_bayes_error_that_is_said() {
    use made::{CLOUD_SD as S, CLOUDS};
    let density = |class: usize, x: f64, y: f64| {
        let cloud = |(a, b): (f64, f64)| (-((x - a).powi(2) + (y - b).powi(2)) / (2.0 * S * S)).exp();
        CLOUDS[class].into_iter().map(cloud).sum::<f64>() / (2.0 * std::f64::consts::TAU * S * S)
    };
    let h = 0.02;
    let grid = |k: i32| f64::from(k) * h;
    let mut bayes = 0.0;
    for i in -250..=300 {
        for j in -250..=250 {
            bayes += 0.5 * density(0, grid(i), grid(j)).min(density(1, grid(i), grid(j))) * h * h;
        }
    }
    assert!((bayes - 0.1080).abs() <= 5e-4, "{bayes}");
    let (data, target, classes) = read("blobs");
    assert_eq!(classes, ["high", "low"]);
    let (x, y) = (numbers(&data, "x"), numbers(&data, "y"));
    let errs = codes(&target).iter().enumerate().filter(|&(i, &c)| (density(0, x[i], y[i]) > density(1, x[i], y[i])) != (c == 1)).count();
    // 300 draws: standard error 0.018; three of them.
    assert!((errs as f64 / 300.0 - bayes).abs() <= 0.054, "{errs} of 300");
}

#[test]
fn mixed_needs_numbers_sequence_and_note_together() {
    let (data, target, classes) = read("mixed");
    assert_eq!(classes, ["accept", "reject"]);
    let kinds: Vec<ColumnKind> = data.columns().iter().map(|c| c.values.kind()).collect();
    assert_eq!(kinds, [ColumnKind::Number, ColumnKind::Number, ColumnKind::Sequence, ColumnKind::Text]);
    let accept: Vec<bool> = codes(&target).iter().map(|&c| c == 0).collect();
    // Each hidden bit read back from its own columns.
    let (length, width) = (numbers(&data, "length"), numbers(&data, "width"));
    let first: Vec<bool> = length.iter().zip(&width).map(|(l, w)| l - 10.0 + (w - 3.5) > 0.0).collect();
    let second: Vec<bool> = strings(&data, "sequence").iter().map(|s| s.matches("TATAAT").count() > s.matches("GGCGCC").count()).collect();
    let good = ["gentle", "calm", "smooth", "bright", "clean"];
    let third: Vec<bool> = strings(&data, "note").iter().map(|n| good.iter().any(|g| n.contains(g))).collect();
    let share = |guess: &dyn Fn(usize) -> bool| (0..320).filter(|&i| guess(i) == accept[i]).count() as f64 / 320.0;
    for bit in [&first, &second, &third] {
        let alone = share(&|i| bit[i]);
        assert!((0.70..=0.75).contains(&alone), "{alone}");
    }
    let together = share(&|i| u8::from(first[i]) + u8::from(second[i]) + u8::from(third[i]) >= 2);
    assert!(together >= 0.97, "{together}");
}

#[test]
fn made_tables_have_the_same_bytes_every_time() {
    for e in EXAMPLES {
        assert_eq!(e.csv(), e.csv(), "{}", e.name);
    }
    assert!(example("irs").unwrap_err().to_string().contains("did you mean 'iris'"));
}
