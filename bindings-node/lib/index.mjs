// The same objects as in CommonJS: a program that loads both has one of each class.
import entable from './index.js'

export const { Store, Table, TableTransaction, RestError, DateTime, odata, errorCodes } = entable
