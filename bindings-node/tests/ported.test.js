'use strict'
// Programs for the official client: they compile against it as they are, and against this package with two lines
// changed; then they print what they print there.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const ts = require('typescript')

const FOLDER = path.join(__dirname, '../examples/ported')
const OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  // As a project that has the packages installed: what they declare is not checked again.
  skipLibCheck: true,
  types: ['node'],
}

/** The program with its import, and the line after it, changed. */
function ported(text) {
  const [imports, first, ...rest] = text.split('\n')
  const table = /TableClient\.fromConnectionString\('[^']*', '(\w+)'\)/
  assert.match(first, table)
  const changed = [
    imports.replace('TableClient', 'Store').replace('@azure/data-tables', 'entable'),
    first.replace(table, "Store.openSync(':memory:').table('$1')"),
    ...rest,
  ]
  // Types are part of the import: they are gone when the program runs.
  return changed.map((line) => (line.startsWith('import type') ? line.replace('@azure/data-tables', 'entable') : line)).join('\n')
}

/** What the compiler says of a program that lies in the folder of the examples; `made` is its JavaScript. */
function compiled(name, text) {
  const file = path.join(FOLDER, name)
  const host = ts.createCompilerHost(OPTIONS)
  const { readFile, fileExists, getSourceFile } = host
  host.readFile = (one) => (one === file ? text : readFile(one))
  host.fileExists = (one) => one === file || fileExists(one)
  host.getSourceFile = (one, ...rest) => (one === file ? ts.createSourceFile(one, text, ...rest) : getSourceFile(one, ...rest))
  let made
  host.writeFile = (_, output) => (made = output)
  const program = ts.createProgram([file], OPTIONS, host)
  const complaints = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics]
  const said = complaints.map(({ file: at, start, messageText }) => {
    const line = at && start !== undefined ? `${at.fileName}:${at.getLineAndCharacterOfPosition(start).line + 1}: ` : ''
    return line + ts.flattenDiagnosticMessageText(messageText, '\n')
  })
  return { said, made }
}

for (const file of fs.readdirSync(FOLDER).filter((name) => name.endsWith('.mts'))) {
  const name = path.basename(file, '.mts')
  const text = fs.readFileSync(path.join(FOLDER, file), 'utf8')
  test(`${name} is a program for the official client`, () => assert.deepEqual(compiled(file, text).said, []))
  test(`${name} runs here with two lines changed`, () => {
    const { said, made } = compiled(file, ported(text))
    assert.deepEqual(said, [])
    const printed = execFileSync(process.execPath, ['--input-type=module'], { cwd: FOLDER, input: made, encoding: 'utf8' })
    assert.equal(printed, fs.readFileSync(path.join(FOLDER, `${name}.txt`), 'utf8'))
  })
}

test('a program that is wrong is found to be', () => {
  const text = fs.readFileSync(path.join(FOLDER, 'orders.mts'), 'utf8').replace('Total: n * 12.5', "Total: 'much'")
  for (const program of [text, ported(text)]) assert.match(compiled('orders.mts', program).said.join(), /not assignable to type 'number'/)
})
