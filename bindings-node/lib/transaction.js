'use strict'

const native = require('./load.js')
const { wrongType } = require('./error.js')
const { syncList } = require('./paging.js')

/** Collects the actions of a transaction: pass `actions` to `submitTransaction`. */
class TableTransaction {
  constructor(actions) {
    this.actions = actions ?? []
  }

  createEntity(entity) {
    this.actions.push(['create', entity])
  }

  deleteEntity(partitionKey, rowKey, options) {
    this.actions.push(['delete', { partitionKey, rowKey }, options])
  }

  createOrGetEntity(entity) {
    this.actions.push(['createOrGet', entity])
  }

  moveEntity(from, to, options) {
    this.actions.push(['move', from, to, options])
  }

  updateEntity(entity, modeOrOptions, options) {
    this.actions.push(['update', entity, modeOrOptions, options])
  }

  upsertEntity(entity, modeOrOptions, options) {
    this.actions.push(['upsert', entity, modeOrOptions, options])
  }
}

/** What `Store.transactionSync` hands to its function. It ends with it. */
class Transaction {
  #handle

  constructor(handle) {
    if (!(handle instanceof native.TransactionHandle)) throw new TypeError('A transaction comes from the method transactionSync of a store')
    this.#handle = handle
  }

  table(tableName) {
    return new TransactionTable(this.#handle.table(tableName), tableName)
  }

  createTableSync(tableName) {
    this.#handle.createTable(tableName)
    return this.table(tableName)
  }

  deleteTableSync(tableName) {
    this.#handle.deleteTable(tableName)
  }

  listTablesSync() {
    return this.#handle.listTables().map((name) => ({ name }))
  }
}

/** A table in a transaction: reads see what the transaction has written. */
class TransactionTable {
  #handle
  #name

  constructor(handle, tableName) {
    if (!(handle instanceof native.TransactionTableHandle)) throw new TypeError('A table comes from the method table of a transaction')
    this.#handle = handle
    this.#name = tableName
  }

  get tableName() {
    return this.#name
  }

  createEntitySync(entity) {
    return this.#handle.createEntity(entity)
  }

  updateEntitySync(entity, mode, options) {
    return this.#handle.updateEntity(entity, mode, options)
  }

  upsertEntitySync(entity, mode, options) {
    return this.#handle.upsertEntity(entity, mode, options)
  }

  createOrGetEntitySync(entity) {
    return this.#handle.createOrGetEntity(entity)
  }

  moveEntitySync(from, to, options) {
    return this.#handle.moveEntity(from, to, options)
  }

  deleteEntitySync(partitionKey, rowKey, options) {
    return this.#handle.deleteEntity(partitionKey, rowKey, options)
  }

  getEntitySync(partitionKey, rowKey, options) {
    return this.#handle.getEntity(partitionKey, rowKey, options)
  }

  existsSync(partitionKey, rowKey) {
    return this.#handle.exists(partitionKey, rowKey)
  }

  getManySync(keys, options) {
    return this.#handle.getMany(keys, options)
  }

  listEntitiesSync(options) {
    return syncList((settings) => this.#handle.query(options, settings))
  }

  countSync(options) {
    return this.#handle.count(options)
  }

  deleteEntitiesSync(options) {
    return this.#handle.deleteEntities(needQuery(options))
  }

  submitTransactionSync(actions) {
    return response(this.#handle.submitTransaction(actions))
  }

  createIndexSync(index) {
    this.#handle.createIndex(index, false)
  }

  createIndexIfNotExistsSync(index) {
    this.#handle.createIndex(index, true)
  }

  dropIndexSync(name) {
    this.#handle.dropIndex(name)
  }

  listIndexesSync() {
    return this.#handle.listIndexes()
  }
}

/** Refuses a deletion that does not say of what: without arguments it would be a slip. */
function needQuery(options) {
  if (typeof options?.queryOptions !== 'object') {
    throw wrongType('deleteEntities needs queryOptions: {} stands for all entities of the table.', 'queryOptions')
  }
  return options
}

/** The answer to a transaction, in the form of the official client's. */
function response(outcomes) {
  const subResponses = outcomes.map((outcome) => ({ status: 204, ...outcome }))
  return {
    status: 202,
    subResponses,
    getResponseForEntity: (rowKey) => subResponses.find((one) => one.rowKey === rowKey),
  }
}

module.exports = { TableTransaction, Transaction, TransactionTable, needQuery, response }
