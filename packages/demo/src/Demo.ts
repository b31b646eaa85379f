/** Uploads the invented history through the API, and prints what there is to see. */
import { CommandFailure, Connection, Flags, type MissingPackage, Session, Shell, Upload, both } from "@lazaret/cli"
import type { Repository } from "@lazaret/domain"
import { Clock, Console, Effect, type FileSystem, type Path, Stream } from "effect"
import * as History from "./History.ts"
import * as JUnitDocument from "./JUnitDocument.ts"
import * as OpenPull from "./OpenPull.ts"
import * as Scenes from "./Scenes.ts"

/** The flags of the command. */
export interface Given extends Flags.Server {
  readonly repo: Repository.RepositoryRef
  readonly seed: number
  readonly days: number
  readonly tests: number
}

/** Uploads the history, plays what people have done, and searches it. */
export const demo = Effect.fn("lazaret.demo")(function* (
  given: Given
): Effect.fn.Return<
  void,
  CommandFailure.CommandFailure | MissingPackage.MissingPackage,
  FileSystem.FileSystem | Path.Path
> {
  const session = yield* Session.open(given)
  const now = yield* Clock.currentTimeMillis
  const options = { seed: given.seed, days: given.days, tests: given.tests, now }
  const open = OpenPull.make(options)
  const scene = { repo: given.repo, pull: open.pull, now }
  const sent = yield* Effect.ensuring(sendAll(session, given, { options, open, scene }), session.progress.clear)
  const found = yield* findAll(session, given)
  const { sentence: verdict } = yield* Scenes.judge(session, scene)
  const [flaky] = found.flaky.tests
  if (flaky !== undefined) yield* Scenes.quarantine(session, scene, flaky.test_name)
  const hasQueue = yield* Scenes.fillQueue(session, scene)
  const outcome = { sent, found, verdict, pull: open.pull.number, hasQueue }
  yield* Session.print(given, toBody(given, outcome), () => toText(session.connection, given, outcome))
})

interface Outcome {
  readonly sent: { readonly reports: number; readonly recorded: number }
  readonly found: Readonly<Record<"healthy" | "flaky" | "broken", Found>>
  /** The conclusion about the open pull request. */
  readonly verdict: string
  readonly pull: number
  readonly hasQueue: boolean
}

/** The tests of one health status: their number, and the first of them. */
interface Found {
  readonly total: number
  readonly tests: ReadonlyArray<{ readonly test_id: string; readonly test_name: string }>
}

interface Story {
  readonly options: History.Options
  readonly open: OpenPull.OpenPull
  readonly scene: Scenes.Scene
}

const sendAll = Effect.fnUntraced(function* (session: Session.Session, given: Given, { open, options, scene }: Story) {
  const [first, second] = open.reports
  const all = History.total(options).reports + open.reports.length
  const name = Session.nameOf(given.repo)
  yield* Console.error(`Sending ${all} test reports of ${given.days} days to ${name} at ${session.connection.url}`)
  let sent = 0
  let recorded = 0
  const send = Effect.fnUntraced(function* (report: History.JobReport) {
    const upload = { label: null, params: given.repo, body: bytesOf(report) }
    const { value } = yield* Upload.send(session, upload, queryOf(report))
    sent += 1
    recorded += value.executions.recorded
    yield* session.progress.bar(`${sent} of ${all} reports`, sent, all)
  })
  yield* Stream.runForEach(Stream.fromIterable(History.make(options)), send)
  yield* send(first)
  // A user asks before the second attempt has shown which failures were flakes.
  yield* Scenes.markFlaky(session, scene, open.flaky)
  yield* send(second)
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
  pull_request: report.pull,
  ...(report.base === null ? {} : { base_branch: report.base })
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

const toBody = ({ repo }: Given, { found: { broken, flaky, healthy }, pull, sent, verdict }: Outcome) => ({
  ...repo,
  reports: sent.reports,
  recorded: sent.recorded,
  tests: { healthy: healthy.total, flaky: flaky.total, broken: broken.total },
  pull_request: { number: pull, sentence: verdict }
})

/** The numbers, and where to look at them: pages of the dashboard, commands, and a request. */
const toText = (connection: Connection.Connection, { repo }: Given, outcome: Outcome): string => {
  const { found, hasQueue, pull, sent, verdict } = outcome
  const { broken, flaky, healthy } = found
  const name = Session.nameOf(repo)
  const home = `${connection.url}/${name}`
  const [test] = [...flaky.tests, ...broken.tests, ...healthy.tests]
  const pages = [
    ["overview", home],
    ...(test === undefined ? [] : [["a test", `${home}/tests/${test.test_id}`]]),
    ["a red pull request", `${home}/pulls/${pull}`],
    ["quarantine", `${home}/quarantine`],
    ["outages", `${home}/outages`],
    ["did not run", `${home}/missing`],
    ["slower tests", `${home}/slower`],
    ["causes, cost", `${home}/cost`],
    ...(hasQueue ? [["merge queue", `${home}/queue`]] : [])
  ]
  const query = "search/tests?health_status=flaky&health_status=broken&sort=failed_executions_ratio"
  return [
    `${name} has ${sent.recorded} new test executions from ${sent.reports} reports.`,
    `Tests in a pipeline and job: ${healthy.total} healthy, ${flaky.total} flaky, ${broken.total} broken.`,
    `Pull request ${pull}: ${verdict}`,
    "",
    "Dashboard (without a session, lazaret sign-in prints a link that signs in):",
    ...pages.map(([what = "", url = ""]) => `  ${what.padEnd(20)}${url}`),
    "",
    "Command line:",
    ...(connection.url === Connection.defaultUrl ? [] : [`  export LAZARET_URL=${Shell.quoted(connection.url)}`]),
    ...(connection.keyFile === null ? [] : [`  ${Shell.exportKey(connection.keyFile)}`]),
    `  lazaret tests search --repo ${name}`,
    ...(test === undefined ? [] : [`  lazaret tests explain --repo ${name} ${Shell.quoted(test.test_name)}`]),
    `  lazaret triage --repo ${name} --pull ${pull}`,
    `  lazaret cost --repo ${name}`,
    `  lazaret missing --repo ${name}`,
    "Causes, cost and what did not run are computed in the background: some minutes after the last report, at most a quarter of an hour.",
    "",
    "HTTP:",
    `  curl -H "Authorization: Bearer $LAZARET_TOKEN" "${connection.url}/v1/ci/${repo.owner}/repositories/${repo.repository}/${query}"`
  ].join("\n")
}
