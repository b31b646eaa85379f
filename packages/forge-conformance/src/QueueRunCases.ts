/** Cases of runs of CI: they end as a whole, run again when they have ended, and are cancelled. */
import { Effect, Result } from "effect"
import { equal } from "./Case.ts"
import { make, type QueueCase } from "./QueueCase.ts"
import { type Forge, outcome, type Platform } from "./QueueSteps.ts"

const jobs = [{ name: "unit" }, { name: "slow" }]

/** A commit whose workflow has ended with these jobs. */
const ended = (platform: Platform, ends: Readonly<Record<string, "success" | "failure" | "cancelled" | "timed_out">>) =>
  Effect.gen(function* () {
    const { head } = yield* platform.openPull
    yield* platform.workflow(
      head,
      Object.keys(ends).map((name) => ({ name }))
    )
    for (const [name, conclusion] of Object.entries(ends)) yield* platform.finish(head, name, conclusion)
    return head
  })

const again = (sha: string, attempt = 1) => ({ sha, checks: ["unit"], attempt })

const statesOf = (forge: Forge, { ref }: Platform, sha: string) =>
  Effect.map(forge.checks(ref, sha), (checks) => checks.map(({ name, state }) => `${name} ${state}`).toSorted())

/** The cases. */
export const cases: ReadonlyArray<QueueCase> = [
  make(
    "failed jobs run again once, and not again when they have since",
    (forge, platform) =>
      Effect.gen(function* () {
        const head = yield* ended(platform, { unit: "failure" })
        for (let time = 0; time < 2; time += 1) {
          yield* equal(yield* forge.rerun(platform.ref, again(head)), "started", "the outcome")
        }
        yield* equal(yield* platform.attempts(head), 2, "while it runs")
        yield* platform.finish(head, "unit", "failure")
        yield* equal(yield* forge.rerun(platform.ref, again(head)), "started", "after it failed again")
        yield* equal(yield* platform.attempts(head), 2, "the attempts")
      }),
    ["runs", "checks"]
  ),

  make(
    "failed jobs do not run again while another job of their run goes on, and do when it has ended",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        yield* platform.workflow(head, jobs)
        yield* platform.finish(head, "unit", "failure")
        yield* equal(yield* forge.rerun(platform.ref, again(head)), "running", "while a job runs")
        yield* equal(yield* platform.attempts(head), 1, "the attempts")
        yield* platform.finish(head, "slow", "success")
        yield* equal(yield* forge.rerun(platform.ref, again(head)), "started", "after the last job")
        yield* equal(yield* platform.attempts(head), 2, "the attempts after the last job")
      }),
    ["runs", "checks"]
  ),

  make(
    "jobs that were cancelled or ran out of time run again as failed ones do",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const end of ["cancelled", "timed_out"] as const) {
          const head = yield* ended(platform, { unit: end, slow: "success" })
          yield* equal(yield* forge.rerun(platform.ref, again(head)), "started", end)
          yield* equal(yield* platform.attempts(head), 2, `the attempts after ${end}`)
        }
      }),
    ["runs", "checks"]
  ),

  make(
    "a job that passed is not run again with those that failed, and stays passed",
    (forge, platform) =>
      Effect.gen(function* () {
        const head = yield* ended(platform, { unit: "failure", slow: "success" })
        yield* forge.rerun(platform.ref, again(head))
        yield* platform.finish(head, "unit", "success")
        yield* equal(yield* statesOf(forge, platform, head), ["slow success", "unit success"], "the checks")
        yield* equal(yield* forge.runsInProgress(platform.ref, head), false, "the run")
      }),
    ["runs", "checks"]
  ),

  make(
    "a job that waits for others has no check yet, and its run is in progress until it has ended",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        const isInProgress = forge.runsInProgress(platform.ref, head)
        yield* equal(yield* isInProgress, false, "before the run")
        yield* platform.workflow(head, [{ name: "unit" }, { name: "all-green", needs: ["unit"] }])
        yield* equal(yield* statesOf(forge, platform, head), ["unit pending"], "while the first job runs")
        yield* equal(yield* isInProgress, true, "while the first job runs")
        yield* platform.finish(head, "unit", "success")
        yield* equal(
          yield* statesOf(forge, platform, head),
          ["all-green pending", "unit success"],
          "after the first job"
        )
        yield* platform.finish(head, "all-green", "success")
        yield* equal(yield* isInProgress, false, "after the last job")
      }),
    ["runs", "checks"]
  ),

  make(
    "a job that was skipped because another failed runs again with that one",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        yield* platform.workflow(head, [{ name: "unit" }, { name: "all-green", needs: ["unit"] }])
        yield* platform.finish(head, "unit", "failure")
        yield* equal(yield* statesOf(forge, platform, head), ["all-green skipped", "unit failure"], "the checks")
        const asked = { sha: head, checks: ["all-green"], attempt: 1 }
        yield* equal(yield* forge.rerun(platform.ref, asked), "started", "the outcome")
        yield* platform.finish(head, "unit", "success")
        yield* platform.finish(head, "all-green", "success")
        yield* equal(yield* statesOf(forge, platform, head), ["all-green success", "unit success"], "after the rerun")
      }),
    ["runs", "checks"]
  ),

  make(
    "the runs of some checks are cancelled, and no other run of the commit",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        const cancel = (check: string) => forge.cancelChecks(platform.ref, head, [check])
        yield* equal(yield* cancel("unit"), false, "before a run has started")
        yield* platform.workflow(head, jobs)
        yield* platform.workflow(head, [{ name: "deploy" }])
        yield* equal([yield* cancel("nothing"), yield* cancel("deploy")], [false, true], "what was found")
        yield* equal(yield* platform.isCancelled(head), false, "the first run")
        yield* equal(yield* cancel("unit"), true, "the first run was found")
        yield* equal(yield* platform.isCancelled(head), true, "the first run at last")
      }),
    ["runs", "checks"]
  ),

  make("nothing runs again where no run of CI stands behind a check, and the outcome says so", (forge, platform) =>
    Effect.gen(function* () {
      const { head } = yield* platform.openPull
      yield* equal(yield* forge.rerun(platform.ref, again(head)), "none", "a commit without checks")
      yield* platform.status(head, "unit", "failure")
      yield* equal(yield* forge.rerun(platform.ref, again(head)), "none", "a status of another CI")
      yield* forge.cancel(platform.ref, head)
      yield* equal(yield* platform.attempts(head), 0, "the runs")
    })
  ),

  make(
    "a run that goes on, or that passed, is not run again",
    (forge, platform) =>
      Effect.gen(function* () {
        const passed = yield* ended(platform, { unit: "success" })
        yield* equal(yield* forge.rerun(platform.ref, again(passed)), "none", "a run that passed")
        const { head } = yield* platform.openPull
        yield* platform.workflow(head, jobs)
        yield* forge.rerun(platform.ref, again(head))
        yield* equal([yield* platform.attempts(passed), yield* platform.attempts(head)], [1, 1], "the attempts")
      }),
    ["runs", "checks"]
  ),

  make(
    "a run that is too old to run again is a refusal, and not a rerun",
    (forge, platform) =>
      Effect.gen(function* () {
        const head = yield* ended(platform, { unit: "failure" })
        yield* platform.age(31)
        yield* equal(yield* outcome(forge.rerun(platform.ref, again(head))), "refused", "the outcome")
        yield* equal(yield* platform.attempts(head), 1, "the attempts")
      }),
    ["runs", "checks", "time"]
  ),

  make(
    "a rerun whose answer was lost is not a second rerun when it is asked for again",
    (forge, platform) =>
      Effect.gen(function* () {
        const head = yield* ended(platform, { unit: "failure" })
        yield* platform.failWrite({ kind: "Status", status: 502, when: "after" })
        const lost = yield* Effect.result(forge.rerun(platform.ref, again(head)))
        yield* equal(Result.isFailure(lost), true, "the lost answer")
        yield* equal(yield* forge.rerun(platform.ref, again(head)), "started", "the outcome")
        yield* equal(yield* platform.attempts(head), 2, "the attempts")
      }),
    ["faults", "runs", "checks"]
  ),

  make(
    "a run is cancelled once, which takes time, and one that has ended is left alone",
    (forge, platform) =>
      Effect.gen(function* () {
        const passed = yield* ended(platform, { unit: "success" })
        const { head } = yield* platform.openPull
        yield* platform.workflow(head, jobs)
        for (const sha of [head, head, passed]) yield* forge.cancel(platform.ref, sha)
        yield* equal(yield* forge.runsInProgress(platform.ref, head), true, "until it has ended")
        const cancelled = [yield* platform.isCancelled(head), yield* platform.isCancelled(passed)]
        yield* equal(cancelled, [true, false], "the runs")
        yield* equal(yield* forge.runsInProgress(platform.ref, head), false, "after it has ended")
      }),
    ["runs", "checks"]
  )
]
