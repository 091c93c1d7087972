//! Constants of the solver in one table: name, value, unit, what it does, and where it comes from. Pages are those of docs/decisions;
//! "§" with a word is a section of docs/decisions/support-vector-solver.md. "By argument" and "not recorded" stand where there is no measurement.

macro_rules! limits {
    ($($(#[$doc:meta])* $room:ident { $($name:ident: $kind:ty = $value:expr, $unit:literal, $why:literal, $from:literal;)* })*) => {
        $($(#[$doc])* pub(super) mod $room {
            $(#[doc = concat!($why, " Unit: ", $unit, ". From: ", $from, ".")] pub(in super::super) const $name: $kind = $value;)*
        })*
    };
}

limits! {
    /// What decides which road a problem takes (`plan`).
    roads {
        ONE_BLOCK: usize = 2048, "variables", "A problem alone of no more is one block.", "§ One block";
        ONE_BLOCK_SEVERAL: usize = 3072, "variables", "The same where several problems share values of K.", "§ One block";
        ONE_BLOCK_HELD: usize = 4096, "variables", "The same where K is held.", "§ One block";
        SHARED: usize = 4096, "rows", "K among the rows of all problems of one block is computed at once up to here.", "§ One block";
        SHRINKING: usize = 8192, "variables", "A problem of more is solved over what may still change.", "§ Shrinking: nothing gained at 5,000";
        INTERIOR_FEATURES: usize = 256, "features", "An interior point has no more of them.", "§ Interior: O(N D^2) a step";
        INTERIOR_ROWS: usize = 4, "rows per feature", "An interior point has so many at least.", "§ Interior";
        INTERIOR_LEAST: usize = 64, "variables", "Of fewer, pair steps have ended before.", "§ Interior";
        COORDINATES_ROWS: usize = 2, "variables per feature", "Coordinates have more of them.", "§ Coordinates";
        COORDINATES_FEATURES: usize = 32, "dense features", "Up to here an interior point is as quick.", "§ Coordinates";
    }
    /// What several roads share.
    common {
        NARROW: f64 = 1e-5, "tolerance", "Below it rows of f32 are not tried.", "by argument: their rounding is 6e-8 of f";
        MARGIN: f64 = 0.9, "share of the tolerance", "What is aimed at, so that exact values do not just miss it.", "by argument";
        PATIENCE: (usize, usize) = (4, 100), "times the steps taken, steps per variable", "What the gap may take once the violation is within the tolerance.", "not recorded";
        ROUNDS: usize = 3, "rounds per precision", "Times that a problem is taken up again from exact values.", "not recorded";
        ROUNDING: f64 = 1e-12, "share of a variable", "What counts as rounding.", "by argument: 4,500 roundings of f64";
        SAFE: f64 = 16.0, "times the error seen", "Values of f in f32 may be off by so much.", "§ Certificates";
        SLACK: f64 = 0.1, "share of the violation", "A variable is settled where the slope keeps it by more.", "§ Shrinking";
        CHECK: usize = 4096, "steps, or values of f", "What is done between two looks at the clock and the cancel flag.", "by argument: about 1 ms";
        TOGETHER: usize = 8, "rows", "Rows of K that are added up at once.", "§ Lazy rows: registers of AVX2";
    }
    /// Pair steps (`pairs`) and steps on all free variables (`newton`).
    steps {
        FLAT: f64 = 1e-12, "share of the diagonal", "Curvature below it counts as none.", "LIBSVM's tau";
        PASS: f64 = 100.0, "numbers", "What a pass costs besides its numbers.", "not recorded";
        SHARE: [f64; 2] = [0.3, 10.0], "share of the pair steps before, at full and at low rank", "What steps on all free variables may cost.", "§ Faces: at 0.3 nine in ten steps were pairs still";
        MOST_FREE: usize = 512, "free variables", "No such steps on more.", "by argument: nobody waits longer than for one";
        DEPENDENT: [f64; 2] = [1e-6, 1e-12], "share of the diagonal, f32 and f64", "A pivot below it is none.", "§ Faces";
        EASY: f64 = 50.0, "passes over the block", "Variables at bounds are let in at low rank where a step costs no more.", "§ Faces";
        ROUNDING_OF_K: [f64; 2] = [f32::EPSILON as f64, f64::EPSILON], "share of a value of K, f32 and f64", "What rounding may change.", "by definition";
    }
    /// One block for each problem (`dense`).
    dense {
        GOAL: f64 = 0.7, "share of the tolerance", "The first goal.", "not recorded";
        TIGHTEN: (f64, f64) = (0.01, 0.4), "share of the last goal, least and most", "The next goal where the gap is too large.", "not recorded";
        STANDS: f64 = 0.9, "share of the last violation", "A violation above it has not gone down.", "not recorded";
        ROUGHLY: f64 = 1.5, "tolerances", "Above it in f32, f64 is not asked for.", "§ Lazy rows";
        ROUNDS: usize = 12, "rounds per precision", "Times that a problem is taken up again.", "not recorded";
        MEMORY: usize = 16 << 20, "bytes", "Memory of rows is kept for the next block up to here.", "numerics-and-threads.md";
        SHORT: usize = 8, "values per run", "Rows of K are read run by run from here on average.", "not recorded";
        LOOK: (usize, usize) = (8, 500), "steps per variable, steps", "Steps in f32 between two looks in f64.", "not recorded";
        DRIFT: f64 = 0.5, "goals", "Where v in f32 has gone so far between two looks, its steps lead elsewhere.", "not recorded";
        NOISE: f64 = 3.0, "goals of f32", "A violation above it is rounding, and more of it leads nowhere.", "not recorded";
        PART: (usize, f64) = (1024, 0.6), "variables, share of them", "From so many on what may still change is solved alone, up to this share.", "§ Paths: svmguide1";
        FIRST: f64 = 0.1, "share of the violation of the whole", "Such a part is solved to it: what it reaches may change who belongs to it.", "§ Paths";
        PARTS: usize = 20, "parts", "Parts that are tried.", "not recorded";
    }
    /// Rows computed when they are asked for (`lazy_rows`), blocks between classes (`class_blocks`), K of a block (`working_set_gram`).
    rows {
        STEPS: (usize, usize) = (10, 1000), "steps per variable, steps", "Steps after which the whole of K is computed.", "§ Lazy rows: a cubic kernel on iris x 1000 had no end";
        TILE: (usize, usize) = (64, 960), "rows, columns", "A tile of K between classes.", "not recorded";
        COMPUTED: usize = 32, "rows", "New rows of a block that are computed together.", "not recorded";
    }
    /// From block to block (`decompose`).
    decompose {
        BLOCK: usize = 1024, "variables", "Variables in a block.", "not recorded";
        KEPT: (usize, usize) = (3, 4), "of each", "So many of a block may come from the last.", "Wen et al. 2018 keep half; not recorded";
        INNER: f64 = 0.1, "share of the violation of the whole", "A block is solved to it.", "not recorded";
        TIGHTEN: f64 = 0.3, "share of the violation reached", "The next goal where the gap is too large.", "not recorded";
        STEPS: usize = 20, "steps per variable of the block", "Pair steps in a block.", "not recorded";
        PATIENCE_ROUNDED: (usize, usize) = (1, 4), "times the steps taken, steps per variable", "`PATIENCE` in f32, whose rounding may be all that is left of the gap.", "not recorded";
        GROWTH: (usize, f64, f64) = (20, 1e-10, 1e-7), "steps per variable, shares in f64 and f32", "After so many steps the dual value has grown by this.", "not recorded";
        CHUNK: usize = 1024, "values of f", "What one task updates.", "numerics-and-threads.md";
        COUNTED: usize = 4, "blocks", "Blocks between two counts of what may still change.", "not recorded";
        GATHERED: f64 = 2e-9, "seconds per value", "Gather cost: kernel values cheaper than this are recomputed, with the same bits.", "§ Shrinking: a cache miss";
        KEPT_FOR: usize = 8, "problems", "K among the last block is kept for no more.", "by argument: 4 MB each";
    }
    /// Over what may still change (`shrinking`).
    shrinking {
        SHARE: f64 = 0.5, "share of the variables", "A part has no more.", "§ Shrinking";
        FIRST: f64 = 0.05, "share of the violation", "The first part is solved to it.", "§ Shrinking: to the end, 215,000 steps, not 140,000";
        PARTS: usize = 8, "parts", "Parts that are tried.", "not recorded";
    }
    /// Features, dense or sparse (`coordinates`).
    coordinates {
        PENALTY: f64 = 1.0, "share of the mean of k(x, x)", "rho.", "not recorded";
        FIRST: f64 = 30.0, "tolerances", "The slope to which coordinates are taken first.", "not recorded";
        NEXT: f64 = 0.25, "share of the last slope", "The slope after that.", "not recorded";
        HELD: f64 = 0.3, "share of the steepest slope", "A row held by more is left out of a pass.", "§ Coordinates: twice the passes at 1";
        LEAST: f64 = 0.1, "tolerances", "The least slope.", "not recorded";
        HALF: f64 = 0.5, "share of the last violation", "Pairs go on where they have brought it below.", "not recorded";
        PASSES: (usize, usize) = (60, 1000), "passes, dense and sparse", "Passes each time.", "gram-engine.md: a pass over sparse rows costs less than kernel values";
        TURNS: usize = 12, "turns", "Times that coordinates and pairs take turns.", "§ Coordinates";
        PAIRS: (usize, usize) = (6000, 3), "variables, variables per feature", "Variables whose pairs are moved.", "§ Coordinates";
        PAIRS_OF_SPARSE: usize = 1500, "variables", "The same of sparse features.", "§ Coordinates, gram-engine.md";
        STEPS: usize = 200, "steps per variable", "Pair steps each time.", "not recorded";
    }
    /// The interior point (`interior`).
    interior {
        STEPS: usize = 100, "steps", "Steps of an interior point.", "§ Interior: 16 to 22 are usual";
        GAP: f64 = 1e-11, "share of the objective", "The gap at which the point is handed on.", "not recorded";
        WRONG: f64 = 0.1, "share of the greatest cost", "What rounding may leave of a slope that is 0.", "not recorded";
        USUAL: f64 = 1e4, "times what it left before", "The same, where that is more.", "not recorded";
        WORK: (f64, f64) = (18.0, 200.0), "numbers per row and pair of features, numbers per pair step", "Work of an interior point and of a pair step, as numbers that pair steps go over.", "§ Interior: pairs first, ionosphere";
        WAY: f64 = 0.9995, "share of the way to the nearest bound", "What a step takes.", "Mehrotra 1992";
    }
}
