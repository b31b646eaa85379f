/**
 * The durable store on generated data: uploads, size and reads, each compared with bare PostgreSQL in the same run.
 *
 * `npm run bench -- postgres` measures 2 million executions, `npm run bench -- postgres --executions=30000000` also so
 * many, in another database of the same server, and says how everything grows. `npm run bench -- size [--executions=2000000]`
 * measures bytes on disk alone, by table.
 */
import { Instant } from "@lazaret/domain"
import type { Lines } from "./Section.ts"
import * as data from "./postgres/data.ts"
import * as Database from "./postgres/Database.ts"
import * as PlainRows from "./postgres/PlainRows.ts"
import * as reads from "./postgres/reads.ts"
import * as size from "./postgres/size.ts"
import * as uploads from "./postgres/uploads.ts"

/** Benchmarks of PostgreSQL. The aims are in `docs/measurements/store.md`. */
export const postgres: Lines = {
  name: "postgres",
  lines: async function* (options) {
    const server = await Database.start()
    try {
      const small = yield* measured(server, data.shortForm)
      const many = executionsOf(options)
      if (many > data.shortForm) yield* growth(small, yield* measured(server, many))
    } finally {
      await server.close()
    }
  }
}

/** Bytes on disk for each execution. Aim: 28 of 30 million executions. */
export const bytes: Lines = {
  name: "size",
  lines: async function* (options) {
    const executions = executionsOf(options)
    const server = await Database.start()
    const database = await Database.create(server, "size")
    try {
      const [connection] = database.connections
      yield* filled(database, executions)
      const total = await size.measure(connection)
      yield size.line(total)
      yield* await size.tables(connection, total.executions)
    } finally {
      await database.close()
      await server.close()
    }
  }
}

const executionsOf = (options: ReadonlyArray<string>): number => {
  const given = options.find((option) => option.startsWith("--executions="))
  return given === undefined ? data.shortForm : Number(given.slice("--executions=".length))
}

interface Measured {
  readonly uploads: ReadonlyArray<uploads.Uploads>
  readonly reads: ReadonlyArray<reads.Read>
}

async function* measured(server: Database.Server, executions: number): AsyncGenerator<string, Measured> {
  const database = await Database.create(server, `of_${executions}`)
  try {
    const [connection] = database.connections
    yield* filled(database, executions)
    yield size.line(await size.measure(connection))
    await PlainRows.create(connection, executions)
    const found: Array<uploads.Uploads> = []
    for (const clients of [1, 2, 4]) {
      const each = await uploads.measure(database, clients, 12)
      found.push(each)
      yield uploads.line(each)
    }
    const ofReads: Array<reads.Read> = []
    for await (const each of reads.measure(database)) {
      ofReads.push(each)
      yield reads.line(each)
    }
    return { uploads: found, reads: ofReads }
  } finally {
    await database.close()
  }
}

/** The history ends a minute ago, so that everything that is uploaded then is later. */
async function* filled(database: Database.Database, executions: number): AsyncGenerator<string> {
  const end = Date.now() - Instant.minute
  const start = performance.now()
  await uploads.record(database, data.planSmall(end))
  await uploads.record(database, data.plan(executions, end))
  const seconds = (performance.now() - start) / 1000
  yield `postgres: ${executions} executions of ${data.identities} tests, recorded in ${seconds.toFixed(0)} s`
}

/** Every ratio to its reference, compared with that of the short form. */
function* growth(small: Measured, large: Measured): Generator<string> {
  yield "  growth since the short form, each as a multiple of the same reference in its own run:"
  for (const [index, each] of large.uploads.entries()) {
    const before = small.uploads[index] ?? each
    yield `    uploads of ${each.clients}: ${(each.product / each.copy / (before.product / before.copy)).toFixed(2)}`
  }
  for (const [index, each] of large.reads.entries()) {
    const before = small.reads[index] ?? each
    yield `    ${each.name}: p50 ${(each.p50 / each.probe / (before.p50 / before.probe)).toFixed(2)}, p99 ${(each.p99 / before.p99).toFixed(2)}`
  }
}
