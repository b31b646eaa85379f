/** The use cases of triage: whose failure is it? */
import {
  type FailureFacts,
  FailureGate,
  FailurePolicy,
  FailureRecords,
  FailureSummary,
  FailureVerdict,
  MissedTests,
  MissingPolicy,
  Page,
  QuarantineLife,
  Repository,
  TestIdentity,
  Text
} from "@lazaret/domain"
import {
  type AskedRun,
  type AskedRuns,
  MissingStore,
  QuarantineStore,
  ReadingStore,
  RepositoryStore,
  type StoreError,
  type TriageRun,
  TriageStore,
  type TriageSubject
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { FieldPrecisions, type Marks } from "./FieldPrecisions.ts"
import * as Listing from "../answer/Listing.ts"
import * as Lookup from "../answer/Lookup.ts"
import { type NamesByFile, Owners } from "../health/Owners.ts"
import { type Invalid, type RepositoryNotFound, SubjectNotFound } from "../answer/ServiceError.ts"

/** The subject of triage: the failures of a commit, of a run, or of the latest commit of a pull request. */
export type Subject =
  | { readonly _tag: "Commit"; readonly commit: string }
  | { readonly _tag: "Run"; readonly runId: string }
  | { readonly _tag: "PullRequest"; readonly number: number }

/** The verdicts to list; an empty list and null stand for every failure. */
export interface TriageRequest extends Listing.PageRequest {
  readonly verdicts: ReadonlyArray<FailureVerdict.Verdict>
  readonly isBlocking: boolean | null
  readonly pipelines: ReadonlyArray<string>
  readonly jobs: ReadonlyArray<string>
}

const everyFailure: TriageRequest = {
  verdicts: [],
  isBlocking: null,
  pipelines: [],
  jobs: [],
  cursor: null,
  perPage: 100
}

/** A page of verdicts, what all verdicts add up to, and the job runs that they are about, latest first. */
export interface Triaged extends FailureSummary.FailureSummary {
  readonly commit: string
  readonly runs: ReadonlyArray<TriageRun>
  /** The job runs of forks on the commit that count for nothing here, latest first. */
  readonly forks: ReadonlyArray<TriageRun>
  readonly listing: Listing.Listing<FailureVerdict.FailureVerdict>
  /** Expected tests that the runs did not execute, and jobs that did not report; empty while jobs are running. */
  readonly missing: ReadonlyArray<MissedTests.MissedTests>
  /** The names under which the tests of the listed failures are found by owner. */
  readonly owners: NamesByFile
  /** The marks on the listed failures. */
  readonly marks: Marks
  /** The names of all failed tests that were judged, whether they are on the page or not. */
  readonly failed: ReadonlyArray<string>
}

/**
 * The verdicts on failures that were asked about, in their order, and what they add up to.
 *
 * **Details**
 *
 * `missing`: expected tests of the job that its recorded reports lack; empty before the first report of the job run.
 */
export interface Answered extends FailureSummary.FailureSummary {
  readonly failures: ReadonlyArray<FailureVerdict.FailureVerdict>
  readonly missing: ReadonlyArray<MissedTests.MissedTests>
  readonly owners: NamesByFile
}

/**
 * Judges failures.
 *
 * **Details**
 *
 * No upload waits for a verdict. Each answer is computed from what is stored when it is asked for, and writes nothing.
 */
export class Triages extends Context.Service<
  Triages,
  {
    /** The verdicts on the failures of a subject, those that block first; by default the first 100 of all. */
    readonly list: (
      ref: Repository.RepositoryRef,
      subject: Subject,
      request: Partial<TriageRequest>
    ) => Effect.Effect<Triaged, Invalid | RepositoryNotFound | SubjectNotFound | StoreError>
    /**
     * The verdicts on failures that no report has brought yet. A repository that does not exist has no history: every test
     * of it is a new one.
     */
    readonly ask: (ref: Repository.RepositoryRef, asked: Omit<AskedRun, "at">) => Effect.Effect<Answered, StoreError>
  }
>()("@lazaret/services/Triages") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Triages,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const triage = yield* TriageStore
      const quarantines = yield* QuarantineStore
      const readings = yield* ReadingStore
      const histories = yield* MissingStore
      const { namesOf } = yield* Owners
      const precisions = yield* FieldPrecisions

      const judge = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        settings: FailureGate.FailureGate,
        failures: ReadonlyArray<FailureFacts.FailureFacts>
      ) {
        const gate = failures.length === 0 ? settings : yield* precisions.gate(ref, settings)
        const now = yield* Clock.currentTimeMillis
        const active =
          failures.length === 0
            ? []
            : (yield* quarantines.page(ref, {
                branch: null,
                testId: null,
                source: null,
                from: Page.start,
                limit: null,
                now
              })).rows
        const byTest = Map.groupBy(active, ({ testName }) => testName)
        const held = failures.map(({ failure }) => {
          const place = placeOf(failure)
          const heldBy = (name: string) => byTest.get(name)?.find((row) => QuarantineLife.holdsAt(row, place))
          const ofTest = failure.attemptOf === undefined ? undefined : heldBy(failure.attemptOf)
          return heldBy(failure.testName) ?? ofTest ?? null
        })
        const limited = gate.quarantineLimit === null ? [] : [...new Set(held.filter((one) => one !== null))]
        const signatures =
          limited.length === 0
            ? []
            : yield* triage.signatures(
                ref,
                limited.map(({ createdAt, testName }) => ({ testName, until: createdAt }))
              )
        const known = new Map(limited.map((one, index) => [one, signatures[index] ?? []]))
        const quarantined = failures.map((facts, index) => {
          const found = held[index] ?? null
          const quarantine =
            found === null ? null : { id: found.id, reason: found.reason, signatures: known.get(found) ?? [] }
          return { ...facts, quarantine }
        })
        if (quarantined.length === 0) return []
        return FailureVerdict.judgeAll(quarantined, FailurePolicy.defaults, gate, yield* precisions.offsets(ref))
      })

      const subjectOf = (ref: Repository.RepositoryRef, subject: Subject): Effect.Effect<TriageSubject, StoreError> =>
        Effect.gen(function* () {
          switch (subject._tag) {
            case "Run":
              return subject
            case "Commit":
              return { ...subject, heads: yield* repositories.heads(ref, { commit: subject.commit }) }
            case "PullRequest": {
              const heads = yield* repositories.heads(ref, { number: subject.number })
              const known = yield* repositories.commitsOf(ref, subject.number)
              return { _tag: "Latest", commits: [...new Set([...known, ...heads.map(({ commit }) => commit)])], heads }
            }
          }
        })

      /** Expected tests that job runs on a commit did not execute; parts of a run of another commit do not count. */
      const missedBy = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        commit: string,
        own: ReadonlyArray<FailureRecords.RunRecord>
      ) {
        const runs = own.filter((run) => run.commit === commit)
        if (runs.length === 0) return []
        const runIds = [...new Set(runs.map(({ runId }) => runId))]
        return yield* missedIn(ref, { commit, runIds, before: Math.min(...runs.map(({ at }) => at)) })
      })

      const missedIn = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, runs: AskedRuns) {
        const now = yield* Clock.currentTimeMillis
        return MissedTests.of(yield* histories.histories(ref, { now, runs }, MissedTests.judge(MissingPolicy.defaults)))
      })

      /** Expected tests that the recorded reports of a job lack. Its siblings may be running, so that no job is missing yet. */
      const missedByJob = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, { run }: Omit<AskedRun, "at">) {
        const now = yield* Clock.currentTimeMillis
        const missed = yield* missedIn(ref, { commit: run.commit, runIds: [run.runId], before: now })
        return missed.filter(
          ({ jobNames, kind, pipelineName }) =>
            kind !== "jobs" && pipelineName === run.pipelineName && jobNames.includes(run.jobName)
        )
      })

      const list = Effect.fn("Triages.list")(function* (
        ref: Repository.RepositoryRef,
        subject: Subject,
        asked: Partial<TriageRequest>
      ) {
        const request = { ...everyFailure, ...asked }
        const { settings } = yield* Lookup.repository(repositories)(ref)
        const bound = Listing.binding("triage", ref, bindingOf(subject, request))
        const from = yield* Listing.from(bound, request.cursor, Position)
        const found = yield* Effect.flatMap(
          Effect.flatMap(subjectOf(ref, subject), (one) => triage.failures(ref, one, FailurePolicy.defaults)),
          Lookup.orFail(() => notFound(ref, subject))
        )
        const verdicts = yield* judge(ref, settings.gate, found.failures)
        const now = yield* Clock.currentTimeMillis
        const page = Page.select(
          verdicts.filter((verdict) => isAsked(verdict, request)),
          { order, comparePosition, from, limit: request.perPage }
        )
        const own = FailureRecords.ownOf(found.runs)
        const ciRuns = yield* readings.runs(ref, {
          commits: [...new Set(own.map(({ commit }) => commit))],
          runIds: [...new Set(own.map(({ runId }) => runId))]
        })
        const summary =
          found.runs.length === 0
            ? FailureSummary.ofForksOnly()
            : FailureSummary.of(
                verdicts,
                FailureSummary.isComplete(found.expected, own, now, ciRuns),
                found.identities - found.failures.length
              )
        const missing = summary.complete ? yield* missedBy(ref, found.commit, own) : []
        return {
          ...withMissing(summary, missing, settings.gate),
          missing,
          commit: found.commit,
          runs: found.runs.toSorted(latestFirst),
          forks: found.forks.toSorted(latestFirst),
          listing: Listing.of(bound, page, positionOf),
          owners: yield* namesOf(
            ref,
            page.rows.map(({ file }) => file)
          ),
          marks: yield* precisions.marks(ref, page.rows),
          failed: [...new Set(verdicts.map(({ testName }) => testName))]
        }
      })

      const ask = Effect.fn("Triages.ask")(function* (ref: Repository.RepositoryRef, asked: Omit<AskedRun, "at">) {
        const repository = yield* repositories.get(ref)
        const gate = Option.match(repository, {
          onNone: () => FailureGate.defaults,
          onSome: ({ settings }) => settings.gate
        })
        const at = yield* Clock.currentTimeMillis
        const facts = yield* triage.asked(ref, { ...asked, at }, FailurePolicy.defaults)
        const failures = yield* judge(ref, gate, facts)
        const owners = yield* namesOf(
          ref,
          failures.map(({ file }) => file)
        )
        const missing = Option.isNone(repository) ? [] : yield* missedByJob(ref, asked)
        return { ...withMissing(FailureSummary.of(failures, true), missing, gate), failures, missing, owners }
      })

      return Triages.of({ list, ask })
    })
  ).pipe(Layer.provide(FieldPrecisions.layer))
}

