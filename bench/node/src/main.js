'use strict'
// entable in Node beside lmdb-js, with objects and with bytes alone ("the floor"), and better-sqlite3.
// ../README.md says how to run it, and what its figures mean.

const fs = require('node:fs')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { employee, mix, partitionKey, rowKey, cityOf, ASKS } = require('./employees.js')
const { rounds } = require('./measure.js')
const { goalsOf, linesOf, print, write } = require('./report.js')

const LAYOUTS = { 'employee-100': 100, 'employee-10000': 10_000 }
const MAKE = {
  entable: (folder) => new (require('./peers/entable.js').Entable)(folder),
  'lmdb-js': (folder) => new (require('./peers/lmdb.js').Lmdb)(folder),
  floor: (folder) => new (require('./peers/lmdb.js').Lmdb)(folder, true),
  sqlite: (folder) => new (require('./peers/sqlite.js').Sqlite)(folder),
}
const LOAD_ROWS = 10_000
const GROUP_ROWS = 100

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    layouts: { type: 'string' },
    ops: { type: 'string' },
    peers: { type: 'string', default: 'entable,floor,lmdb-js,sqlite' },
    rows: { type: 'string' },
    rounds: { type: 'string' },
    reads: { type: 'string' },
    writes: { type: 'string' },
    dir: { type: 'string', default: path.join(__dirname, '../../target/bench-data/node') },
    'no-results': { type: 'boolean', default: false },
  },
})
const chosen = (name, full, quick) => Number(options[name] ?? (options.quick ? quick : full))
const settings = {
  rows: chosen('rows', 200_000, 20_000),
  rounds: chosen('rounds', 5, 3),
  reads: chosen('reads', 20_000, 5_000),
  writes: chosen('writes', 240, 30),
}
const wanted = options.ops?.split(',')
const numbers = (count, from = 0) => Array.from({ length: count }, (_, at) => from + at)

/** What one layout is measured by. */
class Run {
  constructor(partitions, peers) {
    this.partitions = partitions
    this.peers = peers
    this.samples = []
  }

  async rounds(op, clock, unit, times, prepare, run) {
    if (wanted && !wanted.includes(op) && op !== 'bulk load') return
    const perSecond = unit.startsWith('ms') ? 1e3 : 1e6
    this.samples.push(await rounds(this.peers, settings.rounds, { op, clock, unit, perSecond, times }, prepare, run))
  }

  employees(all) {
    return all.map((i) => employee(i, this.partitions))
  }

  /** Keys of rows that are there, in no order. */
  keys(count, below, salt) {
    return numbers(count).map((at) => {
      const i = mix(at, salt) % below
      return [partitionKey(i, this.partitions), rowKey(i)]
    })
  }

  /** In the order of the rows' numbers, which is not that of their keys; 10,000 rows to a transaction. */
  async load() {
    const each = Math.floor(settings.rows / settings.rounds)
    const prepare = (peer, round) => {
      const rows = numbers(round + 1 === settings.rounds ? settings.rows - each * round : each, each * round)
      return numbers(Math.ceil(rows.length / LOAD_ROWS)).map((at) => peer.loaded(this.employees(rows.slice(at * LOAD_ROWS, (at + 1) * LOAD_ROWS))))
    }
    await this.rounds('bulk load', 'wall', 'us a row', each, prepare, (peer, batches) => {
      for (const batch of batches) peer.load(batch)
      return 0
    })
  }

  async reads() {
    const { rows, reads } = settings
    const each = (peer, round) => this.keys(reads, rows, 77 + round)
    await this.rounds('point read', 'processor', 'us', reads, each, (peer, keys) => {
      let met = 0
      for (const [partition, row] of keys) met += peer.get(partition, row) ? 1 : 0
      return met
    })
    const touched = (peer, round) => this.keys(reads, rows, 177 + round)
    await this.rounds('point read, every property touched', 'processor', 'us', reads, touched, (peer, keys) => {
      let length = 0
      for (const [partition, row] of keys) {
        const { First, Last, Email, City, Age, Salary, Hired, Active, Badge, Notes } = peer.get(partition, row)
        if (peer.isBinary) continue
        length += First.length + Last.length + Email.length + City.length + Age + Salary + Number(Hired) + Number(Active) + Badge.length + Notes.length
      }
      return peer.isBinary ? undefined : Math.round(length)
    })
    const times = Math.ceil(reads / 50)
    const ranges = (peer, round) => this.keys(times, rows / 2, 99 + round)
    await this.rounds('range of 100', 'processor', 'us', times, ranges, (peer, keys) => {
      let met = 0
      for (const [partition, row] of keys) met += peer.range(partition, row, 100).length
      return met
    })
  }

