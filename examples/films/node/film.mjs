// Counts the films of a store file and reads one by its keys: film.mjs STORE PARTITION_KEY ROW_KEY.

import { RestError, Store } from 'entable'

const [path, partitionKey, rowKey] = process.argv.slice(2)
if (rowKey === undefined) {
  console.error('usage: film.mjs STORE PARTITION_KEY ROW_KEY')
  process.exit(2)
}

async function main() {
  const store = await Store.open(path, { mustExist: true })
  try {
    const films = store.table('Films')
    let count = 0
    for await (const _ of films.listEntities({ queryOptions: { select: ['RowKey'] } })) count += 1
    const film = await films.getEntity(partitionKey, rowKey)
    console.log(`Films ${count}`)
    console.log(`Title ${film.Title}`)
    // A Date, with the 100 ns ticks that JavaScript's own does not keep: here there are none.
    console.log(`ReleaseDate ${film.ReleaseDate.toISOString().replace(/\.0+Z$/, 'Z')}`)
    // A bigint: Int64 is exact, whatever its size.
    console.log(`WorldwideGross ${film.WorldwideGross}`)
    console.log(`ImdbRating ${film.ImdbRating.toFixed(1)}`)
  } finally {
    await store.close()
  }
}

try {
  await main()
} catch (error) {
  if (!(error instanceof RestError)) throw error
  console.error(`${error.statusCode} ${error.code}: ${error.message}`)
  process.exitCode = 1
}
