// Checked by tsc, never run: a table of which the compiler knows what its entities have.
import { Store, keys, verifySync } from 'entable'
import type { Edm, Table } from 'entable'

interface Employee {
  Name: string
  Age: number
  Salary?: bigint
  Since: Date
  Badge: Edm<'Guid'>
}

using store = Store.openSync(':memory:')
const employees: Table<Employee> = store.table<Employee>('Employees')
const badge: Edm<'Guid'> = { type: 'Guid', value: '0f8fad5b-d9cb-469f-a165-70867728950e' }
const employee = { partitionKey: 'Sales', rowKey: '000123', Name: 'Jones', Age: 41, Since: new Date(), Badge: badge }

// Values, going in.
await employees.createEntity(employee)
await employees.createEntity({ ...employee, Salary: 5n })
employees.upsertEntitySync(employee, 'Replace')
// @ts-expect-error Age is no text
await employees.createEntity({ ...employee, Age: '41' })
// @ts-expect-error Salary is a bigint
await employees.createEntity({ ...employee, Salary: 5 })
// @ts-expect-error Name is missing
await employees.createEntity({ partitionKey: 'Sales', rowKey: '1', Age: 41, Since: new Date(), Badge: badge })
// @ts-expect-error there is no Nmae
await employees.createEntity({ ...employee, Nmae: 'Jones' })
// @ts-expect-error a key is missing
employees.upsertEntitySync({ partitionKey: 'Sales', Name: 'Jones', Age: 41, Since: new Date(), Badge: badge })
// @ts-expect-error a key is a string
employees.upsertEntitySync({ ...employee, rowKey: 123 })

// Updates: a merge may name some of the properties, a replacement all.
await employees.updateEntity({ partitionKey: 'Sales', rowKey: '000123', Age: 42 })
employees.updateEntitySync({ partitionKey: 'Sales', rowKey: '000123', Age: 42 }, 'Merge')
employees.updateEntitySync(employee, 'Replace')
// @ts-expect-error a replacement without the rest
employees.updateEntitySync({ partitionKey: 'Sales', rowKey: '000123', Age: 42 }, 'Replace')
// @ts-expect-error Age is no text
await employees.updateEntity({ partitionKey: 'Sales', rowKey: '000123', Age: 'old' })
// @ts-expect-error there is no Agee
employees.updateEntitySync({ partitionKey: 'Sales', rowKey: '000123', Agee: 42 })

// Values, coming out.
const read = await employees.getEntity('Sales', '000123')
const age: number = read.Age
const salary: bigint | undefined = read.Salary
read.Since.getTime()
// @ts-expect-error there is no Nmae
read.Nmae
// @ts-expect-error Age is no text
const text: string = read.Age

// Projections.
const some = employees.getEntitySync('Sales', '000123', { queryOptions: { select: ['Name', 'rowKey'] } })
const name: string = some.Name
some.etag.length
// @ts-expect-error Age was not asked for
some.Age
// @ts-expect-error there is no Nmae
employees.getEntitySync('Sales', '000123', { queryOptions: { select: ['Nmae'] } })
for await (const one of employees.listEntities({ queryOptions: { select: ['Age'], descending: true, orderBy: 'Age' } })) {
  one.Age.toFixed()
  // @ts-expect-error Name was not asked for
  one.Name
}
for (const one of employees.listEntitiesSync()) one.Name.length
for (const page of employees.listEntitiesSync().byPage({ maxPageSize: 5 })) page[0]?.Since.getTime()
const [first] = employees.getManySync([['Sales', '000123']])
first?.Name.length

// What cannot be stored.
// @ts-expect-error a list is no property
store.table<{ Tags: string[] }>('Tags')
// @ts-expect-error a function is no property
await store.createTable<{ Call: () => void }>('Calls')

// A table of which nothing is known.
const things = store.table('Things')
await things.createEntity({ partitionKey: 'p', rowKey: '1', Anything: 5n })
things.updateEntitySync({ partitionKey: 'p', rowKey: '1', Other: new Date() }, 'Replace')
const thing = things.getEntitySync('p', '1', { queryOptions: { select: ['Anything'] } })
const anything: unknown = thing.Anything
things.getEntitySync<Employee>('p', '1').Age.toFixed()

// Transactions.
const count: number = store.transactionSync((transaction) => {
  const inside = transaction.table<Employee>('Employees')
  inside.createEntitySync(employee)
  inside.updateEntitySync({ partitionKey: 'Sales', rowKey: '000123', Age: 42 })
  // @ts-expect-error Age is no text
  inside.createEntitySync({ ...employee, Age: '41' })
  const { Name } = inside.getEntitySync('Sales', '000123', { queryOptions: { select: ['Name'] } })
  return Name.length
})
// @ts-expect-error a transaction is synchronous
store.transactionSync(async (transaction) => transaction.listTablesSync())

// The rest.
using snapshot = store.snapshotSync()
const then: Table<Employee> = employees.at(snapshot)
then.countSync({ queryOptions: { filter: 'Age gt 40' } }).toFixed()
const explain = await employees.explain({ queryOptions: { filter: 'Age gt 40' } })
if (explain.path === 'table scan') explain.considered.map((way) => way.rows)
await employees.createIndex({ name: 'ByAge', properties: ['Age'], scope: 'partition', projection: ['Name'], unique: false })
// @ts-expect-error no such scope
await employees.createIndex({ name: 'ByAge', properties: ['Age'], scope: 'all' })
const states: Array<'building' | 'ready' | 'stale'> = employees.listIndexesSync().map((index) => index.state)
const deleted: number = await employees.deleteEntities({ queryOptions: { filter: 'Age gt 99' }, chunk: 100 })
// @ts-expect-error of what is to be said
await employees.deleteEntities()
for await (const key of employees.partitionKeys()) key.length
await store.submitBatch([['Employees', 'create', employee], ['Things', 'delete', { partitionKey: 'p', rowKey: '1' }]])
const key: string = keys.compose(['Sales', keys.integer(5)])
const isClean: boolean = verifySync('store.ent').isClean
const { p99Ms }: { p99Ms: number } = (await store.stats()).commits
export { age, anything, count, deleted, isClean, key, name, p99Ms, salary, states, text }
