import { TableClient, odata } from '@azure/data-tables'
const orders = TableClient.fromConnectionString('UseDevelopmentStorage=true', 'Orders')

// Orders of a shop: conditional updates, queries with projections, pages.

import type { RestError, TableEntity } from '@azure/data-tables'

interface Order {
  Customer: string
  Total: number
  Paid?: boolean
}

/** What an error is by code, however the client says it. */
function codeOf(error: unknown): string | undefined {
  const { code, details } = error as RestError & { details?: { odataError?: { code?: string } } }
  return details?.odataError?.code ?? code
}

await orders.createTable()
await orders.createTable() // It is there, and nobody minds.

const customers = ['Bonn AG', "O'Hara & Sons", 'Zürich GmbH']
for (let n = 1; n <= 12; n++) {
  const order: TableEntity<Order> = {
    partitionKey: n % 2 ? 'DE' : 'CH',
    rowKey: String(n).padStart(4, '0'),
    Customer: customers[n % 3]!,
    Total: n * 12.5,
  }
  const { etag } = await orders.createEntity(order)
  if (!etag) throw new Error('A write gives an ETag.')
}

// Two hands on one order: the second one has an old version.
const mine = await orders.getEntity<Order>('DE', '0003')
const theirs = await orders.getEntity<Order>('DE', '0003')
await orders.updateEntity({ partitionKey: 'DE', rowKey: '0003', Paid: true }, 'Merge', { etag: theirs.etag })
try {
  await orders.updateEntity({ partitionKey: 'DE', rowKey: '0003', Total: 1 }, 'Merge', { etag: mine.etag })
} catch (error) {
  console.log('update', (error as RestError).statusCode, codeOf(error))
}
const now = await orders.getEntity<Order>('DE', '0003')
console.log('order', now.Customer, now.Total, now.Paid)

// What is there, and what is not.
for (const [name, call] of [
  ['create', () => orders.createEntity({ partitionKey: 'DE', rowKey: '0001' })],
  ['get', () => orders.getEntity('DE', 'none')],
  ['delete', () => orders.deleteEntity('DE', 'none')],
] as const) {
  try {
    await call()
  } catch (error) {
    console.log(name, (error as RestError).statusCode, codeOf(error))
  }
}

// Replacing takes away what is not named.
await orders.upsertEntity({ partitionKey: 'DE', rowKey: '0003', Customer: 'Bonn AG', Total: 40 }, 'Replace')
const replaced = await orders.getEntity<Order>('DE', '0003')
console.log('replaced', replaced.Total, replaced.Paid)

// A filter with a quote in a value, and a projection.
const ofCustomer = orders.listEntities<Order>({
  queryOptions: { filter: odata`Customer eq ${"O'Hara & Sons"} and Total gt ${20}`, select: ['rowKey', 'Total'] },
})
for await (const { rowKey, Total, Customer } of ofCustomer) console.log('found', rowKey, Total, Customer)

// Pages, and going on from where one ended.
const filter = odata`PartitionKey eq ${'CH'}`
const first = await orders.listEntities<Order>({ queryOptions: { filter } }).byPage({ maxPageSize: 4 }).next()
const continuationToken: string | undefined = first.value.continuationToken
console.log('page', first.value.length, typeof continuationToken)
for await (const page of orders.listEntities<Order>({ queryOptions: { filter } }).byPage({ maxPageSize: 4, continuationToken })) {
  console.log('page', page.length, page.map((order) => order.rowKey).join())
}

for await (const { partitionKey, rowKey } of orders.listEntities()) await orders.deleteEntity(partitionKey!, rowKey!)
const left = await orders.listEntities().next()
console.log('left', left.done)
await orders.deleteTable()