/** The summary, with what did not run. */
const withMissing = (
  summary: FailureSummary.FailureSummary,
  missing: ReadonlyArray<MissedTests.MissedTests>,
  gate: FailureGate.FailureGate
): FailureSummary.FailureSummary => {
  const sentence = MissedTests.sentence(missing)
  if (sentence === null) return summary
  return FailureSummary.withMissing(summary, sentence, MissedTests.isBlocking(missing, gate))
}

/** The place whose quarantines apply: the base of a pull request, as reporters ask for them. */
const placeOf = ({ base, branch, isPullRequest }: FailureFacts.FailedExecution): QuarantineLife.Place =>
  Repository.placeOf(isPullRequest ? base : branch, branch)

const identityOf = ({ jobName, pipelineName }: TriageRun): TestIdentity.TestIdentity => ({
  testName: "",
  pipelineName,
  jobName
})

const latestFirst = (a: TriageRun, b: TriageRun): number =>
  b.at - a.at || TestIdentity.IdentityOrder(identityOf(a), identityOf(b))

const bindingOf = (subject: Subject, request: TriageRequest): ReadonlyArray<string> => {
  const { isBlocking, jobs, pipelines, verdicts } = request
  return [JSON.stringify([subject, verdicts.toSorted(), isBlocking, pipelines.toSorted(), jobs.toSorted()])]
}

