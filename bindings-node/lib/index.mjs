// The same objects as in CommonJS: a program that loads both has one of each class.
import entable from './index.js'

export const {
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
} = entable
