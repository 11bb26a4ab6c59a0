'use strict'
// Time, taken in rounds: every round runs each peer in turn, so that a bad minute of the machine hits all of them.

/** What time is counted, in microseconds. */
const CLOCKS = {
  /** This process's processor time: for reads from memory, of which nothing waits. What else runs counts little. */
  processor() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  /** Time on the wall: for whatever waits for the disk. */
  wall: () => Number(process.hrtime.bigint()) / 1e3,
}

/** Least, median and most. */
function spread(figures) {
  const sorted = [...figures].sort((a, b) => a - b)
  return [sorted[0], sorted[sorted.length >> 1], sorted[sorted.length - 1]]
}

/**
 * Runs a job in rounds. `run` is given a peer and what `prepare` made, untimed; it answers how many rows it met, which must be
 * as many for every peer, or undefined if the peer does not do it.
 */
async function rounds(peers, count, { op, clock, unit, perSecond, times }, prepare, run) {
  const figures = new Map(peers.map((peer) => [peer.name, []]))
  for (let round = 0; round < count; round++) {
    let met
    for (let turn = 0; turn < peers.length; turn++) {
      const peer = peers[(turn + round) % peers.length]
      const prepared = prepare(peer, round)
      // No peer pays for another's garbage.
      globalThis.gc()
      const start = CLOCKS[clock]()
      const rows = await run(peer, prepared)
      const took = CLOCKS[clock]() - start
      if (rows === undefined) {
        figures.delete(peer.name)
        continue
      }
      figures.get(peer.name).push((took * perSecond) / 1e6 / times)
      met ??= rows
      if (rows !== met) throw new Error(`${peer.name} met ${rows} rows, others ${met}: ${op}`)
    }
  }
  process.stderr.write(`  ${[...figures].map(([name, all]) => `${name} ${spread(all)[1].toFixed(3)}`).join('  ')}  ${op} (${unit})\n`)
  return { op, unit, figures }
}

module.exports = { rounds, spread }
