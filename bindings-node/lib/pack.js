'use strict'
// Entities on their way in. What they hold is laid out as numbers, one text and bytes, many entities at a time: to ask for it
// member by member from the native part would take longer than to write it. `src/packed.rs` reads it, and says what each
// kind is.

// As they are now: what a program puts in their place later is not asked what a value is.
const { Array, ArrayBuffer, Float64Array, Map, Uint8Array } = globalThis
const { isDate } = require('node:util').types
const { keys: keysOf } = Object
const { isArray } = Array
const { stringify } = JSON
const { isView } = ArrayBuffer
const called = (method) => Function.prototype.call.bind(method)
const typedArrays = Object.getPrototypeOf(Uint8Array.prototype)
const getter = (name) => called(Object.getOwnPropertyDescriptor(typedArrays, name).get)
const [nameOf, lengthOf, setFrom] = [getter(Symbol.toStringTag), getter('length'), called(typedArrays.set)]
const msOf = called(Date.prototype.getTime)

const [NOTHING, TEXT, NUMBER, TRUE, FALSE, DATE, BYTES, OTHER] = [0, 1, 2, 3, 4, 5, 6, 7]
/** In the place of a shape's number. */
const [NO_ENTITY, NAMES] = [-1, -2]

/** Shapes that are told the native part once; entities of others bring their names. */
const KEPT = 500
/** Longer texts and bytes are handed over as they are: to copy them twice would cost more. */
const LONG = 4_096
/** What is laid out at a time at most, of text and of bytes. */
const MUCH = 1 << 24

/** Where entities are laid out. */
class Packing {
  plan = new Float64Array(1_024)
  bytes = new Uint8Array(4_096)
  at = 0
  end = 0
  text = ''
  others = []

  /** Forgets what was laid out: nothing of the caller's is kept. */
  clear() {
    this.at = this.end = 0
    this.text = ''
    this.others = []
  }

  /** Makes room for so many numbers. */
  reserve(count) {
    if (this.at + count <= this.plan.length) return
    const plan = new Float64Array(2 * (this.at + count))
    plan.set(this.plan)
    this.plan = plan
  }

  other(value) {
    this.plan[this.at++] = OTHER
    this.plan[this.at++] = this.others.length
    this.others[this.others.length] = value
  }

  value(value) {
    const { plan } = this
    switch (typeof value) {
      case 'string':
        if (value.length > LONG || this.text.length > MUCH) return this.other(value)
        plan[this.at++] = TEXT
        plan[this.at++] = value.length
        this.text += value
        return
      case 'number':
        plan[this.at++] = NUMBER
        plan[this.at++] = value
        return
      case 'boolean':
        plan[this.at++] = value ? TRUE : FALSE
        return
      case 'undefined':
        plan[this.at++] = NOTHING
        return
      case 'object':
        if (value === null) plan[this.at++] = NOTHING
        else this.object(value)
        return
      default:
        this.other(value)
    }
  }

  object(value) {
    const { plan } = this
    if (isView(value) && nameOf(value) === 'Uint8Array') {
      const length = lengthOf(value)
      if (length > LONG || this.end > MUCH) return this.other(value)
      if (this.end + length > this.bytes.length) {
        const bytes = new Uint8Array(2 * (this.end + length))
        bytes.set(this.bytes)
        this.bytes = bytes
      }
      // Of a buffer that is gone there is nothing, and nothing may be asked.
      if (length > 0) setFrom(this.bytes, value, this.end)
      this.end += length
      plan[this.at++] = BYTES
      plan[this.at++] = length
    } else if (isDate(value) && value.ticks === undefined) {
      plan[this.at++] = DATE
      plan[this.at++] = msOf(value)
    } else {
      // Stated types, times with ticks, and what cannot be stored.
      this.other(value)
    }
  }
}

/** Whether the lists hold the same names. */
function areSame(names, others) {
  const { length } = names
  if (others.length !== length) return false
  for (let at = 0; at < length; at++) if (names[at] !== others[at]) return false
  return true
}

/** The function that lays out entities. `learn` tells the native part the names of a shape, by its number. */
function packer(learn) {
  const shapes = new Map()
  let last = { names: [], number: -1 }
  let free = new Packing()

  /** The shape of these names; undefined if there are too many to be kept. */
  function shapeOf(names) {
    if (areSame(names, last.names)) return last
    const key = stringify(names)
    let shape = shapes.get(key)
    if (shape === undefined) {
      if (shapes.size === KEPT) return undefined
      shape = { names, number: shapes.size }
      learn(shape.number, names)
      shapes.set(key, shape)
    }
    return (last = shape)
  }

  function lay(entity, packing) {
    packing.reserve(3)
    if (typeof entity !== 'object' || entity === null || isArray(entity)) {
      packing.plan[packing.at++] = NO_ENTITY
      return
    }
    const names = keysOf(entity)
    packing.reserve(3 + 2 * names.length)
    const shape = shapeOf(names)
    packing.plan[packing.at++] = shape === undefined ? NAMES : shape.number
    if (shape === undefined) packing.other(names)
    for (let at = 0; at < names.length; at++) packing.value(entity[names[at]])
  }

  return (...entities) => {
    // A getter may call the store, and come here again.
    const packing = free ?? new Packing()
    free = undefined
    try {
      for (let at = 0; at < entities.length; at++) lay(entities[at], packing)
      return [packing.plan, packing.at, packing.text, packing.text.length, packing.bytes, packing.end, packing.others]
    } finally {
      packing.clear()
      if (packing.plan.length + packing.bytes.length < MUCH) free = packing
    }
  }
}

module.exports = { packer }
