// Checked by tsc, never run: what a program in TypeScript may write, and what it may not.
import { DateTime, RestError, Store, TableTransaction, errorCodes, odata } from 'entable'
import type { Edm, ErrorCode, TableEntity, TableEntityResult, TransactionAction } from 'entable'

interface Order {
  Total: number
  Views: bigint
  Placed: Date
  Id: Edm<'Guid'>
  Picture?: Uint8Array
}

const store: Store = await Store.open(':memory:', { mode: 'strict', readOnly: false })
const orders = await store.createTable('Orders')
const order: TableEntity<Order> = {
  partitionKey: 'DE',
  rowKey: '0001',
  Total: 12.5,
  Views: 5n,
  Placed: new DateTime(637_134_336_000_000_001n),
  Id: { type: 'Guid', value: '0f8fad5b-d9cb-469f-a165-70867728950e' },
}
const { etag } = await orders.createEntity(order)
await orders.updateEntity(order, 'Replace', { etag })
await orders.upsertEntity(order, undefined, { ifAbsent: true })

const read: TableEntityResult<Order> = await orders.getEntity<Order>('DE', '0001')
const total: number = read.Total
const version: string = read.etag
for await (const one of orders.listEntities<Order>({ queryOptions: { filter: odata`Total gt ${total}`, select: ['Total'] } })) {
  one.Total.toFixed(2)
}
for await (const page of orders.listEntities<Order>().byPage({ maxPageSize: 10, continuationToken: 'x' })) {
  const token: string | undefined = page.continuationToken
  page[0]?.Views.toString(token?.length)
}
for (const one of orders.listEntitiesSync<Order>()) one.Views.toString()
for (const page of store.listTablesSync().byPage()) page[0]?.name.length

const actions: TransactionAction[] = [['create', order], ['delete', { partitionKey: 'DE', rowKey: '2' }, { etag: version }]]
const transaction = new TableTransaction(actions)
transaction.updateEntity(order, 'Merge', { etag })
const answer = await orders.submitTransaction(transaction.actions)
answer.getResponseForEntity('0001')?.etag?.length

try {
  await orders.deleteEntity('DE', '0001')
} catch (error) {
  if (error instanceof RestError && error.code === 'ResourceNotFound') error.details?.odataError.message.value.length
}
const code: ErrorCode = 'EntityAlreadyExists'
const status: number = errorCodes[code].status
status.toFixed()

// @ts-expect-error a key is missing
await orders.createEntity({ partitionKey: 'DE' })
// @ts-expect-error no such mode
await orders.updateEntity(order, 'merge')
// @ts-expect-error no such option
await Store.open('x', { readonly: true })
// @ts-expect-error no such code
const wrong: ErrorCode = 'NoSuchCode'
// @ts-expect-error a store is opened, not made
new Store()
// @ts-expect-error the list is asynchronous
for (const one of orders.listEntities()) void one
void wrong
await using disposed = await Store.open(':memory:')
void disposed
