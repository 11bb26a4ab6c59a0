'use strict'

const { fileURLToPath } = require('node:url')
const native = require('./load.js')
const { clockOf } = require('./clock.js')
const { later, queued, read } = require('./call.js')
const { wrongType } = require('./error.js')
const { asyncList, syncList } = require('./paging.js')
const { Snapshot } = require('./snapshot.js')
const { Table } = require('./table.js')
const { Transaction, response } = require('./transaction.js')

/** In the place of a promise's number: the write is done before the call returns. */
const NOW = 0

/** What only this file knows, so that a store comes from `open` alone. */
const OPEN = Symbol('open')

const pathOf = (path) => (path instanceof URL ? fileURLToPath(path) : path)

class Store {
  #handle

  constructor(open, handle) {
    if (open !== OPEN) throw new TypeError('A store is opened by Store.open or Store.openSync')
    this.#handle = handle
  }

  static async open(path, options) {
    const open = () => native.StoreHandle.open(true, pathOf(path), options, clockOf(options?.clock))
    return new Store(OPEN, await later(undefined, open))
  }

  static openSync(path, options) {
    return new Store(OPEN, native.StoreHandle.open(false, pathOf(path), options, clockOf(options?.clock)))
  }

  table(tableName) {
    return new Table(this, this.#handle, tableName)
  }

  async createTable(tableName, options) {
    await later(options, () => this.#handle.createTable(true, tableName))
    return this.table(tableName)
  }

  createTableSync(tableName) {
    this.#handle.createTable(false, tableName)
    return this.table(tableName)
  }

  deleteTable(tableName, options) {
    return later(options, () => this.#handle.deleteTable(true, tableName))
  }

  deleteTableSync(tableName) {
    this.#handle.deleteTable(false, tableName)
  }

  listTables(options) {
    return asyncList((settings) => new TablePages(this.#handle, options, settings), options)
  }

  listTablesSync(options) {
    return syncList((settings) => new TablePages(this.#handle, options, settings))
  }

  async submitBatch(actions, options) {
    const submit = (promise, givingUp) => this.#handle.submitBatch(promise, actions, givingUp)
    return response(await queued(options, submit))
  }

  submitBatchSync(actions) {
    return response(this.#handle.submitBatch(NOW, actions))
  }

  transactionSync(work) {
    if (typeof work !== 'function') throw wrongType('A transaction is a function.', 'work')
    const handle = this.#handle.begin()
    try {
      const result = work(new Transaction(handle))
      if (typeof result?.then === 'function') {
        // Its rejection is nobody's: this error says what is wrong.
        result.then(undefined, () => {})
        throw wrongType('A transaction is synchronous: its function must not return a promise. Nothing of it was done.', 'work')
      }
      handle.commit()
      return result
    } finally {
      // After a commit there is nothing left to roll back.
      handle.rollback()
    }
  }

  async snapshot(options) {
    return new Snapshot(await later(options, () => this.#handle.snapshot(true)))
  }

  snapshotSync() {
    return new Snapshot(this.#handle.snapshot(false))
  }

  sync(options) {
    return read(options, () => this.#handle.sync(true))
  }

  syncSync() {
    this.#handle.sync(false)
  }

  stats(options) {
    return read(options, () => this.#handle.stats(true))
  }

  statsSync() {
    return this.#handle.stats(false)
  }

  advise(options) {
    return read(options, () => this.#handle.advise(true))
  }

  adviseSync() {
    return this.#handle.advise(false)
  }

  backup(path, options) {
    return later(options, () => this.#handle.backup(true, pathOf(path)))
  }

  backupSync(path) {
    return this.#handle.backup(false, pathOf(path))
  }

  compactInto(path, options) {
    return later(options, () => this.#handle.compactInto(true, pathOf(path)))
  }

  compactIntoSync(path) {
    return this.#handle.compactInto(false, pathOf(path))
  }

  compact(options) {
    return later(options, () => this.#handle.compact(true))
  }

  compactSync() {
    return this.#handle.compact(false)
  }

  close() {
    return later(undefined, () => this.#handle.close(true))
  }

  closeSync() {
    this.#handle.close(false)
  }
}

if (Symbol.dispose) Store.prototype[Symbol.dispose] = Store.prototype.closeSync
if (Symbol.asyncDispose) Store.prototype[Symbol.asyncDispose] = Store.prototype.close

/** What `byPage` takes. */
const SETTINGS = ['maxPageSize', 'continuationToken']

/** The pages of a listing. The store gives all names at once; a token is the name that the next page begins with. */
class TablePages {
  #names
  #token
  #size

  constructor(handle, options, settings) {
    this.#names = (isLater) => handle.listTables(isLater, options)
    for (const name of Object.keys(settings ?? {})) {
      if (!SETTINGS.includes(name)) throw wrongType(`There is no option ${name}: there are ${SETTINGS.join(', ')}.`, name)
    }
    this.#token = settings?.continuationToken
    this.#size = settings?.maxPageSize ?? Infinity
    if (this.#size !== Infinity && !(Number.isSafeInteger(this.#size) && this.#size >= 0)) {
      throw wrongType('maxPageSize must be a whole number, 0 or more.', 'maxPageSize')
    }
    if (this.#token !== undefined && typeof this.#token !== 'string') {
      throw wrongType('continuationToken must be a string.', 'continuationToken')
    }
  }

  next(isLater) {
    if (this.#token === null) return isLater ? Promise.resolve(null) : null
    const names = this.#names(isLater)
    return isLater ? names.then((all) => this.#page(all)) : this.#page(names)
  }

  #page(names) {
    // Names are in the order of their lower-cased letters.
    const from = this.#token?.toLowerCase() ?? ''
    const left = names.filter((name) => name.toLowerCase() >= from)
    const page = left.slice(0, this.#size).map((name) => ({ name }))
    // A page of none has no end to go on from, as with entities.
    page.continuationToken = this.#size === 0 ? undefined : left[page.length]
    this.#token = page.continuationToken ?? null
    return page
  }
}

/** Goes through the file at `path` and tells what is wrong in it. */
function verify(path) {
  return later(undefined, () => native.verify(true, pathOf(path)))
}

function verifySync(path) {
  return native.verify(false, pathOf(path))
}

module.exports = { Store, verify, verifySync }
