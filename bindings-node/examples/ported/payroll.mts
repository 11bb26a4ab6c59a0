import { TableClient, TableTransaction, odata } from '@azure/data-tables'
const employees = TableClient.fromConnectionString('UseDevelopmentStorage=true', 'Employees')

// A payroll: many entities in groups of a hundred, a second key for each by a copy in the same partition, all or nothing.

import type { RestError, TransactionAction } from '@azure/data-tables'

interface Employee {
  EmployeeId: string
  Email: string
  Name: string
  Salary: bigint
}

const DEPARTMENTS = ['Sales', 'Marketing']

await employees.createTable()
let count = 0
for (const department of DEPARTMENTS) {
  const actions: TransactionAction[] = []
  for (let n = 0; n < 120; n++) {
    const id = String(n).padStart(6, '0')
    const employee = { EmployeeId: id, Email: `e${id}@contoso.com`, Name: `Name ${n % 7}`, Salary: 50_000n + BigInt(n) }
    // The same entity under both of its keys.
    actions.push(['create', { partitionKey: department, rowKey: `empid_${id}`, ...employee }])
    actions.push(['create', { partitionKey: department, rowKey: `email_${employee.Email}`, ...employee }])
  }
  for (let from = 0; from < actions.length; from += 100) {
    const { status, subResponses } = await employees.submitTransaction(actions.slice(from, from + 100))
    if (status !== 202 || subResponses.some((one) => one.status !== 204 || !one.etag)) throw new Error('All of it, or nothing.')
    count += subResponses.length
  }
}
console.log('written', count)

// By the second key.
const byEmail = await employees.getEntity<Employee>('Sales', 'email_e000042@contoso.com')
console.log('by email', byEmail.EmployeeId, byEmail.Name, byEmail.Salary)

// A raise, in both copies, if nobody has been faster.
const byId = await employees.getEntity<Employee>('Sales', 'empid_000042')
const raise = new TableTransaction()
raise.updateEntity({ partitionKey: 'Sales', rowKey: byId.rowKey!, Salary: byId.Salary + 1_000n }, 'Merge', { etag: byId.etag })
raise.updateEntity({ partitionKey: 'Sales', rowKey: byEmail.rowKey!, Salary: byId.Salary + 1_000n }, 'Merge')
const raised = await employees.submitTransaction(raise.actions)
console.log('raised', raised.status, raised.getResponseForEntity('nobody'))

// The same again: the version is an old one, and the other copy stays as it is.
try {
  await employees.submitTransaction(raise.actions)
} catch (error) {
  const { statusCode, code, message } = error as RestError
  console.log('again', statusCode, code, message.slice(0, 2))
}
const unchanged = await employees.getEntity<Employee>('Sales', byEmail.rowKey!)
console.log('salary', unchanged.Salary)

// One that is there among many that are new: none of them is made.
const hire = new TableTransaction()
for (const id of ['900001', '900002', '000001', '900003']) {
  hire.createEntity({ partitionKey: 'Marketing', rowKey: `empid_${id}`, EmployeeId: id })
}
try {
  await employees.submitTransaction(hire.actions)
} catch (error) {
  const { statusCode, code, message } = error as RestError
  console.log('hire', statusCode, code, message.slice(0, 2))
}

// All of one partition, by the prefix of the first key.
const names = new Map<string, number>()
const ids = odata`PartitionKey eq ${'Marketing'} and RowKey ge ${'empid_'} and RowKey lt ${'empid`'}`
for await (const { Name } of employees.listEntities<Employee>({ queryOptions: { filter: ids, select: ['Name'] } })) {
  names.set(Name, (names.get(Name) ?? 0) + 1)
}
console.log('names', [...names].sort().map(([name, times]) => `${name}: ${times}`).join(', '))

// Those who leave: both copies at once.
const leave = new TableTransaction([['delete', { partitionKey: 'Sales', rowKey: 'empid_000042' }]])
leave.deleteEntity('Sales', 'email_e000042@contoso.com')
leave.upsertEntity({ partitionKey: 'Sales', rowKey: 'left', Count: 1 })
const left = await employees.submitTransaction(leave.actions)
console.log('left', left.subResponses.map((one) => one.status).join())

// Groups have one partition.
try {
  await employees.submitTransaction([
    ['upsert', { partitionKey: 'Sales', rowKey: 'x' }],
    ['upsert', { partitionKey: 'Marketing', rowKey: 'x' }],
  ])
} catch (error) {
  console.log('two partitions', error instanceof Error)
}
await employees.deleteTable()
