'use strict'
// Entities on their way out. The native part lays out many of them as one string, of which one function for each list of
// names makes the objects: that gives them one hidden class, and a call for each value would take longer than to read it.
// `src/shape.rs` writes the string. An entity is: two characters, the number of its shape; the slots of its members, of
// bytes that are a character each; the texts. A text's slot is its length, and the texts follow each other.

const { DateTime } = require('./datetime.js')

// As they are now: what a program puts in their place later is not what the store gives.
const { BigInt64Array, Buffer, Date, EvalError, Float64Array, Function, Object, String, Uint8Array } = globalThis
const called = (method) => Function.prototype.call.bind(method)
const [codeAt, slice] = [called(String.prototype.charCodeAt), called(String.prototype.slice)]
const bufferFrom = Buffer.from
const base64 = called(Buffer.prototype.toString)

const scratch = new Uint8Array(8)
const [doubles, longs] = [new Float64Array(scratch.buffer), new BigInt64Array(scratch.buffer)]

function take(text, at) {
  for (let byte = 0; byte < 8; byte++) scratch[byte] = codeAt(text, at + byte)
}

const length = (text, at) =>
  (codeAt(text, at) | (codeAt(text, at + 1) << 8) | (codeAt(text, at + 2) << 16)) + codeAt(text, at + 3) * 0x1000000
const whole = (text, at) =>
  codeAt(text, at) | (codeAt(text, at + 1) << 8) | (codeAt(text, at + 2) << 16) | (codeAt(text, at + 3) << 24)
const truth = (text, at) => codeAt(text, at) === 1

function double(text, at) {
  take(text, at)
  return doubles[0]
}

function long(text, at) {
  take(text, at)
  return longs[0]
}

const date = (text, at) => new Date(double(text, at))
const dateTime = (text, at) => new DateTime(long(text, at))
const bytes = (characters) => bufferFrom(characters, 'latin1')
const same = (text) => text
const stated = (type) => (value) => ({ type, value })
const spelled = (number) => (Object.is(number, -0) ? '-0' : String(number))

/** How a slot or a text becomes a value. `take` reads a slot of `size` characters; what has none is made of a text. */
const FORMS = [
  { make: same },
  { take: whole, size: 4 },
  { take: double, size: 8 },
  { take: truth, size: 1 },
  { take: long, size: 8 },
  { take: date, size: 8 },
  { take: dateTime, size: 8 },
  { make: bytes },
  { take: (text, at) => ({ type: 'Double', value: double(text, at) }), size: 8 },
  { take: (text, at) => ({ type: 'Double', value: spelled(double(text, at)) }), size: 8 },
  { make: (characters) => ({ type: 'Binary', value: base64(bytes(characters), 'base64') }) },
  ...['String', 'Boolean', 'Int32', 'Int64', 'DateTime', 'Guid'].map((type) => ({ make: stated(type) })),
]
const LENGTH = 4
/** Names that are written as code at most; larger entities are rare, and slow in any way. */
const CODED = 300

/** Where the entity that was made last ends. */
const end = { at: 0 }
/** By their numbers, what makes objects of an entity whose slots begin at `at` of the text. */
const shapes = []

/** Learns the shape of this number: the names of its members, and their forms. The native part calls this. */
function learn(number, names, forms) {
  const members = names.map((name, place) => ({ name, ...FORMS[forms[place]] }))
  let size = 0
  for (const member of members) {
    member.at = size
    size += member.size ?? LENGTH
  }
  shapes[number] = names.length > CODED ? looped(members, size) : (coded(members, size) ?? looped(members, size))
}

/** As code, which is quickest; undefined where code may not be made of strings. */
function coded(members, size) {
  // In brackets, the name that would set what the object inherits from is one like others.
  const key = (name) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name))
  const texts = members.filter((member) => member.take === undefined)
  const ends = texts.map((member, place) => `const p${place + 1}=p${place}+length(t,i+${member.at})`)
  const value = (member, place) => {
    if (member.take) return `f${place}(t,i+${member.at})`
    const at = texts.indexOf(member)
    const text = `slice(t,p${at},p${at + 1})`
    return member.make === same ? text : `f${place}(${text})`
  }
  const literal = members.map((member, place) => `${key(member.name)}:${value(member, place)}`)
  const code = `return (t,i)=>{const p0=i+${size};${ends.join(';')};end.at=p${texts.length};return {${literal}}}`
  const functions = members.map((member) => member.take ?? member.make)
  try {
    return new Function('length', 'slice', 'end', ...functions.map((_, place) => `f${place}`), code)(length, slice, end, ...functions)
  } catch (error) {
    if (error instanceof EvalError) return undefined
    throw error
  }
}

function looped(members, size) {
  return (text, at) => {
    const object = {}
    let from = at + size
    for (const { name, at: slot, take, make } of members) {
      let value
      if (take) value = take(text, at + slot)
      else {
        const to = from + length(text, at + slot)
        value = make(slice(text, from, to))
        from = to
      }
      if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
      else object[name] = value
    }
    end.at = from
    return object
  }
}

/** In the place of a shape's number: no entity. */
const NONE = 0xffff

const numberAt = (text, at) => codeAt(text, at) | (codeAt(text, at + 1) << 8)

/** The one entity of a text. The native part calls this. */
function one(text) {
  return shapes[numberAt(text, 0)](text, 2)
}

/** Puts so many entities of a text behind those of a list, undefined for none. The native part calls this. */
function fill(list, text, count) {
  let at = 0
  for (let place = list.length, last = place + count; place < last; place++) {
    const number = numberAt(text, at)
    if (number === NONE) {
      list[place] = undefined
      at += 2
    } else {
      list[place] = shapes[number](text, at + 2)
      at = end.at
    }
  }
}

module.exports = { fill, learn, one }
