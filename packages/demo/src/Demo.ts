/** What `lazaret demo` does. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { type CommandFailure, Connection, Shell } from "@lazaret/cli"
import { Api, Progress, Upload } from "@lazaret/cli/client"
import type { Repository } from "@lazaret/domain"
import { Clock, Console, Effect, type FileSystem, type Path, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import * as History from "./History.ts"
import * as JUnitDocument from "./JUnitDocument.ts"

/** What was given on the command line. */
export interface Given extends Connection.Given {
  readonly repo: Repository.RepositoryRef
  readonly seed: number
  readonly days: number
  readonly tests: number
  readonly json: boolean
}

/** Uploads the invented history through the public interface, and says what there is to see. */
export const demo = Effect.fn("lazaret.demo")(function* (
  given: Given
): Effect.fn.Return<void, CommandFailure.CommandFailure, FileSystem.FileSystem | Path.Path> {
  const progress = Progress.make(process.stderr, false)
  const connection = yield* Connection.resolve(given)
  const outcome = yield* Effect.gen(function* () {
    yield* Api.greet(connection, progress.waiting)
    const sent = yield* sendAll(connection, given, progress)
    return { sent, found: yield* findAll(connection, given) }
  }).pipe(Effect.provide(NodeHttpClient.layerNodeHttp), Effect.ensuring(progress.clear))
  yield* Console.log(given.json ? toJson(given, outcome) : yield* toText(connection, given, outcome))
})

interface Outcome {
  readonly sent: { readonly reports: number; readonly recorded: number }
  readonly found: Readonly<Record<"healthy" | "flaky" | "broken", typeof Found.Type>>
}

const sendAll = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  given: Given,
  progress: Progress.Progress
) {
  const options = { seed: given.seed, days: given.days, tests: given.tests, now: yield* Clock.currentTimeMillis }
  const name = `${given.repo.owner}/${given.repo.repository}`
  const all = History.total(options)
  yield* Console.error(`Sending ${all.reports} test reports of ${given.days} days to ${name} at ${connection.url}`)
  let sent = 0
  let recorded = 0
  const send = Effect.fnUntraced(function* (report: History.JobReport) {
    const upload = { label: "demo", ref: given.repo, query: queryOf(report), body: bytesOf(report) }
    const receipt = yield* Upload.send(connection, upload, progress.waiting)
    sent += 1
    recorded += receipt.executions.recorded
    yield* progress.bar(`${sent} of ${all.reports} reports`, sent, all.reports)
  })
  yield* Stream.runForEach(Stream.fromIterable(History.make(options)), send)
  return { reports: sent, recorded }
})

const queryOf = (report: History.JobReport): Readonly<Record<string, string>> => ({
  pipeline_name: report.pipeline,
  job_name: report.job,
  branch: report.branch,
  commit: report.commit,
  run_id: report.runId,
  run_attempt: String(report.runAttempt),
  job_url: `https://ci.example.com/runs/${report.runId}/attempts/${report.runAttempt}`,
  finished_at: new Date(report.finishedAt).toISOString(),
  ...(report.pull === null ? { base_branch: "main" } : { pull_request: JSON.stringify(report.pull) })
})

const bytesOf = (report: History.JobReport): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => Stream.succeed(new TextEncoder().encode(JUnitDocument.write(report))))

const Found = Schema.Struct({
  total: Schema.Int,
  tests: Schema.Array(Schema.Struct({ test_id: Schema.String, test_name: Schema.String }))
})

const findAll = (connection: Connection.Connection, { repo }: Given) => {
  const find = (status: string) => {
    const urlParams = { health_status: status, sort: "failed_executions_ratio", direction: "desc", per_page: 1 }
    const request = HttpClientRequest.get(`${baseOf(repo)}/search/tests`, { urlParams })
    return Api.call(connection, { request, answer: Found, subject: null, isFirst: false }, () => Effect.void)
  }
  return Effect.all({ healthy: find("healthy"), flaky: find("flaky"), broken: find("broken") })
}

const baseOf = ({ owner, repository }: Repository.RepositoryRef) => `/v1/ci/${owner}/repositories/${repository}`

const toJson = ({ repo }: Given, { found: { broken, flaky, healthy }, sent }: Outcome): string =>
  JSON.stringify(
    {
      ...repo,
      reports: sent.reports,
      recorded: sent.recorded,
      tests: { healthy: healthy.total, flaky: flaky.total, broken: broken.total }
    },
    null,
    2
  )

/** How many tests are healthy, flaky and broken, and the commands to look at them. */
const toText = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  { days, repo }: Given,
  { found: { broken, flaky, healthy }, sent }: Outcome
) {
  const base = baseOf(repo)
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
        ])
  ].join("\n")
})
