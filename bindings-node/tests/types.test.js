'use strict'
// The types written by hand name what the module has: no more and no less.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const path = require('node:path')
const ts = require('typescript')
const entable = require('entable')

const file = path.join(__dirname, '../lib/index.d.ts')
const program = ts.createProgram([file], { lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'], types: ['node'] })
const checker = program.getTypeChecker()

/** The values that a module or a namespace exports; a namespace is an alias of its module. */
const valuesOf = (symbol) => {
  const found = checker.getExportsOfModule(symbol).map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one))
  return checker.getExportsOfModule(symbol).flatMap(({ name }, at) => (found[at].flags & ts.SymbolFlags.Value ? [[name, found[at]]] : []))
}
const declared = valuesOf(checker.getSymbolAtLocation(program.getSourceFile(file)))
const patterns = valuesOf(declared.find(([name]) => name === 'patterns')[1])

/** Names of members, without those of symbols and those of `ignored`. */
const names = (all, ignored) => all.filter((name) => !name.startsWith('__@') && !ignored.includes(name)).sort()

test('values', () => {
  assert.deepEqual(declared.map(([name]) => name).sort(), Object.keys(entable).sort())
  assert.deepEqual(patterns.map(([name]) => name).sort(), Object.keys(entable.patterns).sort())
})

/** Members that the constructor sets are those of an example. */
const EXAMPLES = {
  RestError: () => new entable.RestError('text'),
  TableTransaction: () => new entable.TableTransaction(),
  Field: () => new entable.patterns.Field('F', { padded: 1, form: 'safe', each: ',' }),
  Lookup: () => new entable.patterns.DistinctList({ table: 'T', prefix: 'p', field: 'F' }).find('p', 'x'),
}

/** Names of the methods of a class and of those that it extends. */
function methods(found) {
  const prototypes = []
  for (let one = found.prototype; ![Object, Error, Date].some((base) => base.prototype === one); one = Object.getPrototypeOf(one)) prototypes.push(one)
  return [...new Set(prototypes.flatMap((one) => Object.getOwnPropertyNames(one)))]
}

const classes = [...declared.map((one) => [...one, entable]), ...patterns.map((one) => [...one, entable.patterns])]
for (const [name, symbol, place] of classes.filter(([, one]) => one.flags & ts.SymbolFlags.Class)) {
  test(`class ${name}`, () => {
    const found = place[name]
    const statics = Object.getOwnPropertyNames(found)
    assert.deepEqual(names([...symbol.exports.keys()], ['prototype']), names(statics, ['length', 'name', 'prototype']))
    const own = EXAMPLES[name] ? Object.getOwnPropertyNames(EXAMPLES[name]()) : []
    const members = [...methods(found), ...own]
    // What a base class declares, too, is not written again.
    const inherited = ['constructor', 'message', 'stack', 'toISOString']
    const declaredMembers = [...symbol.members.values()].filter((member) => !(member.flags & ts.SymbolFlags.TypeParameter))
    assert.deepEqual(names(declaredMembers.map((member) => member.name), ['__constructor']), names(members, inherited))
  })
}
