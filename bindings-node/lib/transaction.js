'use strict'

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

  updateEntity(entity, modeOrOptions, options) {
    this.actions.push(['update', entity, modeOrOptions, options])
  }

  upsertEntity(entity, modeOrOptions, options) {
    this.actions.push(['upsert', entity, modeOrOptions, options])
  }
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

module.exports = { TableTransaction, response }
