'use strict'

const native = require('./load.js')
const { wrongType } = require('./error.js')
const { givingUpOf, later, queued, read } = require('./call.js')
const { asyncItems, asyncList, syncItems, syncList } = require('./paging.js')
const { handleOf } = require('./snapshot.js')
const { needQuery, response } = require('./transaction.js')

/** In the place of a promise's number: the write is done before the call returns. */
const NOW = 0

/** Refuses a missing key at once, as the official client: its promise would say it later. */
function needKeys(partitionKey, rowKey) {
  if (isMissing(partitionKey) || isMissing(rowKey)) native.needKeys({ partitionKey, rowKey })
}

/** The same for the keys of an entity. */
function needKeysOf(entity) {
  if (isMissing(entity?.partitionKey) || isMissing(entity?.rowKey)) native.needKeys(entity)
}

const isMissing = (key) => key === undefined || key === null

class Table {
  #store
  #storeHandle
  #name
  #known

  constructor(store, storeHandle, tableName) {
    if (!(storeHandle instanceof native.StoreHandle)) throw new TypeError('A table comes from the method table of a store')
    if (typeof tableName !== 'string') throw wrongType('tableName must be a string.', 'tableName')
    this.#store = store
    this.#storeHandle = storeHandle
    this.#name = tableName
  }

  get tableName() {
    return this.#name
  }

  get store() {
    return this.#store
  }

  /** The native table. Made with the first call, so that a bad name shows when the table is used. */
  get #handle() {
    return (this.#known ??= this.#storeHandle.table(this.#name))
  }

