/// <reference types="node" />
import type {
  BatchAction,
  PropertyValue,
  TableEntity,
  TableEntityQueryOptions,
  TableEntityResult,
  TransactionAction,
} from './index.js'

// The published table patterns, as pure functions: they read and write nothing. A pattern is a definition, made once. It turns
// a row's former and new state into the operations that keep everything beside the row right (`Changes`), and says what a
// reader asks for (`Lookup`). The keys are those of the literature, so the same definitions run on the cloud service.
//
// A `number` has no type of its own: here it counts as an Int32, an Int64 or a Double, the first that fits. Rows with Doubles
// are therefore read with `disableTypeConversion`, or written with `{ type: 'Double', value }`.

/** A row as it was read, or is to be written; null or undefined if there is none: before an insert, after a delete. */
export type RowState = ReadEntity | null | undefined

/** An entity that was read. Its `etag` is what writes are on condition of. */
export type ReadEntity = TableEntity | TableEntity<object> | TableEntityResult<object>

/** PartitionKey and RowKey, for `getMany`. */
export type KeyPair = [partitionKey: string, rowKey: string]

/** A value that is asked for. */
export type KeyValue = Exclude<PropertyValue, null | undefined>

/** How a property's value is written into a key: as it is, numbers and dates so that their order is kept, or so: */
export interface FieldOptions {
  /** Whole numbers from 0 in so many digits, zeros before them. */
  padded?: number
  /**
   * `"folded"`: text whatever its case. `"safe"`: any text, its forbidden characters escaped, in order. `"base64"`: the
   * literature's form of any text. `"newestFirst"`: a Date, the latest first.
   */
  form?: 'folded' | 'safe' | 'base64' | 'newestFirst'
  /** The property is text that holds several values with this between them: the row is found by each. */
  each?: string
}

/** A property as a part of a key. `partitionKey` and `rowKey` may be named, too. */
export class Field {
  constructor(name: string, options?: FieldOptions)
  readonly name: string
  readonly padded?: number
  readonly form?: 'folded' | 'safe' | 'base64' | 'newestFirst'
  readonly each?: string
  /** The text that stands in a key for a value. */
  textOf(value: KeyValue): string
}

/** A property's name, or how it is written. */
export type FieldLike = string | Field | ({ name: string } & FieldOptions)

/** One read. It is what `listEntities` takes: `store.table(lookup.tableName).listEntities(lookup)`. */
export class Lookup {
  private constructor()
  readonly tableName: string
  /** The filter, in the service's language; empty for all entities. */
  readonly filter: string
  /** PartitionKey and RowKey, where one entity is asked for. */
  readonly keys?: KeyPair
  /** How many entities are wanted, where not all are. */
  readonly limit?: number
  readonly queryOptions: Pick<TableEntityQueryOptions, 'filter' | 'limit'>
}

/** One step of a change: an entity group transaction on one table and partition. */
export class Step {
  private constructor()
  readonly tableName: string
  /** The keys of what each operation writes. */
  readonly keys: KeyPair[]
  /** The operations: `store.table(step.tableName).submitTransaction(step.actions)`. */
  readonly actions: TransactionAction[]
  /**
   * The operations that are left to do, given what is stored under `keys`, as `getMany` gives it: none if the step was done
   * already. With this a step may be run as often as one likes. `EntityAlreadyExists`, `ResourceNotFound` and
   * `UpdateConditionNotSatisfied` say that somebody else was there in between: `reconcile` then brings the copies to the
   * row's state.
   */
  remaining(stored: RowState[]): TransactionAction[]
  /** Whether an error says that there was nothing left to do: a delete that finds nothing. */
  accepts(error: unknown): boolean
}

/**
 * All that is to be written for one change of a row, in steps: new copies before the row, old ones after it. Here all of it is
 * one transaction: `store.submitBatch(changes.actions)`. In the cloud the steps go through an outbox, one after the other.
 */
export class Changes {
  private constructor()
  readonly steps: readonly Step[]
  /** The one step that is all of the change; undefined if there are several, or nothing to do. */
  readonly group: Step | undefined
  readonly isEmpty: boolean
  /** The operations of all steps: `store.submitBatch(changes.actions)`. */
  readonly actions: BatchAction[]
  /**
   * These and another pattern's changes of the same row, as one list of steps. Both are made from the same two states of the
   * row; where a pattern adds to it, from its `rowOf`.
   */
  join(other: Changes): Changes
}

/** What patterns with copies have. */
interface Copies {
  /**
   * All that is to be written when a row goes from one state to the next: `undefined` before an insert, and after a delete. The
   * `etag` of the former state is what the row is written on condition of.
   */
  changes(former: RowState, row: RowState): Changes
  /**
   * The steps that bring the copies to the row's state of now: for rows that were there before the pattern, and for whoever
   * lost a race. `seen` are states whose copies may be left over. The row itself is not written.
   */
  reconcile(seen: ReadEntity[], current: RowState): Changes
}

