# %% [markdown]
# # How sure is a prediction?
#
# A Gaussian process gives a mean and a standard deviation for every row: what it expects, and how far off it may be. Both
# are worth something only if they can be held against data that the model has not seen.

# %%
import numpy as np

import mercer

rng = np.random.default_rng(1)


def wave(x):
    """What is to be found out."""
    return np.sin(x) + 0.3 * np.cos(3 * x)


NOISE = 0.2
x = rng.uniform(0, 8, size=150)
y = wave(x) + rng.normal(0, NOISE, size=150)

# %% [markdown]
# `auto` leaves a parameter to the evidence: of all length scales and noise levels, those are taken under which these data
# are most probable.

# %%
model = mercer.Learner("gp(noise=auto)", "rbf(length_scale=auto)").fit({"x": x}, y)
print("settled:", model.estimator, "with", model.kernel)

# %% [markdown]
# Where there are data, the standard deviation is about that of the noise. Far from them it grows: the model says that it
# does not know.

# %%
mean, deviation = model.predict({"x": [2.0, 4.0, 30.0]}, std=True)
for at, m, s in zip([2.0, 4.0, 30.0], mean, deviation, strict=True):
    print(f"x = {at:4}: {m:6.2f} +- {s:.2f}, truth {wave(at):6.2f}")
assert abs(deviation[0] - NOISE) < 0.06 and abs(deviation[1] - NOISE) < 0.06
assert deviation[2] > 2.5 * deviation[0]

# %% [markdown]
# An interval of 90% should hold nine new observations of ten. That can be counted.

# %%
new = rng.uniform(0, 8, size=2000)
seen = wave(new) + rng.normal(0, NOISE, size=2000)
for level in [0.5, 0.9, 0.99]:
    low, high = model.predict_interval({"x": new}, level=level)
    coverage = float(np.mean((low <= seen) & (seen <= high)))
    print(f"interval of {level:.0%}: holds {coverage:.1%} of 2000 new observations")
    assert abs(coverage - level) < 0.05

# %% [markdown]
# Values at neighbouring places go together. `covariance` says how much, and gives whole curves that agree with the data.

# %%
grid = np.linspace(0, 8, 40)
covariance = model.covariance({"x": grid})
correlation = covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
print(f"correlation of the curve at 0 with itself at 0.2: {correlation[0, 1]:.2f}, at 8: {correlation[0, -1]:.2f}")
curves = rng.multivariate_normal(model.predict({"x": grid}), covariance + 1e-9 * np.eye(40), size=200)
spread = float(np.abs(curves - wave(grid)).mean())
print(f"200 curves that agree with the data stay within {spread:.2f} of the truth on average")
assert correlation[0, 1] > 0.5 > abs(correlation[0, -1]) and spread < NOISE
