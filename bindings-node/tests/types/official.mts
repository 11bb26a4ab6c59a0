// Checked by tsc, never run: what programs for the official client hold and hand over is taken here.
import type * as official from '@azure/data-tables'
import { RestError, Store, TableTransaction, odata } from 'entable'
import type * as own from 'entable'

using store = Store.openSync(':memory:')
const table = store.table('Orders')

// A program that is handed a client takes a table. Reads are left out: what they give depends on `select` here.
type Methods =
  | 'tableName'
  | 'createTable'
  | 'deleteTable'
  | 'createEntity'
  | 'updateEntity'
  | 'upsertEntity'
  | 'deleteEntity'
export const client: Pick<official.TableClient, Methods> = table
// `createTable` of a store gives the table, that of the service nothing.
export const service: Pick<official.TableServiceClient, 'deleteTable' | 'listTables'> = store
// Where anything is taken there, what has no literal is refused here.
export const literal: (strings: TemplateStringsArray, ...values: string[]) => ReturnType<typeof official.odata> = odata

// Entities and values.
declare const entity: official.TableEntity<{ Total: number; Device: official.Edm<'Guid'>; Raw: official.Edm<'Binary'> }>
declare const result: official.TableEntityResult<{ Total: number }>
export const given: own.TableEntity<{ Total: number; Device: own.Edm<'Guid'>; Raw: own.Edm<'Binary'> }> = entity
export const read: own.TableEntityResult<{ Total: number }> = result
export const theirResult: official.TableEntityResult<{ Total: number }> = read
export const types: own.EdmTypes = null as unknown as official.EdmTypes
export const theirTypes: official.EdmTypes = types

// Options.
declare const update: Pick<official.UpdateTableEntityOptions, 'etag'>
declare const list: Pick<official.ListTableEntitiesOptions, 'queryOptions' | 'disableTypeConversion'>
declare const tables: Pick<official.ListTableItemsOptions, 'queryOptions'>
export const ourUpdate: own.UpdateTableEntityOptions = update
export const ourList: own.ListTableEntitiesOptions = list
export const ourTables: own.ListTableItemsOptions = tables
export const mode: own.UpdateMode = null as unknown as official.UpdateMode

// Actions of a transaction, and what they give.
declare const created: official.TableEntity
export const actions: own.TransactionAction[] = [
  ['create', created],
  ['delete', created],
  ['update', created, 'Merge', { etag: '*' }],
  ['upsert', created, 'Replace'],
]
const transaction = new TableTransaction()
transaction.createEntity(created)
transaction.deleteEntity('p', 'r')
transaction.updateEntity(created, { etag: '*' })
transaction.updateEntity(created, 'Replace', { etag: '*' })
transaction.upsertEntity(created, 'Merge')
export const response: Promise<official.TableTransactionResponse> = table.submitTransaction(transaction.actions)

// Errors.
export const error: Pick<official.RestError, 'code' | 'statusCode' | 'details' | 'message'> = new RestError('text')

// @ts-expect-error a name that no entity has
client.getEntity('p')
// @ts-expect-error a mode that there is not
client.updateEntity({ partitionKey: 'p', rowKey: 'r' }, 'merge')
