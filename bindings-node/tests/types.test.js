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
const declared = checker
  .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
  .filter((symbol) => symbol.flags & ts.SymbolFlags.Value)

/** Names of members, without those of symbols and those of `ignored`. */
const names = (all, ignored) => all.filter((name) => !name.startsWith('__@') && !ignored.includes(name)).sort()

test('values', () => {
  assert.deepEqual(declared.map((symbol) => symbol.name).sort(), Object.keys(entable).sort())
})

for (const symbol of declared.filter((one) => one.flags & ts.SymbolFlags.Class)) {
  test(`class ${symbol.name}`, () => {
    const found = entable[symbol.name]
    const statics = Object.getOwnPropertyNames(found)
    assert.deepEqual(names([...symbol.exports.keys()], ['prototype']), names(statics, ['length', 'name', 'prototype']))
    // Members that the constructor sets are those of an example.
    const example = { RestError: () => new entable.RestError('text'), TableTransaction: () => new entable.TableTransaction() }
    const own = example[symbol.name] ? Object.getOwnPropertyNames(example[symbol.name]()) : []
    const members = [...Object.getOwnPropertyNames(found.prototype), ...own]
    // What a base class declares, too, is not written again.
    const inherited = ['constructor', 'message', 'stack', 'toISOString']
    const declaredMembers = [...symbol.members.values()].filter((member) => !(member.flags & ts.SymbolFlags.TypeParameter))
    assert.deepEqual(names(declaredMembers.map((member) => member.name), ['__constructor']), names(members, inherited))
  })
}
