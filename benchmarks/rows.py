"""All rows of the comparison, in the order of the report."""

from benchmarks import build_rows
from benchmarks import distributed_hash_table_rows
from benchmarks import multiplex_rows
from benchmarks import recommenders_addons_rows
from benchmarks import row
from benchmarks import sharded_hash_table_rows
from benchmarks import simple_hash_table_rows
from benchmarks import variable_sparse_update_rows

ROWS: tuple[row.Row, ...] = (
    *multiplex_rows.ROWS,
    *sharded_hash_table_rows.ROWS,
    *recommenders_addons_rows.ROWS,
    *simple_hash_table_rows.ROWS,
    *distributed_hash_table_rows.ROWS,
    *variable_sparse_update_rows.ROWS,
    *build_rows.ROWS,
)
