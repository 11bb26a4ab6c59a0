'use strict'

const native = require('./load.js')
const { wrongType } = require('./error.js')

/** The native clock of one; opening a store asks for it. */
let clockOf

/** A clock that is set by hand, for tests: the time of a store's writes. */
class Clock {
  #handle

  static {
    clockOf = (clock) => {
      if (clock === undefined) return undefined
      if (typeof clock !== 'object' || clock === null || !(#handle in clock)) throw wrongType('clock must be a Clock.', 'clock')
      return clock.#handle
    }
  }

  constructor(now) {
    this.#handle = new native.ClockHandle(now)
  }

  set(now) {
    this.#handle.set(now)
  }
}

module.exports = { Clock, clockOf }
