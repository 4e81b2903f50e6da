"""All rows of the comparison, in the order of the report."""

from benchmarks import multiplex_rows
from benchmarks import row

ROWS: tuple[row.Row, ...] = (*multiplex_rows.ROWS,)
