'use strict'

const { DateTime } = require('./datetime.js')

// As they are now: what a program puts in their place later is not what the store gives.
const { Date, Buffer, Object, Function, EvalError } = globalThis
const date = (ms) => new Date(ms)
const dateTime = (ticks) => new DateTime(ticks)
const bytes = (characters) => Buffer.from(characters, 'latin1')

/** What is made of a value, by the numbers that the native part has for it: as code, and by a function. */
const FORMS = [
  [(value) => value, (value) => value],
  [(value) => `date(${value})`, date],
  [(value) => `dateTime(${value})`, dateTime],
  [(value) => `{type:"Guid",value:${value}}`, (value) => ({ type: 'Guid', value })],
  [(value) => `bytes(${value})`, bytes],
  [(value) => `{type:"Double",value:${value}}`, (value) => ({ type: 'Double', value })],
]

/**
 * The function that makes objects of these members, in this order, from their values. The native part calls this once for
 * each list of names and forms. A literal is quickest; where code may not be made of strings, a loop does the same.
 */
function maker(names, forms) {
  const values = names.map((_, at) => `v${at}`)
  // In brackets, the name that would set what the object inherits from is one like others.
  const member = (name, at) => `${name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)}:${FORMS[forms[at]][0](values[at])}`
  try {
    return new Function('date', 'dateTime', 'bytes', `return (${values})=>({${names.map(member)}})`)(date, dateTime, bytes)
  } catch (error) {
    if (!(error instanceof EvalError)) throw error
    const made = forms.map((form) => FORMS[form][1])
    return (...all) => {
      const object = {}
      for (const [at, name] of names.entries()) {
        const value = made[at](all[at])
        if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
        else object[name] = value
      }
      return object
    }
  }
}

module.exports = { maker }
