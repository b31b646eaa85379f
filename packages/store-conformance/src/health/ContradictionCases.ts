/** The law of evidence from other branches: of them contradictions within one run count, and nothing else. */
import { Instant, type Report, Repository, Retention } from "@lazaret/domain"
import { ExecutionStore, RepositoryStore, RetentionStore, UpkeepStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Ask, Case, Law, Sample, Upload } from "../law/index.ts"

/** A job run of the sample test on the default branch. */
const main = (commit: string, daysAgo: number, failed = false): Report.Report =>
  Sample.report(`main ${commit}`, { commit }, [one(daysAgo, failed)])

const one = (daysAgo: number, failed: boolean, minute = 0): Partial<Report.Case> => {
  const at = Math.round(Sample.daysAgo(daysAgo)) + minute * Instant.minute
  return failed ? Sample.refused({ at }) : { at }
}

/** A job run of the sample test on one commit of a branch. */
const onTopic = (key: string, context: Partial<Report.RunContext>, execution: Partial<Report.Case>): Report.Report =>
  Sample.report(key, { branch: "topic", commit: "t", ...context }, [execution])

/** Both attempts of a run on a branch: the first failed, the second passed a minute later. */
const contradicted = (
  branch: string,
  daysAgo: number,
  context: Partial<Report.RunContext> = {}
): ReadonlyArray<Report.Report> =>
  [true, false].map((failed, index) =>
    Sample.report(
      `${branch} ${daysAgo} ${index} ${JSON.stringify(context)}`,
      {
        commit: `head of ${branch}`,
        branch,
        baseBranch: "main",
        runId: `run on ${branch} ${daysAgo}`,
        runAttempt: index + 1,
        ...context
      },
      [one(daysAgo, failed, index)]
    )
  )

/** Broken once and mended: healthy, with a failure on the default branch. */
const mended = [main("a", 9), main("b", 8, true), main("c", 7, true), main("d", 6), main("e", 5), main("f", 4)]

const rule = (ref: Repository.RepositoryRef) =>
  Effect.map(Ask.record(ref), ({ state }) => [state.status, state.rule] as const)

const contradictionsOf = (ref: Repository.RepositoryRef) =>
  Effect.map(
    ExecutionStore.use((store) => store.history(ref, Sample.testId)),
    Option.match({ onNone: () => [], onSome: (list) => list.flatMap(({ contradictions }) => contradictions) })
  )

const set = (ref: Repository.RepositoryRef, flakinessEvidence: Repository.RepositorySettings["flakinessEvidence"]) =>
  RepositoryStore.use((store) => store.set(ref, { ...Repository.defaultSettings, flakinessEvidence }, Sample.noon))

/** Five tests of a job run, as many of them failing. */
const suite = (key: string, daysAgo: number, failed: number, context: Partial<Report.RunContext>): Report.Report =>
  Sample.report(
    key,
    context,
    [Sample.testName, "other 1", "other 2", "other 3", "other 4"].map((testName, index) => ({
      ...one(daysAgo, index < failed),
      testName
    }))
  )

