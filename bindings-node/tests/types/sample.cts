// Checked by tsc, never run: the same package as CommonJS.
import entable = require('entable')

const store: entable.Store = entable.Store.openSync(':memory:')
const orders: entable.Table = store.createTableSync('Orders')
const written: entable.CreateTableEntityResponse = orders.createEntitySync({ partitionKey: 'DE', rowKey: '1', Total: 12.5 })
const found = orders.getManySync<{ Total: number }>([['DE', '1']], { disableTypeConversion: false })
const total: number | undefined = found[0]?.Total
const isThere: boolean = orders.existsSync('DE', written.etag)
const date: Date = new entable.DateTime(0n)
const error: Error = new entable.RestError('text', { code: 'Io' })
// @ts-expect-error not a number
orders.getEntitySync(1, '1')
// @ts-expect-error a promise has no etag
orders.createEntity({ partitionKey: 'a', rowKey: 'b' }).etag
store.closeSync()
void [total, isThere, date, error]
