/** Databases that hold something before they are distributed, or that a later migration changes. */
import { Distribution, Migrations, PostgresClient } from "@lazaret/store-postgres"
import { Effect, Redacted } from "effect"
import { adminKey, run, serve } from "../lazaretProcess.ts"

/** The outcome of a part: its faults, and figures for people. */
export interface Outcome {
  readonly faults: ReadonlyArray<string>
  readonly figures: object
}

/**
 * Uploads the demonstration to one PostgreSQL, distributes its tables, and uploads the demonstration again to another repository.
 * Both repositories must give the same answers on two servers, before and after `refold`; `retention run` must release the
 * week of an old report, and `verify` must find no difference.
 */
export const filled = async (url: string): Promise<Outcome> => {
  const env = { LAZARET_STORE: "postgres", DATABASE_URL: url, LAZARET_ADMIN_KEY: adminKey }
  const faults: Array<string> = []
  const command = async (args: ReadonlyArray<string>, given: Readonly<Record<string, string>>) => {
    const { exitCode, stderr, stdout } = await run(args, { cwd: "/tmp", env: given })
    if (exitCode !== 0) faults.push(`${args.join(" ")}: ${exitCode} ${stdout}${stderr}`)
    return stdout
  }
  const demonstrate = (server: string, repository: string) =>
    command(["demo", "--repo", repository, "--days", "14", "--tests", "50"], clientOf(server))
  {
    await using server = await serve({ cwd: "/tmp", env })
    await demonstrate(server.url, before)
  }
  await command(["migrate", "--distribute"], env)
  await using one = await serve({ cwd: "/tmp", env })
  await using two = await serve({ cwd: "/tmp", env })
  await demonstrate(one.url, after)
  faults.push(...(await differences(two.url)))
  for (const repository of [before, after]) await ask(one.url, `${pathOf(repository)}/refold`, { method: "POST" })
  faults.push(...(await differences(two.url)))
  await uploadOld(two.url)
  // A server with a limit deletes by itself a minute after its start, which would be before the command.
  await using three = await serve({ cwd: "/tmp", env: { ...env, LAZARET_RETENTION_DAYS: "30" } })
  const { reports, weeks_released: weeks } = JSON.parse(
    await command(["retention", "run", "--json"], clientOf(three.url))
  )
  if (reports !== 1 || weeks !== 1)
    faults.push(`retention deleted ${reports} reports and ${weeks} weeks, and one is old`)
  await command(["verify"], clientOf(two.url))
  return { faults, figures: { reports, weeks } }
}

const [before, after] = ["acme/before", "acme/after"]

const clientOf = (url: string) => ({ LAZARET_URL: url, LAZARET_TOKEN: adminKey })

const pathOf = (repository: string): string => `/v1/ci/${repository.replace("/", "/repositories/")}`

const ask = async (server: string, path: string, request: RequestInit = {}): Promise<string> => {
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/xml" }
  const answer = await fetch(server + path, { ...request, headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return text
}

/** A fault when the repositories do not have the same tests with the same verdicts and figures. */
const differences = async (server: string): Promise<ReadonlyArray<string>> => {
  const path = "/search/tests?per_page=100&sort=executions_count"
  const [found, wanted] = await Promise.all([before, after].map((each) => ask(server, pathOf(each) + path)))
  // The demonstration has 54 tests in pipelines and jobs.
  return found === wanted && found?.includes(`"size":54`) ? [] : [`${before}: ${found}`, `${after}: ${wanted}`]
}

/** Uploads a report of fifty days ago. */
const uploadOld = (server: string) => {
  const at = new Date(Date.now() - 50 * 86_400_000).toISOString()
  const query = `pipeline_name=CI&job_name=unit&branch=main&commit=old&idempotency_key=old&finished_at=${at}`
  const body = `<testsuite name="old"><testcase name="one"/></testsuite>`
  return ask(server, `${pathOf(before)}/reports?${query}`, { method: "POST", body })
}

/**
 * Distributes the tables of the first migration, runs a made-up later one, and asks for what is left: every table must be known to
 * the extension, and both views must answer.
 */
export const later = (url: string): Promise<Outcome> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { sql } = yield* PostgresClient
      yield* Migrations.run
      const first = yield* Distribution.run
      const migrated = yield* Migrations.runOf({
        ...Migrations.all,
        "0099_later": ['CREATE TABLE later (repository_id bigint PRIMARY KEY, note text COLLATE "C" NOT NULL)']
      })
      const left = yield* sql<{ readonly name: string }>`
        SELECT c.relname AS name
        FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
          AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)`
      const again = yield* Distribution.run
      yield* sql`SELECT count(*) FROM executions`
      yield* sql`SELECT count(*) FROM test_health`
      const faults = [
        ...left.map(({ name }) => `${name} is on the coordinator alone, and no other node knows it`),
        ...again.map((name) => `${name} was distributed by the command, not by its migration`)
      ]
      return { faults, figures: { distributed: first.length, migrated: migrated.length } }
    }).pipe(Effect.provide(PostgresClient.layer(Redacted.make(url))))
  )
