'use strict'
// better-sqlite3, set up by someone who knows it: WAL, a sync for every commit, mmap, 64 MB of cache, statements kept.

const path = require('node:path')
const Database = require('better-sqlite3')

const COLUMNS = 'First TEXT, Last TEXT, Email TEXT, City TEXT, Age INTEGER, Salary REAL, Hired INTEGER, Active INTEGER, Badge BLOB, Notes TEXT'

class Sqlite {
  name = 'sqlite'

  constructor(folder) {
    this.folder = folder
    this.database = new Database(path.join(folder, 'employees.db'))
    for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'mmap_size = 17179869184', 'cache_size = -65536']) this.database.pragma(pragma)
    this.database.exec(`CREATE TABLE t (partitionKey TEXT NOT NULL, rowKey TEXT NOT NULL, ${COLUMNS}, PRIMARY KEY (partitionKey, rowKey)) WITHOUT ROWID`)
    const prepare = (sql) => this.database.prepare(sql)
    this.statements = {
      insert: prepare(`INSERT INTO t VALUES (?${', ?'.repeat(11)})`),
      get: prepare('SELECT * FROM t WHERE partitionKey = ? AND rowKey = ?'),
      range: prepare('SELECT * FROM t WHERE partitionKey = ? AND rowKey >= ? ORDER BY partitionKey, rowKey LIMIT ?'),
      remove: prepare('DELETE FROM t WHERE partitionKey = ? AND rowKey = ?'),
    }
    this.many = this.database.transaction((rows) => {
      for (const row of rows) this.statements.insert.run(row)
    })
    this.prepared = new Map()
  }

  /** A statement, which is prepared once. */
  kept(sql) {
    const known = this.prepared.get(sql) ?? this.database.prepare(sql)
    this.prepared.set(sql, known)
    return known
  }

  values(row) {
    const { partitionKey, rowKey, First, Last, Email, City, Age, Salary, Hired, Active, Badge, Notes } = row
    return [partitionKey, rowKey, First, Last, Email, City, Age, Salary, Hired.getTime(), Active ? 1 : 0, Badge, Notes]
  }

  load(rows) {
    this.many(rows)
  }

  loaded(rows) {
    return rows.map((row) => this.values(row))
  }

  grouped(rows) {
    return this.loaded(rows)
  }

  group(rows) {
    this.many(rows)
  }

  insert(row) {
    this.statements.insert.run(this.values(row))
  }

  async insertLater(row) {
    this.insert(row)
  }

  remove(partitionKey, rowKey) {
    this.statements.remove.run(partitionKey, rowKey)
  }

  get(partitionKey, rowKey) {
    return this.statements.get.get(partitionKey, rowKey)
  }

  range(partitionKey, rowKey, limit) {
    return this.statements.range.all(partitionKey, rowKey, limit)
  }

  /** The rest of a statement, and its parameters. */
  where(ask, partition) {
    const terms = []
    if (partition !== undefined) terms.push('partitionKey = ?')
    if (ask.city !== undefined) terms.push('City = ?')
    if (ask.city === undefined || ask.isThree) terms.push('Age > 60')
    if (ask.isThree) terms.push('Active = 0')
    return [`FROM t WHERE ${terms.join(' AND ')}`, [partition, ask.city].filter((value) => value !== undefined)]
  }

  scan(ask, partition) {
    const [rest, parameters] = this.where(ask, partition)
    return this.kept(`SELECT * ${rest}`).all(...parameters)
  }

  count(ask) {
    const [rest, parameters] = ask ? this.where(ask) : ['FROM t', []]
    return this.kept(`SELECT count(*) AS count ${rest}`).get(...parameters).count
  }

  buildIndex() {
    this.database.exec('CREATE INDEX byCity ON t (City)')
  }

  byCity(city) {
    return this.kept('SELECT * FROM t WHERE City = ?').all(city)
  }

  close() {
    this.database.close()
  }
}

module.exports = { Sqlite }
