"""Documents by their words against scikit-learn's TfidfVectorizer with LinearSVC, both tuned on the same folds: `texts.py SET..`.

Each of five folds is predicted by what three folds of the other rows choose. Sets: sms_spam, movie_reviews, rt_polarity,
trec_questions of the folder that MERCER_SHARED names; SEED draws other folds. `gram ROWS` times the Gram rows of made documents against a sparse product.
"""

import json
import os
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np
import record

DATA = Path(os.environ.get("MERCER_SHARED", "../shared")) / "data"
FOLDS, SEED = 5, int(os.environ.get("SEED", 0))
C = [0.1, 0.3, 1.0, 3.0, 10.0]
#: Words in a row, and documents that a word must stand in.
NGRAMS, MIN_DF = [1, 2], [1, 2]
#: Documents of a fold that are learnt from by their kernel values.
FEW = 3000


def sms_spam():
    lines = (DATA / "sms_spam/SMSSpamCollection.txt").read_text(encoding="utf-8").splitlines()
    return zip(*[line.split("\t", 1)[::-1] for line in lines])


def movie_reviews():
    found = []
    with tarfile.open(DATA / "movie_reviews_pl04/review_polarity.tar.gz") as tar:
        for member in tar.getmembers():
            if member.name.endswith(".txt") and "/txt_sentoken/" in f"/{member.name}":
                text = tar.extractfile(member).read().decode("latin-1")
                found.append((text, Path(member.name).parent.name))
    return zip(*sorted(found))


def rt_polarity():
    found = []
    for label in ["neg", "pos"]:
        text = (DATA / f"rt_polarity/rt-polarity.{label}").read_bytes().decode("latin-1")
        found += [(line, label) for line in text.splitlines()]
    return zip(*found)


def trec_questions():
    found = []
    for part in ["train", "test"]:
        for line in (DATA / f"trec_questions/TREC.{part}.txt").read_bytes().decode("latin-1").splitlines():
            label, text = line.split(" ", 1)
            found.append((text, label.split(":")[0]))
    return zip(*found)


SETS = {f.__name__: f for f in [sms_spam, movie_reviews, rt_polarity, trec_questions]}


def scikit(texts, labels):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import Pipeline
    from sklearn.svm import LinearSVC

    inner = StratifiedKFold(3, shuffle=True, random_state=SEED)
    grid = {"words__sublinear_tf": [False, True], "words__binary": [False, True], "words__ngram_range": [(1, n) for n in NGRAMS], "words__min_df": MIN_DF, "svc__C": C}
    with tempfile.TemporaryDirectory() as kept:
        # The words of a fold are counted once for every C.
        steps = Pipeline([("words", TfidfVectorizer()), ("svc", LinearSVC())], memory=kept)
        return GridSearchCV(steps, grid, cv=inner, n_jobs=2).fit(texts, labels)


class Chosen:
    """mercer: kernels of words with one c from the same list, by the same inner folds."""

    def __init__(self, texts, labels):
        import mercer
        from sklearn.model_selection import StratifiedKFold

        kernels = [f"tfidf(tf={tf}, ngrams={n}, min_df={df})" for tf in ["count", "log", "binary"] for n in NGRAMS for df in MIN_DF]
        kernels += [f"tfidf(tf={tf}, ngrams=2) + normalise(spectrum(k=4))" for tf in ["log", "binary"]]
        inner = list(StratifiedKFold(3, shuffle=True, random_state=SEED).split(texts, labels))
        hits = {(kernel, c): 0 for kernel in kernels for c in C}
        for train, test in inner:
            # Words are learnt from the rows of the fold.
            rows, new = {"text": list(texts[train])}, {"text": list(texts[test])}
            for kernel in kernels:
                # Of few documents kernel values are the least work, and are the same for every c; of many the weights of words.
                few = len(train) <= FEW
                among, cross = (mercer.Kernel(kernel)(rows), mercer.Kernel(kernel)(new, rows)) if few else (None, None)
                for c in C:
                    if few:
                        found = mercer.SVC(C=c, kernel="precomputed").fit(among, labels[train]).predict(cross)
                    else:
                        found = mercer.Learner(f"svc(c={c})", kernel).fit(rows, list(labels[train])).predict(new)
                    hits[kernel, c] += np.sum(np.array(found) == labels[test])
        self.kernel, self.c = max(hits, key=hits.get)
        self.model = mercer.Learner(f"svc(c={self.c})", self.kernel).fit({"text": list(texts)}, list(labels))

    def predict(self, texts):
        return self.model.predict({"text": list(texts)})


def compare(name):
    from sklearn.model_selection import StratifiedKFold

    texts, labels = (np.array(list(column), dtype=object) for column in SETS[name]())
    found = {"mercer": [], "scikit-learn": []}
    seconds = dict.fromkeys(found, 0.0)
    chosen = []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(texts, labels):
        for library, fit in [("mercer", Chosen), ("scikit-learn", scikit)]:
            clock = time.perf_counter()
            model = fit(texts[train], labels[train])
            found[library].append(float(np.mean(model.predict(texts[test]) == labels[test])))
            seconds[library] += time.perf_counter() - clock
            if library == "mercer":
                chosen.append(f"{model.kernel} c={model.c:g}")
    rows = {library: {"accuracy": float(np.mean(all_)), "folds": all_, "seconds": seconds[library]} for library, all_ in found.items()}
    print(json.dumps({"set": name, "rows": len(texts), **rows, "chosen": chosen}), flush=True)
    record.beside(f"{name}, {len(texts):,}", "accuracy", {library: all_["accuracy"] for library, all_ in rows.items()}, "")
    record.beside(f"{name}, {len(texts):,}", "all folds", {library: all_["seconds"] for library, all_ in rows.items()})


def gram(rows):
    """Gram rows of documents of 100 words from 50,000 against the sparse product X X' of scipy."""
    import mercer
    from sklearn.feature_extraction.text import TfidfVectorizer

    draw = np.random.default_rng(SEED)
    ranks = np.minimum(draw.zipf(1.3, size=(rows, 100)), 50_000)
    texts = [" ".join(f"w{w}" for w in row) for row in ranks]
    clock = time.perf_counter()
    x = TfidfVectorizer(token_pattern=r"\S+").fit_transform(texts)
    counted = time.perf_counter() - clock
    some = slice(0, 2000)
    clock = time.perf_counter()
    product = (x[some] @ x.T).toarray()
    sparse = time.perf_counter() - clock
    clock = time.perf_counter()
    found = mercer.Kernel("tfidf(tokens=spaces)")(dict(text=texts[some]), dict(text=texts))
    ours = time.perf_counter() - clock
    print(json.dumps({"rows": rows, "words": x.shape[1], "vectorizer": counted, "scipy_product": sparse, "mercer_with_words": ours,
                      "shapes": [product.shape, np.shape(found)]}))
    record.figure(f"gram, {rows:,} documents", "2,000 rows of values from texts", ours, "s", "scipy's sparse product", sparse)


if __name__ == "__main__":
    if sys.argv[1:2] == ["gram"]:
        gram(int(sys.argv[2]))
    else:
        for chosen_set in sys.argv[1:] or SETS:
            compare(chosen_set)
