'use strict'

const { fileURLToPath } = require('node:url')
const native = require('./load.js')
const { later } = require('./error.js')
const { asyncList, syncList } = require('./paging.js')
const { Table } = require('./table.js')

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
    return new Store(OPEN, await later(undefined, () => native.StoreHandle.open(true, pathOf(path), options)))
  }

  static openSync(path, options) {
    return new Store(OPEN, native.StoreHandle.open(false, pathOf(path), options))
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

  close() {
    return later(undefined, () => this.#handle.close(true))
  }

  closeSync() {
    this.#handle.close(false)
  }
}

if (Symbol.dispose) Store.prototype[Symbol.dispose] = Store.prototype.closeSync
if (Symbol.asyncDispose) Store.prototype[Symbol.asyncDispose] = Store.prototype.close

/** The pages of a listing. The store gives all names at once; a token is the name that the next page begins with. */
class TablePages {
  #names
  #token
  #size

  constructor(handle, options, settings) {
    this.#names = (isLater) => handle.listTables(isLater, options)
    this.#token = settings?.continuationToken
    this.#size = settings?.maxPageSize ?? Infinity
    if (this.#size !== Infinity && !(Number.isSafeInteger(this.#size) && this.#size >= 0)) {
      throw new TypeError('maxPageSize must be a whole number, 0 or more.')
    }
    if (this.#token !== undefined && typeof this.#token !== 'string') {
      throw new TypeError('continuationToken must be a string.')
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

module.exports = { Store }
