// A job queue for several processes: jobs are done in the order in which they are due, each by one worker; one whose worker
// has died is given out again when its lease has ended.
import { randomUUID } from 'node:crypto'
import { keys } from 'entable'

const LEASE_MS = 60_000

export class Jobs {
  #store
  #table

  constructor(store, table = store.createTableSync('Jobs')) {
    this.#store = store
    this.#table = table
  }

  /** Puts a job into the queue. Durable when the promise is fulfilled. */
  add(work, due = new Date()) {
    return this.#table.createEntity({ partitionKey: 'due', rowKey: Jobs.#key(due), Work: JSON.stringify(work), Attempts: 0 })
  }

  /** The key of a job that is due then: jobs are in this order, whatever order they come in. */
  static #key(due) {
    return keys.compose([keys.ticks(due), randomUUID()])
  }

  /** Takes the next job that is due, if there is one. Nobody else gets it as long as the lease lasts. */
  take(now = new Date()) {
    return this.#store.transactionSync((transaction) => {
      const jobs = transaction.table('Jobs')
      const filter = "PartitionKey eq 'due' and RowKey lt @now"
      const [job] = jobs.listEntitiesSync({ queryOptions: { filter, parameters: { now: keys.ticks(now) }, limit: 1 } })
      if (!job) return undefined
      const lease = Jobs.#key(new Date(now.getTime() + LEASE_MS))
      jobs.deleteEntitySync('due', job.rowKey)
      jobs.createEntitySync({ partitionKey: 'due', rowKey: lease, Work: job.Work, Attempts: job.Attempts + 1 })
      return { work: JSON.parse(job.Work), attempts: job.Attempts + 1, lease }
    })
  }

  /** Says that a job is done. False if its lease had ended, and somebody else has it. */
  async done({ lease }) {
    try {
      await this.#table.deleteEntity('due', lease)
      return true
    } catch (error) {
      if (error.code === 'ResourceNotFound') return false
      throw error
    }
  }
}
