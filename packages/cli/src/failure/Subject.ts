/** The subject of a command about failures: those of a commit, a run or a pull request. */
import type { Repository } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as CiEnvironment from "../ci/CiEnvironment.ts"
import type * as Client from "../connection/Client.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Dashboard from "../connection/Dashboard.ts"
import { both } from "../connection/Request.ts"
import type * as Session from "../connection/Session.ts"
import * as Terminal from "../terminal/Terminal.ts"
import type * as Verdicts from "./FailureLines.ts"

/** The flags that name the subject. */
export const flags = {
  commit: Flag.String("commit").pipe(
    Flag.withDescription("Commit whose failures are judged (CI: the commit of the job)"),
    Flag.optional
  ),
  run: Flag.String("run").pipe(Flag.withDescription("Id of a run, instead of a commit"), Flag.optional),
  pull: Flag.Int("pull").pipe(
    Flag.withMetavar("number"),
    Flag.withDescription("Number of a pull request, instead of a commit"),
    Flag.optional
  )
}

interface Given {
  readonly commit: Option.Option<string>
  readonly run: Option.Option<string>
  readonly pull: Option.Option<number>
}

/** The subject of a question about failures. */
export type Subject =
  | { readonly _tag: "Commit"; readonly commit: string }
  | { readonly _tag: "Run"; readonly runId: string }
  | { readonly _tag: "Pull"; readonly number: number }

/** The one subject that is named, else the commit of the CI system. */
export const subjectOf = Effect.fnUntraced(function* ({ commit, pull, run }: Given) {
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

/** The subject in a sentence. */
export const nameOf = (subject: Subject): string => {
  if (subject._tag === "Commit") return `commit ${Terminal.plain(subject.commit)}`
  return subject._tag === "Run" ? `run ${Terminal.plain(subject.runId)}` : `pull request ${subject.number}`
}

/** The page of the subject in the dashboard. */
export const pageOf = (place: Verdicts.Place, subject: Subject): string => {
  switch (subject._tag) {
    case "Commit":
      return Dashboard.failures(place.url, place, "commits", subject.commit)
    case "Run":
      return Dashboard.failures(place.url, place, "runs", subject.runId)
    case "Pull":
      return Dashboard.failures(place.url, place, "pulls", String(subject.number))
  }
}

/** The judged failures of a subject, at most `most`. */
export const list = (
  session: Session.Session,
  params: Repository.RepositoryRef,
  subject: Subject,
  { most, query }: Pick<Request, "query"> & { readonly most: number }
) =>
  session.list({
    subject: nameOf(subject),
    key: "failures",
    most,
    page: (api, at) => ask(api, params, subject, { query: { ...query, ...at } })
  })

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