  async scans() {
    const times = Math.max(1, Math.floor(Math.min(settings.rows, 40_000) / (settings.rows / this.partitions)))
    const rare = ASKS.city(cityOf(200))
    await this.rounds('partition scan City eq', 'processor', 'us', times, (peer, round) => round, (peer, round) => {
      let met = 0
      for (let time = 0; time < times; time++) {
        const found = peer.scan(rare, partitionKey(time * 7 + round, this.partitions))
        if (found === undefined) return undefined
        met += found.length
      }
      return met
    })
    const asks = { 'table scan City eq': rare, 'table scan 3 terms': ASKS.three(cityOf(1)), 'numeric scan Age gt 60': ASKS.age() }
    for (const [op, ask] of Object.entries(asks)) {
      await this.rounds(op, 'processor', 'ms', 1, () => undefined, (peer) => peer.scan(ask)?.length)
    }
    const counts = { count: undefined, 'count City eq': rare, 'count Age gt 60': ASKS.age() }
    for (const [op, ask] of Object.entries(counts)) {
      await this.rounds(op, 'processor', 'ms', 1, () => undefined, (peer) => peer.count(ask))
    }
  }

  async writes() {
    const { rows, writes } = settings
    const inserted = (peer, round) => this.employees(numbers(writes, round * writes).map((at) => 50_000_000 + (mix(at, 55) % 40_000_000)))
    await this.rounds('durable insert', 'wall', 'us', writes, inserted, (peer, all) => {
      for (const row of all) peer.insert(row)
      return 0
    })
    const groups = Math.ceil(writes / 6)
    const grouped = (peer, round) =>
      numbers(groups, round * groups).map((group) => {
        const all = this.employees(numbers(GROUP_ROWS, rows + group * GROUP_ROWS))
        for (const row of all) row.partitionKey = partitionKey(group * 13, this.partitions)
        return peer.grouped(all)
      })
    await this.rounds('durable group of 100', 'wall', 'us', groups, grouped, (peer, all) => {
      for (const group of all) peer.group(group)
      return 0
    })
    const removed = (peer, round) => numbers(writes, round * writes).map((at) => ((at * 13) % rows)).map((i) => [partitionKey(i, this.partitions), rowKey(i)])
    await this.rounds('durable delete', 'wall', 'us', writes, removed, (peer, keys) => {
      for (const [partition, row] of keys) peer.remove(partition, row)
      return 0
    })
    for (const [at, callers] of [1, 8, 64].entries()) {
      const each = Math.max(4, Math.ceil((callers === 1 ? writes : writes * 4) / callers))
      const count = each * callers
      const awaited = (peer, round) => this.employees(numbers(count, 100_000_000 * (at + 1) + round * count))
      await this.rounds(`awaited insert, ${callers} in flight`, 'wall', 'us an insert', count, awaited, async (peer, all) => {
        let next = 0
        const caller = async () => {
          while (next < all.length) await peer.insertLater(all[next++])
        }
        await Promise.all(numbers(callers).map(caller))
        return 0
      })
    }
  }

  async indexes() {
    if (wanted && !wanted.includes('lookup by City')) return
    for (const peer of this.peers) peer.buildIndex()
    const times = 50
    const cities = (peer, round) => numbers(times).map((at) => cityOf(990 - ((at * 3 + round) % 100)))
    await this.rounds('lookup by City', 'processor', 'us', times, cities, (peer, all) => {
      let met = 0
      for (const city of all) {
        const found = peer.byCity(city)
        if (found === undefined) return undefined
        met += found.length
      }
      return met
    })
  }
}

async function measured(layout) {
  process.stderr.write(`${layout}:\n`)
  fs.rmSync(options.dir, { recursive: true, force: true })
  const peers = options.peers.split(',').map((name) => {
    const folder = path.join(options.dir, name)
    fs.mkdirSync(folder, { recursive: true })
    return MAKE[name](folder)
  })
  const run = new Run(LAYOUTS[layout], peers)
  await run.load()
  await run.reads()
  await run.scans()
  await run.writes()
  await run.indexes()
  for (const peer of peers) await peer.close()
  fs.rmSync(options.dir, { recursive: true, force: true })
  return run.samples
}

async function main() {
  const home = path.join(__dirname, '../..')
  const goals = goalsOf(path.join(home, 'goals.json'))
  const layouts = options.layouts?.split(',') ?? Object.keys(LAYOUTS).slice(0, options.quick ? 1 : undefined)
  const lines = []
  for (const layout of layouts) {
    lines.push(...linesOf(layout, await measured(layout), goals))
    // A smaller run has no results to be kept.
    if (!options.quick && !wanted && !options['no-results']) write(path.join(home, 'results.json'), lines)
  }
  print(lines)
}

main()
