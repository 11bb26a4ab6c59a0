// A store for express-session, in one file: `app.use(session({ store: new Sessions(table), … }))`.
// express-session wants a class that extends its own Store: `sessionsOf(session.Store)`.
import { EventEmitter } from 'node:events'

const DAY_MS = 86_400_000
/** Sessions are spread by the first two letters of their ids, which are random. */
const keysOf = (id) => [id.slice(0, 2), id]

/** When a session ends: with its cookie, or after a day. */
const endOf = (session) => new Date(session.cookie?.expires ?? Date.now() + DAY_MS)

export const sessionsOf = (Base) =>
  class Sessions extends Base {
    #table

    constructor(table) {
      super()
      this.#table = table
    }

    get(id, done) {
      const missing = (error) => (error.code === 'ResourceNotFound' ? null : Promise.reject(error))
      const session = (entity) => (entity && entity.Ends > new Date() ? JSON.parse(entity.Session) : null)
      this.#table.getEntity(...keysOf(id)).catch(missing).then((entity) => done(null, session(entity)), done)
    }

    set(id, session, done = () => {}) {
      const [partitionKey, rowKey] = keysOf(id)
      const entity = { partitionKey, rowKey, Session: JSON.stringify(session), Ends: endOf(session) }
      this.#table.upsertEntity(entity, 'Replace').then(() => done(null), done)
    }

    touch(id, session, done = () => {}) {
      const [partitionKey, rowKey] = keysOf(id)
      this.#table.updateEntity({ partitionKey, rowKey, Ends: endOf(session) }).then(() => done(null), done)
    }

    destroy(id, done = () => {}) {
      const missing = (error) => (error.code === 'ResourceNotFound' ? undefined : Promise.reject(error))
      this.#table.deleteEntity(...keysOf(id)).catch(missing).then(() => done(null), done)
    }

    /** Removes those that have ended, in steps, so that requests get their turn. */
    sweep() {
      return this.#table.deleteEntities({ queryOptions: { filter: 'Ends le @now', parameters: { now: new Date() } }, chunk: 100 })
    }
  }

export const Sessions = sessionsOf(EventEmitter)
