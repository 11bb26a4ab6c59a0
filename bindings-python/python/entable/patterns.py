"""The published table patterns, in the layouts of the literature, as pure functions.

A pattern is a definition: a small object, made once. It turns a row's former and new state into the operations that
keep everything beside the row right (``Changes``), and says what a reader asks for (``Lookup``). Nothing here reads
or writes. The keys are those that the literature writes, so the same definitions run on the cloud service, and data
that was written by hand is found by them.

=================== ============================================== ==============================================
``SecondaryIndex``  a copy of the row under a second unique key    ``Sales | empid_000223``, ``Sales | email_jonesj@…``
``IndexEntities``   the ids of all rows with a value, in one entity ``Sales | LastName_Jones``: ``000223,000242``
``IndexTable``      an entry for each row in a table of its own    ``Redmond | 1``, whole, in part, or the key alone
``UniqueGuard``     an entity that a second row cannot insert      ``Employee | Uname_jbloggs``
``FoldedKey``       the value without case, as property or key     ``LastNameFolded`` = ``jones``
``LogTail``         the newest first                               ``2521…``, nineteen digits
``DataSeries``      many values of a period in one entity          ``meter7 | 20261201``: ``h00`` … ``h23``
``WideEntity``      more properties than one entity takes          ``000123 | 01``, ``000123 | 02``
``CompoundKey``     related rows side by side                      ``Sales | 000123``, ``Sales | 000123_2012``
``DistinctList``    each value once, and how many rows have it     ``Sales | City_Palo Alto``: 17
=================== ============================================== ==============================================

In this store a declared index (``Table.create_index``) does the work of the first five in the row's own
transaction, and without entities of its own; a descending query that of ``LogTail``. The patterns are for data that
moves to the cloud, or came from there, and for a row that is found by each of several values (``Field("Tags",
each=",")``).

Writing and reading
-------------------

Here all of a change is one transaction over any tables:

>>> import entable
>>> from entable.patterns import IndexTable
>>> store = entable.Store(":memory:")
>>> customers, _ = store.create_table("Customers"), store.create_table("CustomersByTown")
>>> by_town = IndexTable.normalized("Customers", "CustomersByTown", ["Town"])
>>> smith = {"PartitionKey": "1", "RowKey": "1", "Town": "Redmond", "LastName": "Smith"}
>>> done = store.submit_batch(by_town.changes(None, smith))

A reader asks for the entries of a town, then for their rows:

>>> lookup = by_town.find(["Redmond"])
>>> entries = store.get_table_client(lookup.table).query_entities(lookup)
>>> customers.get_many(by_town.rows(entries)) == [smith]
True

A later change is made from the row as it was read, with its ETag, and as it shall be:

>>> former = customers.get_entity("1", "1")
>>> changes = by_town.changes(former, {**former, "Town": "Palo Alto"})
>>> [(step.table, step.keys) for step in changes.steps]
[('CustomersByTown', [('Palo Alto', '1')]), ('Customers', [('1', '1')]), ('CustomersByTown', [('Redmond', '1')])]

An outbox
---------

Where one transaction does not reach, the steps go one after the other. Whoever makes a change keeps a message
first: the row's former state as it was read, with its ETag, and the new one. From the two the steps are made, as
often as it takes; lists and counts are read anew each time.

1. Each step in its order: read what is stored under ``step.keys``, write what ``step.remaining`` has left.
2. ``EntityAlreadyExists``, ``ResourceNotFound`` or ``UpdateConditionNotSatisfied`` as the ``error_code`` of a step's
   exception: another was first. Read the row, run the steps of ``reconcile`` with all states that were seen, and read
   the row again: if its ETag is another, once more, with that state among those seen. A pattern without ``reconcile``
   writes one group, and nothing is left over.
3. The message goes when its steps are done; where several writers change one row at once, when a whole pass from
   the first step on has found nothing left to do.

>>> def run(changes):
...     for step in changes.steps:
...         table = store.get_table_client(step.table)
...         table.submit_transaction(step.remaining(table.get_many(step.keys)))
>>> run(changes)
>>> run(changes)  # does nothing
>>> [(key, entry["RowKey"]) for key in ("Redmond", "Palo Alto")
...  for entry in store.get_table_client("CustomersByTown").query_entities(by_town.find([key]))]
[('Palo Alto', '1')]

The messages of one row are finished in the order in which they were made. Several patterns on one row make one list
of steps by ``Changes.join``. With ``entable.aio`` it is the same objects, awaited where tables are.
"""

from ._entable import (
    Changes,
    CompoundKey,
    DataSeries,
    DistinctList,
    Field,
    FoldedKey,
    IndexEntities,
    IndexTable,
    LogTail,
    Lookup,
    SecondaryIndex,
    Step,
    UniqueGuard,
    WideEntity,
)

__all__ = [
    "Changes",
    "CompoundKey",
    "DataSeries",
    "DistinctList",
    "Field",
    "FoldedKey",
    "IndexEntities",
    "IndexTable",
    "LogTail",
    "Lookup",
    "SecondaryIndex",
    "Step",
    "UniqueGuard",
    "WideEntity",
]
