/** `lazaret triage`: whose failures are these? */
import type { Repository } from "@lazaret/domain"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as CiEnvironment from "../ci/CiEnvironment.ts"
import type * as Client from "../Client.ts"
import * as CommandFailure from "../CommandFailure.ts"
import * as Dashboard from "../Dashboard.ts"
import * as ExitCode from "../ExitCode.ts"
import * as Flags from "../Flags.ts"
import { both } from "../Request.ts"
import * as Announcement from "../report/Announcement.ts"
import * as Session from "../Session.ts"
import * as Terminal from "../Terminal.ts"
import * as Verdicts from "../triage/Verdicts.ts"

const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

/** Judges the failures of a commit, a run or a pull request. */
export const command = Command.make(
  "triage",
  {
    ...Flags.ofRepository,
    commit: Flag.String("commit").pipe(
      Flag.withDescription("Commit whose failures are judged (CI: the commit of the job)"),
      Flag.optional
    ),
    run: Flag.String("run").pipe(Flag.withDescription("Run instead of a commit, by its id"), Flag.optional),
    pull: Flag.Int("pull").pipe(
      Flag.withMetavar("number"),
      Flag.withDescription("Pull request instead of a commit, by its number"),
      Flag.optional
    ),
    pipeline: several("pipeline", "Only this pipeline; repeatable"),
    job: several("job", "Only this job; repeatable"),
    limit: Flags.limit
  },
  Effect.fn("lazaret.triage")(function* (given) {
    const subject = yield* subjectOf(given)
    const { params, session } = yield* Session.ofRepository(given)
    const query = { pipeline_name: given.pipeline, job_name: given.job }
    const { entries, first, json } = yield* session.list({
      subject: nameOf(subject),
      key: "failures",
      most: given.limit,
      page: (api, at) => ask(api, params, subject, { query: { ...query, ...at } })
    })
    const { sentence } = first
    const place = { ...params, url: session.connection.url }
    if (given.json) yield* Session.print(given, json(entries, { per_page: given.limit }), () => "")
    else {
      const failures = entries.map(({ row }) => row)
      const text = Verdicts.lines(yield* Terminal.current, place, failures)
      const page = pageOf(place, subject)
      yield* Console.log([...(text === "" ? [] : [text]), `${Terminal.plain(sentence)} ${page}`].join("\n"))
      if (failures.length > 0) yield* Announcement.write(Verdicts.told(place, failures), page, noFiles)
    }
    const exitCode = Verdicts.exitCodeOf(first)
    if (exitCode !== ExitCode.done) {
      return yield* new CommandFailure.CommandFailure({ message: `${nameOf(subject)}: ${sentence}`, exitCode })
    }
  })
).pipe(
  Command.withDescription(
    "Say whose each failure is: flaky, broken on the base branch, an outage, new, or of a new test, with the reason. Exits " +
      "with 0 when nothing failed or nothing blocks, and with 10 when a failure blocks."
  ),
  Command.withShortDescription("Say whose each failure is"),
  Command.withExamples([
    { command: "lazaret triage --pull 42", description: "The failures of a pull request" },
    { command: "lazaret triage --commit 4f1c2a --json", description: "The failures of a commit, for programs" }
  ])
)

/** The summary of the step, where the CI system has one. */
const noFiles: Announcement.Files = { summary: Option.none(), annotations: Option.none() }

interface Given {
  readonly commit: Option.Option<string>
  readonly run: Option.Option<string>
  readonly pull: Option.Option<number>
}

type Subject =
  | { readonly _tag: "Commit"; readonly commit: string }
  | { readonly _tag: "Run"; readonly runId: string }
  | { readonly _tag: "Pull"; readonly number: number }

/** The one subject that is named, else the commit of the CI system. */
const subjectOf = Effect.fnUntraced(function* ({ commit, pull, run }: Given) {
  const named: ReadonlyArray<Subject> = [
    ...Option.toArray(Option.map(commit, (text): Subject => ({ _tag: "Commit", commit: text }))),
    ...Option.toArray(Option.map(run, (runId): Subject => ({ _tag: "Run", runId }))),
    ...Option.toArray(Option.map(pull, (number): Subject => ({ _tag: "Pull", number })))
  ]
  const [first] = named
  if (named.length > 1) return yield* CommandFailure.usage("Give one of --commit, --run and --pull, and no more.")
  if (first !== undefined) return first
  const own = (yield* CiEnvironment.current)?.commit ?? null
  if (own === null) return yield* CommandFailure.usage("The commit is not known: give --commit, --run or --pull.")
  return { _tag: "Commit", commit: own } satisfies Subject
})

const nameOf = (subject: Subject): string => {
  if (subject._tag === "Commit") return `commit ${Terminal.plain(subject.commit)}`
  return subject._tag === "Run" ? `run ${Terminal.plain(subject.runId)}` : `pull request ${subject.number}`
}

/** The page of the subject in the dashboard. */
const pageOf = (place: Verdicts.Place, subject: Subject): string => {
  switch (subject._tag) {
    case "Commit":
      return Dashboard.failures(place.url, place, "commits", subject.commit)
    case "Run":
      return Dashboard.failures(place.url, place, "runs", subject.runId)
    case "Pull":
      return Dashboard.failures(place.url, place, "pulls", String(subject.number))
  }
}

type Request = Omit<Parameters<Client.Api["listCommitFailures"]>[0], "params">

/** The answers of the three operations have one shape. */
const ask = (
  api: Client.Api,
  params: Repository.RepositoryRef,
  subject: Subject,
  { query }: Pick<Request, "query">
) => {
  switch (subject._tag) {
    case "Commit":
      return api.listCommitFailures({ params: { ...params, commit: subject.commit }, query, ...both })
    case "Run":
      return api.listRunFailures({ params: { ...params, run_id: subject.runId }, query, ...both })
    case "Pull":
      return api.listPullRequestFailures({ params: { ...params, number: subject.number }, query, ...both })
  }
}