  createTable(options) {
    return later(options, () => this.#storeHandle.createTable(true, this.#name))
  }

  createTableSync() {
    this.#storeHandle.createTable(false, this.#name)
  }

  deleteTable(options) {
    return later(options, () => this.#storeHandle.deleteTable(true, this.#name))
  }

  deleteTableSync() {
    this.#storeHandle.deleteTable(false, this.#name)
  }

  createEntity(entity, options) {
    return queued(options, (promise, givingUp) => this.#handle.createEntity(promise, entity, givingUp))
  }

  createEntitySync(entity) {
    return this.#handle.createEntity(NOW, entity)
  }

  updateEntity(entity, mode, options) {
    needKeysOf(entity)
    return queued(options, (promise, givingUp) => this.#handle.updateEntity(promise, entity, mode, options, givingUp))
  }

  updateEntitySync(entity, mode, options) {
    return this.#handle.updateEntity(NOW, entity, mode, options)
  }

  upsertEntity(entity, mode, options) {
    needKeysOf(entity)
    return queued(options, (promise, givingUp) => this.#handle.upsertEntity(promise, entity, mode, options, givingUp))
  }

  upsertEntitySync(entity, mode, options) {
    return this.#handle.upsertEntity(NOW, entity, mode, options)
  }

  createOrGetEntity(entity, options) {
    return queued(options, (promise, givingUp) => this.#handle.createOrGetEntity(promise, entity, givingUp))
  }

  createOrGetEntitySync(entity) {
    return this.#handle.createOrGetEntity(NOW, entity)
  }

  moveEntity(from, to, options) {
    return queued(options, (promise, givingUp) => this.#handle.moveEntity(promise, from, to, options, givingUp))
  }

  moveEntitySync(from, to, options) {
    return this.#handle.moveEntity(NOW, from, to, options)
  }

  deleteEntity(partitionKey, rowKey, options) {
    needKeys(partitionKey, rowKey)
    return queued(options, (promise, givingUp) => this.#handle.deleteEntity(promise, partitionKey, rowKey, options, givingUp))
  }

  deleteEntitySync(partitionKey, rowKey, options) {
    return this.#handle.deleteEntity(NOW, partitionKey, rowKey, options)
  }

  getEntity(partitionKey, rowKey, options) {
    needKeys(partitionKey, rowKey)
    return read(options, () => this.#handle.getEntity(true, partitionKey, rowKey, options))
  }

  getEntitySync(partitionKey, rowKey, options) {
    return this.#handle.getEntity(false, partitionKey, rowKey, options)
  }

  exists(partitionKey, rowKey, options) {
    needKeys(partitionKey, rowKey)
    return read(options, () => this.#handle.exists(true, partitionKey, rowKey))
  }

  existsSync(partitionKey, rowKey) {
    return this.#handle.exists(false, partitionKey, rowKey)
  }

  getMany(keys, options) {
    return read(options, () => this.#handle.getMany(true, keys, options))
  }

  getManySync(keys, options) {
    return this.#handle.getMany(false, keys, options)
  }

  listEntities(options) {
    return asyncList((settings, givingUp) => this.#handle.query(options, settings, givingUp), options)
  }

  listEntitiesSync(options) {
    return syncList((settings) => this.#handle.query(options, settings))
  }

  async submitTransaction(actions, options) {
    const submit = (promise, givingUp) => this.#handle.submitTransaction(promise, actions, givingUp)
    return response(await queued(options, submit))
  }

  submitTransactionSync(actions) {
    return response(this.#handle.submitTransaction(NOW, actions))
  }

  at(snapshot) {
    const table = new Table(this.#store, this.#storeHandle, this.#name)
    table.#known = this.#handle.at(handleOf(snapshot))
    return table
  }

  count(options) {
    return read(options, (givingUp) => this.#handle.count(true, options, givingUp))
  }

  countSync(options) {
    return this.#handle.count(false, options)
  }

  explain(options) {
    return read(options, (givingUp) => this.#handle.explain(true, options, givingUp))
  }

  explainSync(options) {
    return this.#handle.explain(false, options)
  }

  partitionKeys(options) {
    return asyncItems(() => this.#handle.partitionKeys(), options)
  }

  partitionKeysSync() {
    return syncItems(() => this.#handle.partitionKeys())
  }

  deleteEntities(options) {
    if (options?.chunk !== undefined) return this.#deleteInChunks(options)
    return queued(options, (promise, givingUp) => this.#handle.deleteEntities(promise, needQuery(options), givingUp))
  }

  /** Step by step, each queued like any other write. */
  async #deleteInChunks(options) {
    const givingUp = givingUpOf(options)
    const deletion = await later(options, async () => this.#handle.deletion(needQuery(options), givingUp))
    let count = 0
    while (deletion.isLeft()) count += await queued(options, (promise) => deletion.step(promise, givingUp), givingUp)
    return count
  }

  deleteEntitiesSync(options) {
    needQuery(options)
    return options.chunk === undefined ? this.#handle.deleteEntities(NOW, options) : this.#handle.deleteInChunks(options)
  }

  createIndex(index, options) {
    return later(options, () => this.#handle.createIndex(true, index, false))
  }

  createIndexSync(index) {
    this.#handle.createIndex(false, index, false)
  }

  createIndexIfNotExists(index, options) {
    return later(options, () => this.#handle.createIndex(true, index, true))
  }

  createIndexIfNotExistsSync(index) {
    this.#handle.createIndex(false, index, true)
  }

  dropIndex(name, options) {
    return later(options, () => this.#handle.dropIndex(true, name))
  }

  dropIndexSync(name) {
    this.#handle.dropIndex(false, name)
  }

  listIndexes(options) {
    return read(options, () => this.#handle.listIndexes(true))
  }

  listIndexesSync() {
    return this.#handle.listIndexes(false)
  }

  indexStats(options) {
    return read(options, () => this.#handle.indexStats(true))
  }

  indexStatsSync() {
    return this.#handle.indexStats(false)
  }

  advise(options) {
    return read(options, () => this.#handle.advise(true))
  }

  adviseSync() {
    return this.#handle.advise(false)
  }
}

module.exports = { Table }
