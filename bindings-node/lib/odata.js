'use strict'

const native = require('./load.js')

const escaped = (text) => text.replaceAll("'", "''")

/** A filter's text with values in it: `` odata`Name eq ${name}` ``. */
function odata(strings, ...values) {
  return strings.reduce((before, text, at) => before + literal(values[at - 1], strings[at - 1]) + text)
}

/** The literal of a value after this piece of the filter's text. */
function literal(value, before) {
  if (typeof value === 'string') {
    // At the very start stands a property's name; between quotes that are there already only the text is wanted.
    if (before === '') return escaped(value)
    return before.trimEnd().endsWith("'") ? escaped(value) : `'${escaped(value)}'`
  }
  return value === null ? 'null' : native.literal(value)
}

module.exports = { odata }
