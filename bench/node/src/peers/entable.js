'use strict'

const path = require('node:path')
const { Store, odata } = require('../../../../bindings-node')

/** The filter's text. */
function filterOf(ask, partition) {
  const terms = []
  if (partition !== undefined) terms.push(odata`PartitionKey eq ${partition}`)
  if (ask?.city !== undefined) terms.push(odata`City eq ${ask.city}`)
  if (ask && ask.city === undefined) terms.push('Age gt 60')
  if (ask?.isThree) terms.push('Age gt 60', 'Active eq false')
  return terms.join(' and ')
}

class Entable {
  name = 'entable'

  constructor(folder) {
    this.folder = folder
    this.store = Store.openSync(path.join(folder, 'employees.ent'))
    this.table = this.store.createTableSync('Employees')
  }

  load(rows) {
    this.store.submitBatchSync(rows)
  }

  loaded(rows) {
    return rows.map((row) => ['Employees', 'create', row])
  }

  grouped(rows) {
    return rows.map((row) => ['create', row])
  }

  group(actions) {
    this.table.submitTransactionSync(actions)
  }

  insert(row) {
    this.table.createEntitySync(row)
  }

  insertLater(row) {
    return this.table.createEntity(row)
  }

  remove(partitionKey, rowKey) {
    this.table.deleteEntitySync(partitionKey, rowKey)
  }

  get(partitionKey, rowKey) {
    return this.table.getEntitySync(partitionKey, rowKey)
  }

  range(partitionKey, rowKey, limit) {
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey ge ${rowKey}`
    return [...this.table.listEntitiesSync({ queryOptions: { filter, limit } })]
  }

  scan(ask, partition) {
    return [...this.table.listEntitiesSync({ queryOptions: { filter: filterOf(ask, partition) } })]
  }

  count(ask) {
    return this.table.countSync(ask && { queryOptions: { filter: filterOf(ask) } })
  }

  buildIndex() {
    this.table.createIndexSync({ name: 'ByCity', properties: ['City'] })
  }

  byCity(city) {
    return [...this.table.listEntitiesSync({ queryOptions: { filter: odata`City eq ${city}` } })]
  }

  close() {
    this.store.closeSync()
  }
}

module.exports = { Entable }
