'use strict'

const TICKS_PER_MS = 10_000n
/** Ticks of 1970-01-01, where JavaScript's time begins. */
const EPOCH_TICKS = 621_355_968_000_000_000n

/**
 * A Date that keeps the 100 ns ticks of a stored DateTime: written back, it is the same instant. Once it has been set
 * to another millisecond, it is that millisecond.
 */
class DateTime extends Date {
  /** Ticks beyond the millisecond, and the millisecond that they go with. */
  #beyond
  #ms

  constructor(ticks) {
    if (typeof ticks !== 'bigint') throw new TypeError('ticks must be a bigint: 100 ns since 0001-01-01T00:00:00Z')
    const since = ticks - EPOCH_TICKS
    const beyond = ((since % TICKS_PER_MS) + TICKS_PER_MS) % TICKS_PER_MS
    super(Number((since - beyond) / TICKS_PER_MS))
    this.#beyond = beyond
    this.#ms = this.getTime()
  }

  /** 100 ns ticks since 0001-01-01T00:00:00Z. */
  get ticks() {
    const ms = this.getTime()
    return BigInt(ms) * TICKS_PER_MS + EPOCH_TICKS + (ms === this.#ms ? this.#beyond : 0n)
  }

  /** The text with all seven decimals. */
  toISOString() {
    const beyond = this.getTime() === this.#ms ? this.#beyond : 0n
    return super.toISOString().replace('Z', `${String(beyond).padStart(4, '0')}Z`)
  }
}

module.exports = { DateTime }