/** Copies of a row under a second unique key: `Sales | email_jonesj@contoso.com`. */
export class SecondaryIndex implements Copies {
  /**
   * Copies in the row's partition, under the prefix and the value; with `rowPrefix`, in partitions of their own: the prefixes
   * are those of PartitionKeys then; with `copies`, in that table. With `select` they hold these properties only.
   */
  constructor(
    definition: { table: string; field: FieldLike; select?: string[] } & (
      | { prefix: string; rowPrefix?: string; copies?: undefined }
      | { copies: string; prefix?: undefined; rowPrefix?: undefined }
    ),
  )
  changes(former: RowState, row: RowState): Changes
  reconcile(seen: ReadEntity[], current: RowState): Changes
  /** The copy with this value. */
  find(partitionKey: string, value: KeyValue): Lookup
  /** The copies whose value begins so, in the order of values. */
  startingWith(partitionKey: string, text: string): Lookup
  /** The copies with values from the first to the last, both included. */
  between(partitionKey: string, first: KeyValue, last: KeyValue): Lookup
  /** All copies for the rows of a partition. */
  list(partitionKey: string): Lookup
}

/** Lists of the ids of all rows with a value, in one entity: `Sales | LastName_Jones`, `000223,000242`. */
export class IndexEntities {
  constructor(definition: {
    table: string
    /** Of the lists' RowKeys. */
    prefix: string
    fields: FieldLike[]
    /** The table of the lists, if it is not that of the rows. */
    lists?: string
    /** What the lists' PartitionKeys begin with, before the row's. */
    partitionPrefix?: string
    /** The property that holds the list; `Ids`. */
    listProperty?: string
    /** Several values are put together by `keys.compose`. */
    composed?: boolean
  })
  /** The lists that a change touches: to be read, and handed to `changes`. */
  reads(former: RowState, row: RowState): Lookup[]
  changes(former: RowState, row: RowState, lists: ReadEntity[]): Changes
  reconcile(seen: ReadEntity[], current: RowState, lists: ReadEntity[]): Changes
  /** The list for these values. */
  find(partitionKey: string, values: KeyValue[]): Lookup
  /** All lists for the rows of a partition. */
  list(partitionKey: string): Lookup
  /** The ids in the lists. */
  ids(lists: ReadEntity[]): string[]
  /** The keys of the rows in the lists. */
  rows(partitionKey: string, lists: ReadEntity[]): KeyPair[]
  /** The value that a list is for, as it stands in the key; undefined for a further part, and for other entities. */
  valueOfList(list: ReadEntity): string | undefined
}

/** An entry for each row in a table of its own: `Redmond | 1`. */
export class IndexTable implements Copies {
  constructor(definition: {
    table: string
    /** The table of the entries. */
    entries: string
    fields: FieldLike[]
    /** What an entry holds beside the keys of its row: nothing, the default; all of it; these properties. */
    projection?: 'keys' | 'all' | string[]
    /** One character between the values; `_`. */
    separator?: string
    /** Several values are put together by `keys.compose`. */
    composed?: boolean
    /** The RowKey of an entry is made of both keys of the row. */
    byBothKeys?: boolean
    /** The rows are spread over so many partitions: that of `shardKey`. */
    shards?: number
  })
  changes(former: RowState, row: RowState): Changes
  reconcile(seen: ReadEntity[], current: RowState): Changes
  /** The entries with these values: of all properties, or of the first ones. */
  find(values: KeyValue[]): Lookup
  /** The entries whose last value given begins so, the others being equal. */
  startingWith(values: KeyValue[]): Lookup
  /** The entries of values of the first property from one to another, both included. */
  between(first: KeyValue, last: KeyValue): Lookup
  /** The first entry of the next value: asked again with its PartitionKey, it lists each value once. */
  nextValue(after?: string): Lookup
  /** The keys of the rows that entries stand for. */
  rows(entries: ReadEntity[]): KeyPair[]
  /** The PartitionKey of a row, by its shard. */
  shardKey(rowKey: string): string
}

/** An entity that a second row with the same value cannot insert: `Employee | Uname_jbloggs`. */
export class UniqueGuard implements Copies {
  /** Guards in the row's partition; with `partitionKey`, for rows of all partitions, in that one, and of that table. */
  constructor(
    definition: { table: string; field: FieldLike } & (
      | { prefix: string; partitionKey?: undefined; guards?: undefined }
      | { prefix?: string; partitionKey: string; guards?: string }
    ),
  )
  changes(former: RowState, row: RowState): Changes
  reconcile(seen: ReadEntity[], current: RowState): Changes
  /** The guard of a value: if it is there, the value is taken. */
  find(partitionKey: string, value: KeyValue): Lookup
  /** The keys of the row that holds the value. */
  holder(guard: ReadEntity): KeyPair
}