/** The cases of evidence from other branches. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "ExecutionStore",
    "failing and passing in one run of another branch makes a test flaky that has failed on the default branch",
    function* (ref) {
      yield* Upload.all(ref, mended)
      yield* Law.equal(yield* rule(ref), ["healthy", "passes_in_a_row"])
      const [first, second] = contradicted("topic", 2)
      yield* Upload.all(ref, first === undefined ? [] : [first])
      yield* Law.equal(yield* rule(ref), ["healthy", "passes_in_a_row"])
      yield* Upload.all(ref, second === undefined ? [] : [second])
      const { state } = yield* Ask.record(ref)
      yield* Law.equal([state.status, state.rule, state.cleanPasses], ["flaky", "other_branch", 0])
      yield* Law.equal(state.trigger, {
        id: `${second?.id}.0`,
        at: Sample.daysAgo(2) + Instant.minute,
        commit: "head of topic"
      })
      yield* Law.equal(
        [state.onset, state.elsewhere],
        [null, [{ branch: "topic", at: Sample.daysAgo(2) + Instant.minute }]]
      )
    }
  ),

  Case.make(
    "ExecutionStore",
    "a contradiction is named with its branch, its run and the execution that completed it",
    function* (ref) {
      yield* Upload.all(ref, [main("a", 9), ...contradicted("topic", 2, { jobUrl: "https://ci.example/jobs/7" })])
      const [found, ...others] = yield* contradictionsOf(ref)
      yield* Law.equal(
        [{ ...found, id: "" }, others],
        [
          {
            id: "",
            at: Sample.daysAgo(2) + Instant.minute,
            commit: "head of topic",
            conclusion: "contradicted",
            branch: "topic",
            runId: "run on topic 2",
            baseBranch: "main",
            openedAt: Sample.daysAgo(2),
            jobUrl: "https://ci.example/jobs/7"
          },
          []
        ]
      )
    }
  ),

  Case.make(
    "ExecutionStore",
    "without a failure on the default branch it takes contradictions on two branches within 14 days",
    function* (ref) {
      yield* Upload.all(ref, [main("a", 29), ...contradicted("one", 20), ...contradicted("one", 19)])
      yield* Upload.all(ref, contradicted("two", 4))
      yield* Law.equal(yield* rule(ref), ["healthy", "start"])
      yield* Upload.all(ref, contradicted("three", 3))
      yield* Law.equal(yield* rule(ref), ["flaky", "other_branch"])
    }
  ),

  Case.make(
    "ExecutionStore",
    "an execution that failed and passed inside a job of another branch contradicts itself",
    function* (ref) {
      const context = { branch: "topic", commit: "t" }
      yield* Upload.all(ref, mended)
      yield* Upload.one(ref, "topic", context, [{ at: Sample.daysAgo(2), flaky: true, reruns: 1 }])
      yield* Law.equal(yield* rule(ref), ["flaky", "other_branch"])
    }
  ),

  Case.make(
    "ExecutionStore",
    "other run ids, commits and branches, skipped executions and forks contradict nothing",
    function* (ref) {
      yield* Upload.all(ref, [
        ...mended,
        onTopic("failed", { runId: "1" }, one(2, true)),
        onTopic("other run", { runId: "2" }, one(2, false)),
        onTopic("other commit", { runId: "1", commit: "u" }, one(2, false)),
        onTopic("other branch", { runId: "1", branch: "tropic" }, one(2, false)),
        onTopic("other base", { runId: "1", baseBranch: "main" }, one(2, false)),
        onTopic("skipped", { runId: "1" }, { conclusion: "skipped", at: Sample.daysAgo(2) }),
        ...contradicted("ada:topic", 2)
      ])
      yield* Law.equal([yield* rule(ref), yield* contradictionsOf(ref)], [["healthy", "passes_in_a_row"], []])
    }
  ),

  Case.make(
    "ExecutionStore",
    "what contradicted itself before the first execution on the default branch moves nothing",
    function* (ref) {
      yield* Upload.all(ref, [...contradicted("one", 9), ...contradicted("two", 8)])
      yield* Law.equal(yield* Ask.records(ref), [])
      yield* Upload.all(ref, [main("a", 7)])
      yield* Law.equal(yield* rule(ref), ["healthy", "start"])
      yield* Upload.all(ref, [main("0", 10)])
      yield* Law.equal(yield* rule(ref), ["flaky", "other_branch"])
    }
  ),

  Case.make(
    "ExecutionStore",
    "a run of another branch that is an outage contradicts nothing, once its reference is there",
    function* (ref) {
      const topic = (attempt: number, failed: number) =>
        suite(`attempt ${attempt}`, 2, failed, { branch: "topic", commit: "t", runId: "1", runAttempt: attempt })
      yield* Upload.all(ref, [...mended, topic(1, 4), topic(2, 0)])
      yield* Law.equal(yield* rule(ref), ["flaky", "other_branch"])
      yield* Upload.all(ref, [suite("reference", 3, 0, { commit: "r" })])
      yield* Law.equal([yield* rule(ref), yield* contradictionsOf(ref)], [["healthy", "passes_in_a_row"], []])
      yield* Upload.all(ref, [suite("newer reference", 2.5, 5, { commit: "s" })])
      yield* Upload.all(ref, [suite("third", 2.4, 5, { commit: "u" }), suite("fourth", 2.3, 5, { commit: "v" })])
      yield* Law.equal((yield* contradictionsOf(ref)).length, 1, "contradictions against a reference that is broken")
    }
  ),

  Case.make(
    "ExecutionStore",
    "it enters neither statistics, nor reruns, nor remembered commits, nor the failure rate",
    function* (ref) {
      yield* Upload.all(ref, mended)
      const before = yield* Ask.record(ref)
      yield* Upload.all(ref, contradicted("topic", 2))
      const after = yield* Ask.record(ref)
      yield* Law.equal(after.recent, before.recent)
      const { commits, failures, outcomes, reruns, row, runs } = after.state
      yield* Law.equal(
        { commits, failures, outcomes, reruns, row, runs },
        {
          commits: before.state.commits,
          failures: before.state.failures,
          outcomes: before.state.outcomes,
          reruns: 0,
          row: before.state.row,
          runs: before.state.runs
        }
      )
    }
  ),

  Case.make(
    "ExecutionStore",
    "a setting leaves other branches out, for the whole history at once, and so does its end",
    function* (ref) {
      yield* Upload.all(ref, [...mended, ...contradicted("topic", 2)])
      yield* set(ref, "default_branch")
      yield* Law.equal([yield* rule(ref), yield* contradictionsOf(ref)], [["healthy", "passes_in_a_row"], []])
      yield* set(ref, "every_branch")
      yield* Law.equal(yield* rule(ref), ["flaky", "other_branch"])
    }
  ),

  Case.make(
    "RetentionStore",
    "a contradiction outlives the drop of its executions, also where the horizon cuts it",
    function* (ref) {
      const horizon = Retention.startOfWeek(Sample.daysAgo(3))
      const days = (Sample.noon - horizon) / Instant.day
      yield* Upload.all(ref, [main("a", days + 3), main("b", days + 2, true), main("c", days + 2, true)])
      yield* Upload.all(ref, [main("d", days + 1), main("e", days + 1), main("f", days + 1)])
      const cut = contradicted("cut", days + Instant.minute / 2 / Instant.day)
      yield* Upload.all(ref, [...contradicted("old", days + 0.5), ...cut, main("g", 1)])
      const before = (yield* Ask.record(ref)).state
      yield* Law.equal([before.status, before.elsewhere.map(({ branch }) => branch)], ["flaky", ["cut", "old"]])
      yield* RetentionStore.use((store) => store.drop(ref, horizon))
      yield* Law.equal((yield* Ask.record(ref)).state, before)
      yield* Law.equal(
        (yield* contradictionsOf(ref)).map(({ branch }) => branch),
        ["cut"]
      )
      yield* UpkeepStore.use((store) => store.refold(ref))
      yield* Law.equal((yield* Ask.record(ref)).state, before)
      yield* Law.equal(yield* UpkeepStore.use((store) => store.verify(ref)), [])
    }
  )
]
