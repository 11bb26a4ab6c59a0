'use strict'
// lmdb-js: objects in its own encoding with shared structures; and the bytes alone, of which nothing is decoded: the floor.

const { open } = require('lmdb')
const { Packr } = require('msgpackr')

/** Behind all RowKeys of a partition. */
const LAST = '\x7f'

class Lmdb {
  constructor(folder, isBinary = false) {
    this.name = isBinary ? 'floor' : 'lmdb-js'
    this.folder = folder
    this.isBinary = isBinary
    this.packr = new Packr()
    // Each transaction is synced before it returns.
    this.root = open({ path: folder, mapSize: 16 * 2 ** 30, overlappingSync: false, maxDbs: 4 })
    this.rows = this.root.openDB({ name: 'rows', ...(isBinary ? { encoding: 'binary' } : { sharedStructuresKey: Symbol.for('structures') }) })
  }

  value({ partitionKey, rowKey, ...rest }) {
    return this.isBinary ? this.packr.pack(rest) : rest
  }

  row(value, [partitionKey, rowKey]) {
    return this.isBinary ? value : Object.assign(value, { partitionKey, rowKey })
  }

  load(rows) {
    this.root.transactionSync(() => {
      for (const { key, value } of rows) this.rows.putSync(key, value)
    })
  }

  loaded(rows) {
    return rows.map((row) => ({ key: [row.partitionKey, row.rowKey], value: this.value(row) }))
  }

  grouped(rows) {
    return this.loaded(rows)
  }

  group(rows) {
    this.load(rows)
  }

  insert(row) {
    this.rows.putSync([row.partitionKey, row.rowKey], this.value(row))
  }

  insertLater(row) {
    return this.rows.put([row.partitionKey, row.rowKey], this.value(row))
  }

  remove(partitionKey, rowKey) {
    this.rows.removeSync([partitionKey, rowKey])
  }

  get(partitionKey, rowKey) {
    const key = [partitionKey, rowKey]
    return this.row(this.rows.get(key), key)
  }

  range(partitionKey, rowKey, limit) {
    const rows = []
    for (const { key, value } of this.rows.getRange({ start: [partitionKey, rowKey], end: [partitionKey, LAST], limit })) {
      rows.push(this.row(value, key))
    }
    return rows
  }

  /** Of the bytes alone nothing is known. */
  scan(ask, partition) {
    if (this.isBinary) return undefined
    const rows = []
    const range = partition === undefined ? {} : { start: [partition, ''], end: [partition, LAST] }
    for (const { key, value } of this.rows.getRange(range)) if (ask.test(value)) rows.push(this.row(value, key))
    return rows
  }

  count(ask) {
    if (ask === undefined) return this.rows.getKeysCount()
    return this.scan(ask)?.length
  }

  buildIndex() {
    if (this.isBinary) return
    this.index = this.root.openDB({ name: 'city', dupSort: true, encoding: 'ordered-binary' })
    this.root.transactionSync(() => {
      for (const { key, value } of this.rows.getRange({ snapshot: false })) this.index.putSync(value.City, key)
    })
  }

  byCity(city) {
    return this.isBinary ? undefined : [...this.index.getValues(city)].map((key) => this.get(...key))
  }

  close() {
    return this.root.close()
  }
}

module.exports = { Lmdb }
