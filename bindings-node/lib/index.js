'use strict'

const { RestError } = require('./error.js')
const { Clock } = require('./clock.js')
const { DateTime } = require('./datetime.js')
const { Snapshot } = require('./snapshot.js')
const { Store, verify, verifySync } = require('./store.js')
const { Table } = require('./table.js')
const { TableTransaction, Transaction, TransactionTable } = require('./transaction.js')
const { odata } = require('./odata.js')
const patterns = require('./patterns.js')
const errorCodes = require('./errors.js')
const { entityFromJson, entityToJson, entitySize, keys } = require('./load.js')

module.exports = {
  Store,
  Table,
  TableTransaction,
  Transaction,
  TransactionTable,
  Snapshot,
  Clock,
  RestError,
  DateTime,
  odata,
  keys,
  patterns,
  entityFromJson,
  entityToJson,
  entitySize,
  verify,
  verifySync,
  errorCodes,
}
