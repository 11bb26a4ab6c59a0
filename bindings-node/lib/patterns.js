'use strict'
// The published patterns. They are the core's: what is here hands over, and gives the results their classes.

const native = require('./load.js')

/** A property as a part of a key. */
class Field {
  constructor(name, options) {
    Object.assign(this, options, { name })
    native.checkField(this)
    Object.freeze(this)
  }

  textOf(value) {
    return native.fieldText(this, value)
  }
}

/** One read: options of `listEntities`, and the table to ask. */
class Lookup {
  constructor({ tableName, filter, keys, limit }) {
    this.queryOptions = Object.freeze({ filter, limit })
    // Not enumerable: they are no options of `listEntities`.
    for (const [name, value] of Object.entries({ tableName, filter, keys, limit })) Object.defineProperty(this, name, { value })
    Object.freeze(this)
  }
}

/** An entity group transaction. */
class Step {
  #changes
  #at
  #tableName

  constructor(changes, at, tableName) {
    if (!(changes instanceof native.ChangesHandle)) throw new TypeError('A step comes from the member steps of changes')
    this.#changes = changes
    this.#at = at
    this.#tableName = tableName
  }

  get tableName() {
    return this.#tableName
  }

  get keys() {
    return this.#changes.keys(this.#at)
  }

  get actions() {
    return this.#changes.actions(this.#at)
  }

  remaining(stored) {
    return this.#changes.remaining(this.#at, stored)
  }

  accepts(error) {
    return typeof error?.code === 'string' && this.#changes.accepts(this.#at, error.code)
  }
}

/** All that is to be written for one change of a row. */
class Changes {
  #handle
  #steps

  constructor(handle) {
    if (!(handle instanceof native.ChangesHandle)) throw new TypeError('Changes come from the method changes of a pattern')
    this.#handle = handle
  }

