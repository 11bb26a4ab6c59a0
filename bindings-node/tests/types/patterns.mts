// Checked by tsc, never run: patterns, and what the verbs take of them.
import { Store, patterns } from 'entable'
import type { BatchAction, TransactionAction } from 'entable'

interface Employee {
  Email: string
  Age: number
}

const store = await Store.open(':memory:')
const employees = store.table<Employee>('Employees')
const byEmail = new patterns.SecondaryIndex({ table: 'Employees', prefix: 'email_', field: new patterns.Field('Email', { form: 'folded' }) })
const inTable = new patterns.SecondaryIndex({ table: 'Employees', copies: 'ByEmail', field: { name: 'Email', each: ',' }, select: ['Age'] })
const former = await employees.getEntity('Sales', '1')
const changes: patterns.Changes = byEmail.changes(former, { ...former, Age: 35 }).join(inTable.changes(former, undefined))
await store.submitBatch(changes.actions)
const actions: BatchAction[] = changes.actions
for (const step of changes.steps) {
  const left: TransactionAction[] = step.remaining(await store.table(step.tableName).getMany(step.keys))
  await store.table(step.tableName).submitTransaction(left)
}
const lookup: patterns.Lookup = byEmail.find('Sales', 'jonesj@contoso.com')
for await (const found of employees.listEntities(lookup)) console.log(found.Email.length)
if (lookup.keys) await employees.getEntity(...lookup.keys)
const lists = new patterns.IndexEntities({ table: 'Employees', prefix: 'A_', fields: ['Age'] })
lists.changes(null, former, [])
const table = new patterns.IndexTable({ table: 'T', entries: 'E', fields: ['Town', { name: 'N', padded: 5 }], projection: ['Age'] })
const rows: Array<Employee | undefined> = await employees.getMany(table.rows([]))
const series: Array<[Date, unknown]> = new patterns.DataSeries({ table: 'T', period: 'day' }).values(former)

// @ts-expect-error: a copy needs a prefix, or a table of its own.
new patterns.SecondaryIndex({ table: 'T', field: 'F' })
// @ts-expect-error: guards in another table have one partition.
new patterns.UniqueGuard({ table: 'T', field: 'F', guards: 'G' })
// @ts-expect-error: lists have to be read.
lists.changes(null, former)
// @ts-expect-error: there is no such period.
new patterns.DataSeries({ table: 'T', period: 'week' })
// @ts-expect-error: there is no such form.
new patterns.Field('F', { form: 'lower' })
// @ts-expect-error: changes are made by patterns.
new patterns.Changes()
// @ts-expect-error: a row has keys.
byEmail.changes(null, { Email: 'x' })
export { actions, rows, series }
