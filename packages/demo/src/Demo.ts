/** Uploads the invented history through the API, and prints what there is to see. */
import { CommandFailure, type Connection, Flags, type MissingPackage, Session, Shell, Upload, both } from "@lazaret/cli"
import type { Repository } from "@lazaret/domain"
import { Clock, Console, Effect, type FileSystem, type Path, Stream } from "effect"
import * as History from "./History.ts"
import * as JUnitDocument from "./JUnitDocument.ts"

/** The flags of the command. */
export interface Given extends Flags.Server {
  readonly repo: Repository.RepositoryRef
  readonly seed: number
  readonly days: number
  readonly tests: number
}

/** Uploads the history and searches it. */
export const demo = Effect.fn("lazaret.demo")(function* (
  given: Given
): Effect.fn.Return<
  void,
  CommandFailure.CommandFailure | MissingPackage.MissingPackage,
  FileSystem.FileSystem | Path.Path
> {
  const session = yield* Session.open(given)
  const sent = yield* Effect.ensuring(sendAll(session, given), session.progress.clear)
  const found = yield* findAll(session, given)
  const text = yield* toText(session.connection, given, { sent, found })
  yield* Session.print(given, toBody(given, { sent, found }), () => text)
})

interface Outcome {
  readonly sent: { readonly reports: number; readonly recorded: number }
  readonly found: Readonly<Record<"healthy" | "flaky" | "broken", Found>>
}

/** The tests of one health status: their number, and the first of them. */
interface Found {
  readonly total: number
  readonly tests: ReadonlyArray<{ readonly test_id: string; readonly test_name: string }>
}

const sendAll = Effect.fnUntraced(function* (session: Session.Session, given: Given) {
  const options = { seed: given.seed, days: given.days, tests: given.tests, now: yield* Clock.currentTimeMillis }
  const all = History.total(options)
  const name = Session.nameOf(given.repo)
  yield* Console.error(
    `Sending ${all.reports} test reports of ${given.days} days to ${name} at ${session.connection.url}`
  )
  let sent = 0
  let recorded = 0
  const send = Effect.fnUntraced(function* (report: History.JobReport) {
    const upload = { label: null, params: given.repo, body: bytesOf(report) }
    const { value } = yield* Upload.send(session, upload, queryOf(report))
    sent += 1
    recorded += value.executions.recorded
    yield* session.progress.bar(`${sent} of ${all.reports} reports`, sent, all.reports)
  })
  yield* Stream.runForEach(Stream.fromIterable(History.make(options)), send)
  return { reports: sent, recorded }
})

const queryOf = (report: History.JobReport): Parameters<typeof Upload.send>[2] => ({
  pipeline_name: report.pipeline,
  job_name: report.job,
  branch: report.branch,
  commit: report.commit,
  run_id: report.runId,
  run_attempt: report.runAttempt,
  job_url: `https://ci.example.com/runs/${report.runId}/attempts/${report.runAttempt}`,
  finished_at: report.finishedAt,
  ...(report.pull === null ? { base_branch: "main" } : { pull_request: report.pull })
})

const bytesOf = (report: History.JobReport): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => Stream.succeed(new TextEncoder().encode(JUnitDocument.write(report))))

const findAll = (session: Session.Session, { repo }: Given) => {
  const find = (status: "healthy" | "flaky" | "broken"): Effect.Effect<Found, CommandFailure.CommandFailure> => {
    const query = {
      health_status: [status],
      sort: "failed_executions_ratio",
      direction: "desc",
      per_page: 1
    } as const
    return Effect.map(
      session.call(null, (api) => api.searchTests({ params: repo, query, ...both })),
      ({ value }) => value.body
    )
  }
  return Effect.all({ healthy: find("healthy"), flaky: find("flaky"), broken: find("broken") })
}

const toBody = ({ repo }: Given, { found: { broken, flaky, healthy }, sent }: Outcome) => ({
  ...repo,
  reports: sent.reports,
  recorded: sent.recorded,
  tests: { healthy: healthy.total, flaky: flaky.total, broken: broken.total }
})

/** How many tests are healthy, flaky and broken, and the commands to look at them. */
const toText = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  { days, repo }: Given,
  { found: { broken, flaky, healthy }, sent }: Outcome
) {
  const base = `/v1/ci/${repo.owner}/repositories/${repo.repository}`
  const now = yield* Clock.currentTimeMillis
  const [start, end] = [now - days * 86_400_000, now].map((at) => new Date(at).toISOString())
  const [test] = [...flaky.tests, ...broken.tests, ...healthy.tests]
  const curl = (path: string) => `  curl -H "Authorization: Bearer $LAZARET_TOKEN" "${connection.url}${base}${path}"`
  return [
    `${repo.owner}/${repo.repository} has ${sent.recorded} new test executions from ${sent.reports} reports.`,
    "",
    `Tests in a pipeline and job: ${healthy.total} healthy, ${flaky.total} flaky, ${broken.total} broken.`,
    "",
    ...(connection.keyFile === null ? [] : [`  ${Shell.exportKey(connection.keyFile)}`, ""]),
    "The ones that fail most:",
    curl("/search/tests?health_status=flaky&health_status=broken&sort=failed_executions_ratio"),
    ...(test === undefined
      ? []
      : [
          `One of them, ${test.test_name}:`,
          curl(`/tests/${test.test_id}`),
          `How its health changed in ${days} days:`,
          curl(`/tests/${test.test_id}/health-transitions?start=${start}&end=${end}`)
        ]),
    "",
    `Dashboard: ${connection.url}/${repo.owner}/${repo.repository}`
  ].join("\n")
})
