'use strict'
// The types beside those of the installed official package: names, parameters, options and results. What has no meaning in
// process is listed here, and nothing else may be missing.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const path = require('node:path')
const ts = require('typescript')

const OPTIONS = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
  types: ['node'],
}
const FILES = { ours: '../lib/index.d.ts', theirs: '../node_modules/@azure/data-tables/dist/commonjs/index.d.ts' }
const files = Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, path.join(__dirname, file)]))
const program = ts.createProgram(Object.values(files), OPTIONS)
const checker = program.getTypeChecker()

/** The names that a package exports, with what they stand for. */
function exported(file) {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
  const real = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
  return new Map(symbols.map((symbol) => [symbol.name, real(symbol)]))
}

const ours = exported(files.ours)
const theirs = exported(files.theirs)

/** Names of the official package that only a service has. */
const SERVICE_ONLY = [
  // Addresses and credentials; what stands for the clients is Store and Table.
  /^(TableServiceClient|TableClient|TableServiceClientOptions)$/,
  /Credential|Sas|SAS/,
  // Access policies, settings and statistics of an account.
  /^(AccessPolicy|SignedIdentifier|GetAccessPolicyResponse|SetAccessPolicyResponse|TableGetAccessPolicyHeaders|TableSetAccessPolicyHeaders)$/,
  /^(ServiceProperties|Logging|Metrics|RetentionPolicy|CorsRule|GeoReplication|GeoReplicationStatusType|TableServiceStats)$/,
  /^(GetPropertiesResponse|SetPropertiesOptions|SetPropertiesResponse|GetStatisticsResponse|KnownGeoReplicationStatusType)$/,
  // Headers and bodies of HTTP.
  /Headers$|^TableQueryResponse$/,
]

/** Methods and members of the official clients that only a service has. */
const SERVICE_ONLY_MEMBERS = ['url', 'pipeline', 'getAccessPolicy', 'setAccessPolicy', 'getStatistics', 'getProperties', 'setProperties']

/** Options of every call that are about HTTP. */
const HTTP_OPTIONS = ['requestOptions', 'serializerOptions', 'tracingOptions', 'onResponse']

/** The official class, and what stands for it. */
const CLASSES = { TableClient: 'Table', TableServiceClient: 'Store', TableTransaction: 'TableTransaction' }

/** Public members of a class's objects. */
function members(symbol) {
  const isPublic = (member) => !(ts.getCombinedModifierFlags(member.valueDeclaration) & ts.ModifierFlags.Private)
  const all = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
  return new Map(all.filter((member) => !member.name.startsWith('__') && isPublic(member)).map((member) => [member.name, member]))
}

/** The forms of a method, each as a list of its parameters. */
function forms(member) {
  const type = checker.getTypeOfSymbolAtLocation(member, member.valueDeclaration)
  return type.getCallSignatures().map((signature) => signature.getParameters())
}

const isOptional = (parameter) => Boolean(parameter.valueDeclaration.questionToken || parameter.valueDeclaration.initializer)

/** What an object of a parameter's type may have. */
function optionsOf(parameter) {
  const type = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(parameter, parameter.valueDeclaration))
  return new Map(checker.getPropertiesOfType(type).map((option) => [option.name, option]))
}

test('every name that has a meaning here is there', () => {
  const missing = [...theirs.keys()].filter((name) => !ours.has(name) && !SERVICE_ONLY.some((names) => names.test(name)))
  assert.deepEqual(missing, [])
})

test('what is listed as the service’s alone is in the official package', () => {
  for (const names of SERVICE_ONLY) assert.ok([...theirs.keys()].some((name) => names.test(name)), String(names))
  const known = Object.keys(CLASSES).flatMap((name) => [...members(theirs.get(name)).keys()])
  assert.deepEqual(SERVICE_ONLY_MEMBERS.filter((name) => !known.includes(name)), [])
})

for (const [theirName, ourName] of Object.entries(CLASSES)) {
  const official = members(theirs.get(theirName))
  const own = members(ours.get(ourName))
  for (const [name, member] of official) {
    if (SERVICE_ONLY_MEMBERS.includes(name)) continue
    test(`${theirName}.${name} is ${ourName}.${name}`, () => {
      assert.ok(own.has(name), 'there is no such member')
      const ourForms = forms(own.get(name))
      for (const form of forms(member)) {
        // Some form of ours takes the same, and has no further parameter that is needed.
        const fits = (one) => form.every((parameter, at) => one[at] && (isOptional(one[at]) || !isOptional(parameter))) && one.slice(form.length).every(isOptional)
        assert.ok(ourForms.some(fits), `no form takes ${form.map((parameter) => parameter.name)}`)
        const ourForm = ourForms.find(fits)
        for (const [at, parameter] of form.entries()) {
          if (!/options$/i.test(parameter.name)) continue
          const known = optionsOf(ourForm[at])
          for (const [option, declared] of optionsOf(parameter)) {
            if (HTTP_OPTIONS.includes(option)) continue
            assert.ok(known.has(option), `no option ${option}`)
            if (option !== 'queryOptions') continue
            const asked = [...optionsOf(declared).keys()].filter((one) => !(name === 'getEntity' && one === 'filter'))
            assert.deepEqual(asked.filter((one) => !optionsOf(known.get(option)).has(one)), [], 'queryOptions')
          }
        }
      }
    })
  }
}

test('parameters have the same names', () => {
  const differing = []
  for (const [theirName, ourName] of Object.entries(CLASSES)) {
    const own = members(ours.get(ourName))
    for (const [name, member] of members(theirs.get(theirName))) {
      if (SERVICE_ONLY_MEMBERS.includes(name)) continue
      const known = new Set(forms(own.get(name)).flatMap((form) => form.map((parameter, at) => `${at} ${parameter.name}`)))
      const asked = forms(member).flatMap((form) => form.map((parameter, at) => `${at} ${parameter.name}`))
      differing.push(...asked.filter((one) => !known.has(one)).map((one) => `${theirName}.${name} ${one}`))
    }
  }
  assert.deepEqual(differing, [])
})
