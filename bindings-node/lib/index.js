'use strict'

const { RestError } = require('./error.js')
const { DateTime } = require('./datetime.js')
const { Store } = require('./store.js')
const { Table } = require('./table.js')
const { TableTransaction } = require('./transaction.js')
const { odata } = require('./odata.js')
const errorCodes = require('./errors.js')

module.exports = { Store, Table, TableTransaction, RestError, DateTime, odata, errorCodes }