  get steps() {
    return (this.#steps ??= Object.freeze(this.#handle.tables.map((table, at) => new Step(this.#handle, at, table))))
  }

  get group() {
    return this.steps.length === 1 ? this.steps[0] : undefined
  }

  get isEmpty() {
    return this.steps.length === 0
  }

  get actions() {
    return this.steps.flatMap((step) => step.actions.map((action) => [step.tableName, ...action]))
  }

  join(other) {
    if (!(other instanceof Changes)) throw new TypeError('Changes are joined with the changes of another pattern')
    return new Changes(this.#handle.join(other.#handle))
  }
}

/** Calls of the native pattern: what is written, what is asked for, what is known. */
let make
let ask
let tell

class Pattern {
  #handle

  static {
    make = (pattern, call, ...given) => new Changes(pattern.#handle.make(call, given))
    ask = (pattern, call, ...given) => new Lookup(pattern.#handle.ask(call, given))
    tell = (pattern, call, ...given) => pattern.#handle.tell(call, given)
  }

  constructor(name, definition) {
    this.#handle = new native.PatternHandle(name, definition)
  }

  changes(former, row, stored) {
    return make(this, 'changes', former, row, stored)
  }
}

class SecondaryIndex extends Pattern {
  constructor(definition) {
    super('SecondaryIndex', definition)
  }

  reconcile(seen, current) {
    return make(this, 'reconcile', seen, current)
  }

  find(partitionKey, value) {
    return ask(this, 'find', partitionKey, value)
  }

  startingWith(partitionKey, text) {
    return ask(this, 'startingWith', partitionKey, text)
  }

  between(partitionKey, first, last) {
    return ask(this, 'between', partitionKey, first, last)
  }

  list(partitionKey) {
    return ask(this, 'list', partitionKey)
  }
}

class IndexEntities extends Pattern {
  constructor(definition) {
    super('IndexEntities', definition)
  }

  reads(former, row) {
    return tell(this, 'reads', former, row).map((lookup) => new Lookup(lookup))
  }

  reconcile(seen, current, lists) {
    return make(this, 'reconcile', seen, current, lists)
  }

  find(partitionKey, values) {
    return ask(this, 'find', partitionKey, values)
  }

  list(partitionKey) {
    return ask(this, 'list', partitionKey)
  }

  ids(lists) {
    return tell(this, 'ids', lists)
  }

  rows(partitionKey, lists) {
    return tell(this, 'rows', partitionKey, lists)
  }

  valueOfList(list) {
    return tell(this, 'valueOfList', list) ?? undefined
  }
}

class IndexTable extends Pattern {
  constructor(definition) {
    super('IndexTable', definition)
  }

  reconcile(seen, current) {
    return make(this, 'reconcile', seen, current)
  }

  find(values) {
    return ask(this, 'find', values)
  }

  startingWith(values) {
    return ask(this, 'startingWith', values)
  }

  between(first, last) {
    return ask(this, 'between', first, last)
  }

  nextValue(after) {
    return ask(this, 'nextValue', after)
  }

  rows(entries) {
    return tell(this, 'rows', entries)
  }

  shardKey(rowKey) {
    return tell(this, 'shardKey', rowKey)
  }
}

class UniqueGuard extends Pattern {
  constructor(definition) {
    super('UniqueGuard', definition)
  }

  reconcile(seen, current) {
    return make(this, 'reconcile', seen, current)
  }

  find(partitionKey, value) {
    return ask(this, 'find', partitionKey, value)
  }

  holder(guard) {
    return tell(this, 'holder', guard)
  }
}

class FoldedKey extends Pattern {
  constructor(definition) {
    super('FoldedKey', definition)
  }

  reconcile(seen, current) {
    return make(this, 'reconcile', seen, current)
  }

  rowOf(row) {
    return tell(this, 'rowOf', row)
  }

  find(partitionKey, text) {
    return ask(this, 'find', partitionKey, text)
  }

  startingWith(partitionKey, text) {
    return ask(this, 'startingWith', partitionKey, text)
  }
}

class LogTail extends Pattern {
  constructor(definition) {
    super('LogTail', definition)
  }

  rowOf(row) {
    return tell(this, 'rowOf', row)
  }

  latest(partitionKey, rows) {
    return ask(this, 'latest', partitionKey, rows)
  }

  earliest(partitionKey, rows) {
    return ask(this, 'earliest', partitionKey, rows)
  }

  between(partitionKey, first, last) {
    return ask(this, 'between', partitionKey, first, last)
  }
}

class DataSeries extends Pattern {
  constructor(definition) {
    super('DataSeries', definition)
  }

  record(series, time, value) {
    return make(this, 'record', series, time, value)
  }

  remove(entity, time) {
    return make(this, 'remove', entity, time)
  }

  find(series, time) {
    return ask(this, 'find', series, time)
  }

  between(series, first, last) {
    return ask(this, 'between', series, first, last)
  }

  values(entity) {
    return tell(this, 'values', entity)
  }
}

class WideEntity extends Pattern {
  constructor(definition) {
    super('WideEntity', definition)
  }

  split(row) {
    return tell(this, 'split', row)
  }

  join(parts, options) {
    return tell(this, 'join', parts, options)
  }

  find(partitionKey, rowKey) {
    return ask(this, 'find', partitionKey, rowKey)
  }
}

class CompoundKey extends Pattern {
  constructor(definition) {
    super('CompoundKey', definition)
  }

  rowOf(row) {
    return tell(this, 'rowOf', row)
  }

  find(partitionKey, values) {
    return ask(this, 'find', partitionKey, values)
  }

  below(partitionKey, values) {
    return ask(this, 'below', partitionKey, values)
  }

  withBelow(partitionKey, values) {
    return ask(this, 'withBelow', partitionKey, values)
  }

  parts(rowKey) {
    return tell(this, 'parts', rowKey)
  }
}

class DistinctList extends Pattern {
  constructor(definition) {
    super('DistinctList', definition)
  }

  reads(former, row) {
    return tell(this, 'reads', former, row)
  }

  rebuild(partitionKey, rows, counts) {
    return make(this, 'rebuild', partitionKey, rows, counts)
  }

  list(partitionKey) {
    return ask(this, 'list', partitionKey)
  }

  find(partitionKey, value) {
    return ask(this, 'find', partitionKey, value)
  }

  counts(entities) {
    return tell(this, 'counts', entities)
  }
}

module.exports = Object.freeze({
  Field,
  Lookup,
  Step,
  Changes,
  SecondaryIndex,
  IndexEntities,
  IndexTable,
  UniqueGuard,
  FoldedKey,
  LogTail,
  DataSeries,
  WideEntity,
  CompoundKey,
  DistinctList,
})