/** Rows found by a text whatever its case. */
export class FoldedKey implements Copies {
  /** The folded text is the property `folded` of the row; or copies have it in their keys, behind `prefix`. */
  constructor(
    definition: { table: string; property: string } & (
      | { folded: string; prefix?: undefined }
      | { prefix: string; folded?: undefined }
    ),
  )
  changes(former: RowState, row: RowState): Changes
  reconcile(seen: ReadEntity[], current: RowState): Changes
  /** The row as it is stored. */
  rowOf(row: ReadEntity): TableEntity
  /** The rows, or their copies, that have this text in any case. */
  find(partitionKey: string, text: string): Lookup
  /** Those whose text begins so. */
  startingWith(partitionKey: string, text: string): Lookup
}

/** The newest first: the RowKey is the time that is left until the year 10000. */
export class LogTail {
  constructor(definition: {
    table: string
    /** The row's Date. */
    property: string
    /** Tells rows of one time apart. */
    id?: FieldLike
    /** A copy in ascending order is written, too. */
    bothOrders?: boolean
  })
  /** The row under the key that its properties call for; the RowKey it has is not looked at. */
  rowOf(row: ReadEntity): TableEntity
  changes(former: RowState, row: RowState): Changes
  /** The newest rows of a partition, at most so many. */
  latest(partitionKey: string, rows: number): Lookup
  /** The oldest rows, where both orders are kept. */
  earliest(partitionKey: string, rows: number): Lookup
  /** The rows from one time to another, both included, the newest first. */
  between(partitionKey: string, first: Date | string, last: Date | string): Lookup
}

/** Many values of a period in one entity: `meter7 | 20261201`, `h00` to `h23`. */
export class DataSeries {
  constructor(definition: { table: string; period: 'year' | 'month' | 'day' | 'hour' })
  /** Records a value, or changes it. */
  record(series: string, time: Date | string, value: KeyValue): Changes
  changes(former: RowState, row: RowState): Changes
  /** Takes a value out of an entity as it was read. */
  remove(entity: ReadEntity, time: Date | string): Changes
  /** The entity with the value of a time. */
  find(series: string, time: Date | string): Lookup
  /** The entities from the period of one time to that of another, both included. */
  between(series: string, first: Date | string, last: Date | string): Lookup
  /** The values of an entity with the times at which their parts begin, in order. */
  values(entity: ReadEntity): Array<[time: Date, value: unknown]>
}

/** More properties than one entity takes: `000123 | 01`, `000123 | 02`. */
export class WideEntity {
  constructor(definition: { table: string })
  /** The entities that the row is spread over. */
  split(row: ReadEntity): TableEntity[]
  /** The row that the parts make; undefined for no parts. */
  join(parts: ReadEntity[], options?: { disableTypeConversion?: boolean }): TableEntityResult | undefined
  changes(former: RowState, row: RowState): Changes
  /** All parts of a row. */
  find(partitionKey: string, rowKey: string): Lookup
}

/** Related rows side by side: `Sales | 000123`, `Sales | 000123_2012`. */
export class CompoundKey {
  constructor(definition: {
    table: string
    /** What the RowKey is made of. */
    fields: FieldLike[]
    /** What keys begin with. */
    prefix?: string
    /** One character between the values; `_`. */
    separator?: string
  })
  /** The row under the key that its properties call for; the RowKey it has is not looked at. */
  rowOf(row: ReadEntity): TableEntity
  changes(former: RowState, row: RowState): Changes
  /** The row with these values, of all properties or of the first ones. */
  find(partitionKey: string, values: KeyValue[]): Lookup
  /** The rows whose first values are these, and which have a further one. */
  below(partitionKey: string, values: KeyValue[]): Lookup
  /** The row with these values and the rows below it. */
  withBelow(partitionKey: string, values: KeyValue[]): Lookup
  /** The texts that a key is made of. */
  parts(rowKey: string): string[]
}

/** Each value once, and how many rows have it: `Sales | City_Palo Alto`, 17. */
export class DistinctList {
  constructor(definition: {
    table: string
    /** What the RowKeys of counts begin with. */
    prefix: string
    field: FieldLike
    /** What the RowKeys of rows begin with, if other entities are there, too. */
    rowPrefix?: string
  })
  /** The keys of the counts that a change touches: to be read, and handed to `changes`. */
  reads(former: RowState, row: RowState): KeyPair[]
  changes(former: RowState, row: RowState, counts: ReadEntity[]): Changes
  /** The steps that make the counts of a partition anew from all its rows; `counts` is all of `list`. */
  rebuild(partitionKey: string, rows: ReadEntity[], counts: ReadEntity[]): Changes
  /** The entities of a partition's values. */
  list(partitionKey: string): Lookup
  /** The entity of a value. */
  find(partitionKey: string, value: KeyValue): Lookup
  /** The values, as they stand in keys, and their numbers of rows. */
  counts(entities: ReadEntity[]): Array<[value: string, rows: number]>
}

