# %% [markdown]
# # Mercer on Ray
#
# Ridge regression over the blocks of a Ray dataset: sums are added where the blocks lie, and the model has the same bits every time.

# %%
import sys

import numpy as np
import pandas as pd

try:
    import ray
    import ray.data
except ImportError:
    print("Ray is not installed:")
    print("pip install ray[data]")
    print("nothing is shown")
    sys.exit()

import mercer

INPUTS = ["x0", "x1", "x2"]

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
random = np.random.default_rng(0)
x = random.normal(size=(20_000, 3))
table = pd.DataFrame(x, columns=INPUTS).assign(y=np.sin(x[:, 0]) + 0.3 * x[:, 1] ** 2 + 0.1 * random.normal(size=len(x)))
rows = ray.data.from_pandas(table).repartition(8)

# A sample settles columns, landmarks and parameters.
sample = rows.random_sample(0.1, seed=1).to_pandas()
model = mercer.Learner("ridge", "nystroem(rbf, rank=200)").fit(sample[INPUTS], sample["y"])
start = ray.put(mercer.Partial(model, sample[INPUTS], sample["y"]))


@ray.remote
def added(start, number, block):
    """Sums over a block. The number is that of the block, so a task that is run again counts once."""
    own = mercer.Partial.from_bytes(start.to_bytes())
    own.add(number, block[INPUTS], block["y"], threads=1)
    return own


waiting = [added.remote(start, number, block) for number, block in enumerate(rows.to_pandas_refs())]
total = mercer.Partial.from_bytes(ray.get(start).to_bytes())
while waiting:
    ready, waiting = ray.wait(waiting)  # in whichever order they end
    total.merge(ray.get(ready[0]))
model = total.finish()
print(f"{total.rows} rows in {len(total.batches)} blocks")
print(model)

held = ray.put(model)
predicted = rows.map_batches(lambda batch: {"y": ray.get(held).predict(batch[INPUTS])}, batch_format="pandas")
print(f"predicted {predicted.count()} rows")
ray.shutdown()
