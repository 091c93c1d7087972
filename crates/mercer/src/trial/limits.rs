//! Constants of policy of a race of trials: what each is, its unit, what it was chosen by, and how to measure it again.

/// One constant of policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Its name in the sources.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it was chosen by.
    pub why: &'static str,
    /// The command that measures it again; empty where it follows from an argument alone.
    pub again: &'static str,
}

macro_rules! limits {
    ($($name:ident: $kind:ty = $value:expr, $unit:literal, $why:literal, $again:literal;)*) => {
        $(#[doc = $why] pub const $name: $kind = $value;)*
        /// All of them.
        pub const TABLE: &[Limit] = &[$(Limit { name: stringify!($name), value: $value as f64, unit: $unit, why: $why, again: $again }),*];
    };
}

limits! {
    BUDGET: f64 = 2.4e12, "operations",
        "Work of a comparison that nobody gave a limit: about a minute on two cores.",
        "bench/comparisons.py --aims";
    WHOLE_FIELD: f64 = 8.0e11, "operations",
        "The cheapest searches that take no more together go to their end, whatever they promise: about twenty seconds on two cores, and what is said of those that did not win is then as sure as what is said of the winner.",
        "mercer compare --json: against_best of each row";
    NAMED: usize = 5, "estimators",
        "So many estimators beside the baseline are tuned to their end within the budget: who names three methods wants three.", "";
    RATE: f64 = 2.0e10, "operations a second on one core",
        "What a second is worth before anything has been measured.",
        "mercer compare --json: seconds and operations of trials";
    ASSUMED: f64 = 1.0e9, "operations",
        "With a limit of time the assumed rate counts for as much as a measurement of so many: what takes less is mostly overhead.", "";
    LOOK_SHARE: f64 = 0.05, "share of the budget",
        "First looks of all estimators may take so much, each as much as any other: they decide what the rest is spent on.", "";
    LOOK_ROWS: usize = 2000, "rows",
        "First looks learn from no more rows than this: they tell what to begin with.", "";
    CHOICE_SHARE: f64 = 0.15, "share of the budget",
        "The choice among kernels of structured columns may take so much: the rows that it is made by follow from it.", "";
    CHOICE_ROWS: usize = 1000, "rows",
        "No choice among kernels is made by more rows.", "";
    FEWEST_CHOICE_ROWS: usize = 60, "rows",
        "Where there is no room for a choice by so many rows, the natural kernel is taken.", "";
    CHOICE_WORK: f64 = 15.0, "operations for each cube of the rows",
        "What the leave-one-out errors of ridge at eleven values of lambda take beside the values of a kernel, as counted of ridge.",
        "mercer compare --json: operations of trials";
    CHOICE_COPIES: usize = 4, "matrices on each thread",
        "What ridge and its leave-one-out errors hold at a time beside the values of a kernel.", "";
    VALUES_SHARE: f64 = 0.4, "share of the budget",
        "Kernel values that all estimators read may take so much; fits and searches have the rest.", "";
    VALUES_KEPT: u64 = 4, "part of the memory allowed",
        "Kernel values that several fits use are kept where they take no more than this part of it, those asked for last.", "";
    LARGE: u64 = 268_435_456, "bytes",
        "A fit that needs more memory runs alone, and a larger Gram matrix is kept only where a kernel value is EXPENSIVE: comparing 8,000 documents takes 1.6 GB, and took 2.5 GB where all were kept.",
        "bench/structured.py --tables words_8000";
    EXPENSIVE: f64 = 1000.0, "operations",
        "A kernel value that takes more is kept whatever memory the others take: computing a gigabyte of them takes 6 s and more.", "";
    CHEAP_SHARE: f64 = 0.04, "share of what is left of the budget",
        "A search on the first fold that takes no more than this comes before the leader is finished: it may find a better leader.", "";
    NEGLIGIBLE_SHARE: f64 = 0.001, "share of what is left of the budget",
        "What is behind on the first fold is searched on the others all the same where that takes no more than this: of the 133 rows of mcycle one fold named the wrong one.", "";
    PROGRAM_SHARE: f64 = 0.25, "share of the budget",
        "The fits of one estimator to every fold and to all rows may take so much: what is searched and the first looks fit beside it.", "";
    TRIFLE: f64 = 0.02, "share of what was spent",
        "What is searched no further is fitted to all rows where that takes so little.", "";
    SIDE_BY_SIDE: usize = 20_000, "rows",
        "Trials on no more rows than this run side by side: steps that follow one another leave threads idle.", "";
    SEARCHED_SHARE: f64 = 0.6, "share of the time of a trial",
        "A search takes so much of the time that its trial has, so that its choice can be scored.", "";
    OVERTIME_SHARE: f64 = 0.1, "share of the time limit",
        "The fit to all rows that is made in any case may miss the limit of time by so much, or by OVERTIME_SECONDS.", "";
    OVERTIME_SECONDS: f64 = 1.0, "seconds",
        "The fit to all rows that is made in any case may miss the limit of time by so much at least.", "";
    TIMED_ROWS: usize = 4000, "rows",
        "The prediction of no more rows than this is timed.", "";
    FEWEST_TIMED: usize = 16, "rows",
        "The prediction of so many rows is timed, however much they take.", "";
    TIMED_WORK: f64 = 2.0e9, "operations",
        "The predictions that are timed take no more than this: a tenth of a second.", "";
    PLANNED_ROWS: usize = 4000, "rows",
        "The searches of tables with fewer rows take too little to be planned.", "";
    COPIES: u64 = 4, "copies of a table",
        "A comparison holds the table as it was read, the rows that are learnt from, the same prepared, and the rows of a fold.", "";
    CURVES_WORK: f64 = 4.0e9, "operations",
        "A model of a comparison that is not the best is looked along where that takes no more than this: a fifth of a second.", "";
    FIT_SHARE: f64 = 0.5, "share of the usual budget",
        "A single fit without a limit of time may take so much; the rest is for its search.", "";
    FITS_AND_SEARCH: f64 = 5.0, "fits",
        "With a limit of time a search and a fit count as so many fits.", "";
    PRICED_ROWS: usize = 30, "rows",
        "With a limit of time, and before a Gram matrix alone, the work of a kernel value of inputs with structure is measured among so many rows.", "";
    PROBED_ROWS: usize = 750, "rows",
        "The speed of an estimator is measured on so many rows first, then on twice as many each time.", "";
    MOST_PROBED_ROWS: usize = 6000, "rows",
        "The speed of an estimator is measured on no more rows than this.", "";
    PROBES_SHARE: f64 = 0.05, "share of the time left",
        "All measurements of speed together take no more than this.", "";
    PROBE_SHARE: f64 = 0.004, "share of the time left",
        "The speed is as measured where the last fit took so much.", "";
    PROBE_WORK: f64 = 2.0e9, "operations",
        "The first fit that measures speed takes no more than this.", "";
    UNPROBED_RATE: f64 = 1.0e10, "operations a second",
        "As many are assumed where a second of work would not do to measure them.", "";
    STARTS_ROWS: usize = 150, "rows",
        "Whether fits from two starts end at one place is measured on no more rows than this: it is a property of the problem.", "";
    STARTS_WORK: f64 = 3.0e8, "operations",
        "One of these fits takes no more than this.", "";
    FEWEST_STARTS_ROWS: usize = 60, "rows",
        "These fits learn from so many rows, however much they take.", "";
    BATCH_SHARE: f64 = 0.1, "share of what is left of the budget",
        "Trials that together take no more than this are run side by side; others one estimator after the other, the leader first.", "";
    SEARCHED_ROWS: usize = 20_000, "rows",
        "A search of a comparison draws its samples from no more rows than this: its last round fits to half of them at most.", "";
    LEAST_ROWS: usize = 1000, "rows",
        "Fits to no more rows than this are made smaller only where all of them take more than the whole budget.", "";
    FEWEST_ROWS: usize = 100, "rows",
        "No fit is made smaller than this to fit the budget.", "";
    FEWEST_PER_CLASS: usize = 6, "rows for each class",
        "No fit is made smaller than this to fit the budget.", "";
    WORTH_CUTTING: f64 = 0.9, "share of the rows",
        "A part of the rows is no larger than this: a larger one saves nothing.", "";
    SHRINK: f64 = 0.6667, "share of the rows",
        "A fit that was refused for memory is tried again with so many of its rows.", "";
    AUTOMATIC_SCORES: usize = 1000, "rows",
        "Conformity scores by a closed form are stored without being asked for up to so many rows: a factor and its inverse, N^3 operations, \
         a tenth of a second.", "";
    LEAST_SHRUNK: usize = 50, "rows",
        "Fewer rows are not fitted for want of memory.", "";
}

/// Operations a second on the cores in use, before anything has been measured.
pub(crate) fn assumed_rate() -> f64 {
    RATE * rayon::current_num_threads() as f64
}
