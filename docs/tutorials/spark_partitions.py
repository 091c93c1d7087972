# %% [markdown]
# # Mercer on Spark
#
# Ridge regression over the partitions of a Spark dataframe, merged by treeReduce: the model has the same bits every time.

# %%
import os
import sys

import numpy as np
import pandas as pd

try:
    from pyspark.sql import SparkSession
except ImportError:
    print("Spark is not installed:")
    print("pip install pyspark")
    print("nothing is shown")
    sys.exit()

import mercer

INPUTS = ["x0", "x1", "x2"]
# The workers run this Python.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").appName("mercer").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
random = np.random.default_rng(0)
x = random.normal(size=(20_000, 3))
table = pd.DataFrame(x, columns=INPUTS).assign(y=np.sin(x[:, 0]) + 0.3 * x[:, 1] ** 2 + 0.1 * random.normal(size=len(x)))
rows = spark.createDataFrame(table).repartition(8, "x0").cache()

# A sample settles columns, landmarks and parameters.
sample = rows.sample(0.1, seed=1).toPandas()
model = mercer.Learner("ridge", "nystroem(rbf, rank=200)").fit(sample[INPUTS], sample["y"])
start = spark.sparkContext.broadcast(mercer.Partial(model, sample[INPUTS], sample["y"]).to_bytes())


def added(number, part):
    """Sums over a partition. The number is that of the partition, so a task that is run again counts once."""
    block = pd.DataFrame(map(tuple, part), columns=[*INPUTS, "y"])
    own = mercer.Partial.from_bytes(start.value)
    if len(block) > 0:
        own.add(number, block[INPUTS], block["y"], threads=1)
    yield own


def merged(one, other):
    one.merge(other)
    return one


total = rows.rdd.mapPartitionsWithIndex(added).treeReduce(merged)
model = total.finish()
print(f"{total.rows} rows in {len(total.batches)} partitions")
print(model)

held = spark.sparkContext.broadcast(model.to_bytes())


def predicted(blocks):
    own = mercer.Model.from_bytes(held.value)
    for block in blocks:
        yield pd.DataFrame({"y": own.predict(block[INPUTS])})


print(f"predicted {rows.mapInPandas(predicted, 'y double').count()} rows")
spark.stop()