const notFound = ({ owner, repository }: Repository.RepositoryRef, subject: Subject): SubjectNotFound => {
  switch (subject._tag) {
    case "Commit":
      return new SubjectNotFound({ owner, repository, subject: "commit", name: subject.commit })
    case "Run":
      return new SubjectNotFound({ owner, repository, subject: "run", name: subject.runId })
    case "PullRequest":
      return new SubjectNotFound({ owner, repository, subject: "pull request", name: String(subject.number) })
  }
}

const isAsked = (
  failure: FailureVerdict.FailureVerdict,
  { isBlocking, jobs, pipelines, verdicts }: TriageRequest
): boolean =>
  (verdicts.length === 0 || verdicts.includes(failure.verdict)) &&
  (isBlocking === null || isBlocking === failure.isBlocking) &&
  (pipelines.length === 0 || pipelines.includes(failure.pipelineName)) &&
  (jobs.length === 0 || jobs.includes(failure.jobName))

const Position = Schema.Struct({
  blocks: Schema.Boolean,
  rank: Schema.Int,
  testName: Schema.String,
  pipelineName: Schema.String,
  jobName: Schema.String
})

type Position = typeof Position.Type

const positionOf = (row: FailureVerdict.FailureVerdict): Position => ({
  blocks: row.isBlocking,
  rank: FailureVerdict.listed.indexOf(row.verdict),
  testName: row.testName,
  pipelineName: row.pipelineName,
  jobName: row.jobName
})

const comparePositions = (a: Position, b: Position): -1 | 0 | 1 =>
  sign(Number(b.blocks) - Number(a.blocks)) ||
  sign(a.rank - b.rank) ||
  Text.compare(a.testName, b.testName) ||
  Text.compare(a.pipelineName, b.pipelineName) ||
  Text.compare(a.jobName, b.jobName)

const sign = (difference: number): -1 | 0 | 1 => (difference < 0 ? -1 : difference > 0 ? 1 : 0)

const order = (a: FailureVerdict.FailureVerdict, b: FailureVerdict.FailureVerdict): -1 | 0 | 1 =>
  comparePositions(positionOf(a), positionOf(b))

const comparePosition = (row: FailureVerdict.FailureVerdict, position: Position): number =>
  comparePositions(positionOf(row), position)
