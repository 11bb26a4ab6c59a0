'use strict'

const native = require('./load.js')
const { later, read } = require('./call.js')
const { wrongType } = require('./error.js')

/** The native snapshot of one; `Table.at` asks for it. */
let handleOf

/** One moment of a store. */
class Snapshot {
  #handle

  static {
    handleOf = (snapshot) => {
      if (typeof snapshot !== 'object' || snapshot === null || !(#handle in snapshot)) {
        throw wrongType('snapshot must be a Snapshot.', 'snapshot')
      }
      return snapshot.#handle
    }
  }

  constructor(handle) {
    if (!(handle instanceof native.SnapshotHandle)) throw new TypeError('A snapshot comes from the method snapshot of a store')
    this.#handle = handle
  }

  async listTables(options) {
    const names = await read(options, () => this.#handle.listTables(true))
    return names.map((name) => ({ name }))
  }

  listTablesSync() {
    return this.#handle.listTables(false).map((name) => ({ name }))
  }

  close() {
    return later(undefined, () => this.#handle.close(true))
  }

  closeSync() {
    this.#handle.close(false)
  }
}

if (Symbol.dispose) Snapshot.prototype[Symbol.dispose] = Snapshot.prototype.closeSync
if (Symbol.asyncDispose) Snapshot.prototype[Symbol.asyncDispose] = Snapshot.prototype.close

module.exports = { Snapshot, handleOf }
