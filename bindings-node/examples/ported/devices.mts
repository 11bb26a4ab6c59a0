import { TableClient, odata } from '@azure/data-tables'
const readings = TableClient.fromConnectionString('UseDevelopmentStorage=true', 'Readings')

// Readings of devices, the newest first: every type of the data model, keys of reversed ticks, deletion of what is old.

import type { Edm, TableEntityResult } from '@azure/data-tables'

interface Reading {
  At: Date
  Celsius: number
  Count: number
  Total: bigint
  Raw: Uint8Array
  Device: Edm<'Guid'>
  Ok: boolean
  Note?: string | null
}

const device: Edm<'Guid'> = { type: 'Guid', value: '0f8fad5b-d9cb-469f-a165-70867728950e' }
/** Milliseconds that a Date can have, from the last one backwards: the newest sorts first. */
const newestFirst = (at: Date) => String(8_640_000_000_000_000 - at.getTime()).padStart(16, '0')
const start = Date.UTC(2026, 0, 1)

await readings.createTable()
for (let hour = 0; hour < 30; hour++) {
  const at = new Date(start + hour * 3_600_000)
  await readings.createEntity<Reading>({
    partitionKey: 'roof_north',
    rowKey: newestFirst(at),
    At: at,
    Celsius: 20.5 + hour,
    Count: hour,
    Total: 2n ** 53n + BigInt(hour),
    Raw: new Uint8Array([hour, 255 - hour]),
    Device: device,
    Ok: hour % 2 === 0,
    Note: hour === 29 ? 'the last' : null,
  })
}

/** The newest readings; those who want only a few leave the loop. */
const newest: TableEntityResult<Reading>[] = []
for await (const reading of readings.listEntities<Reading>({ queryOptions: { filter: odata`PartitionKey eq ${'roof_north'}` } })) {
  newest.push(reading)
  if (newest.length === 2) break
}
for (const { At, Celsius, Count, Total, Raw, Device, Ok, Note } of newest) {
  console.log(At.toISOString(), Celsius, Count, Total, Buffer.from(Raw).toString('hex'), Device.value, Ok, Note)
}

// By values of each type.
const since = new Date(start + 26 * 3_600_000)
for (const filter of [
  odata`At ge ${since}`,
  odata`Celsius lt ${22.5}`,
  odata`Count ge ${10} and Count lt ${13}`,
  odata`Ok eq ${true} and Count gt ${24}`,
  `Total ge 9007199254741020L`,
  `Device eq guid'0f8fad5b-d9cb-469f-a165-70867728950e' and Note eq 'the last'`,
  `not (Ok eq true) and (Count eq 1 or Count eq 2 or Count eq 3)`,
]) {
  const counts: number[] = []
  for await (const { Count } of readings.listEntities<Reading>({ queryOptions: { filter } })) counts.push(Count)
  console.log(counts.join())
}

// Types that are told, and values as text.
await readings.upsertEntity({ partitionKey: 'types', rowKey: '1', Whole: { type: 'Double', value: 5 }, Long: { type: 'Int64', value: '7' } })
const told = await readings.getEntity<{ Whole: number; Long: bigint }>('types', '1')
console.log(told.Whole, told.Long, typeof told.timestamp, told.etag.startsWith('W/"datetime'))
const asText = await readings.getEntity<{ Long: Edm<'Int64'> }>('types', '1', { disableTypeConversion: true })
console.log(asText.Long.type, asText.Long.value)

// What is older than a day before the newest, found by its key alone.
const old = odata`PartitionKey eq ${'roof_north'} and RowKey gt ${newestFirst(new Date(start + 5 * 3_600_000))}`
let deleted = 0
for await (const page of readings.listEntities({ queryOptions: { filter: old, select: ['partitionKey', 'rowKey'] } }).byPage({ maxPageSize: 2 })) {
  await Promise.all(page.map(({ partitionKey, rowKey }) => readings.deleteEntity(partitionKey!, rowKey!)))
  deleted += page.length
}
console.log('deleted', deleted)
await readings.deleteTable()
