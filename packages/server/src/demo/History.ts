/**
 * The invented history of a repository: every test report of its last days, oldest first.
 *
 * It is pure: the same size and the same `now` yield the same reports.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import type { PullRef } from "@lazaret/domain"
import * as Cast from "./Cast.ts"
import * as Dice from "./Dice.ts"
import * as Script from "./Script.ts"
import * as Trouble from "./Trouble.ts"

/**
 * How one test ended. `rerun` failed at first and passed when the job ran it again.
 *
 * @category models
 * @since 0.1.0
 */
export interface Outcome {
  readonly member: Cast.Member
  readonly conclusion: "passed" | "failed" | "skipped" | "rerun"
  readonly seconds: number
  readonly trouble: Trouble.Trouble | null
}

/**
 * The results of one job run.
 *
 * **Details**
 *
 * - `pull`: the pull request whose merge made the commit; null on the branch of a pull request.
 * - `finishedAt`: epoch milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface JobReport {
  readonly pipeline: string
  readonly job: string
  readonly kind: Cast.Kind
  readonly branch: string
  readonly commit: string
  readonly runId: string
  readonly runAttempt: number
  readonly finishedAt: number
  readonly pull: PullRef.PullRef | null
  readonly outcomes: ReadonlyArray<Outcome>
}

/**
 * What a history is made from; `now` is in epoch milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Cast.Size {
  readonly now: number
}

/**
 * Every report from `days` days ago until `now`, in the order in which the runs finished.
 *
 * **Details**
 *
 * Three commits reach main on a weekday and one on other days, each by a pull request that ran its unit tests before.
 * Every commit runs three kinds of tests in four jobs (browser tests run in two browsers), and the last one of a day
 * runs again at night. Where a flaky test fails, CI mostly runs the test files with failures again: a second attempt on
 * the same commit. Once the database of the integration tests is down.
 *
 * The days are counted from midnight (UTC), so that histories that are made on one day are beginnings of one another.
 *
 * @category constructors
 * @since 0.1.0
 */
export function* make(options: Options): Generator<JobReport> {
  const today = options.now - (options.now % day)
  const story: Story = { ...options, today, cast: Cast.make(options), outage: outageOf(options, today) }
  for (const commit of commits(story)) {
    const reports = runs(commit).flatMap((run) => attempts(story, run))
    for (const report of reports.sort((a, b) => a.finishedAt - b.finishedAt)) {
      if (report.finishedAt <= options.now) yield report
    }
  }
}

/**
 * How many executions the reports of a history hold, together with the number of reports.
 *
 * @category accessors
 * @since 0.1.0
 */
export const total = (options: Options): { readonly reports: number; readonly executions: number } => {
  let reports = 0
  let executions = 0
  for (const report of make(options)) {
    reports += 1
    executions += report.outcomes.length
  }
  return { reports, executions }
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

interface Story extends Options {
  readonly today: number
  readonly cast: ReadonlyArray<Cast.Member>
  /** The first integration run after this instant, and within a day, loses its database. */
  readonly outage: number
}

interface Commit {
  readonly index: number
  readonly at: number
  readonly isLastOfDay: boolean
}

interface Job {
  readonly id: number
  readonly pipeline: string
  readonly job: string
  readonly kind: Cast.Kind
  readonly minutes: number
}

interface Run extends Job {
  readonly occasion: "pull_request" | "push" | "nightly"
  readonly commit: Commit
  readonly startedAt: number
}

const unit: Job = { id: 1, pipeline: "CI", job: "unit", kind: "unit", minutes: 4 }
const integration: Job = { id: 2, pipeline: "CI", job: "integration", kind: "integration", minutes: 9 }
const chromium: Job = { id: 3, pipeline: "Browser", job: "chromium", kind: "browser", minutes: 14 }
const firefox: Job = { id: 4, pipeline: "Browser", job: "firefox", kind: "browser", minutes: 17 }

const outageOf = ({ days }: Options, today: number): number => today - Math.min(12, Math.floor(days / 2)) * day

function* commits({ days, seed, today }: Story): Generator<Commit> {
  let index = 0
  for (let back = days - 1; back >= 0; back--) {
    const midnight = today - back * day
    const weekday = new Date(midnight).getUTCDay()
    const hours = weekday === 0 || weekday === 6 ? [11] : [8.5, 12.5, 16.5]
    for (const [place, at] of hours.entries()) {
      const jitter = Math.floor(40 * minute * Dice.roll(seed, 5, index))
      yield { index, at: midnight + at * hour + jitter, isLastOfDay: place === hours.length - 1 }
      index += 1
    }
  }
}

const runs = (commit: Commit): ReadonlyArray<Run> => {
  const push = [unit, integration, chromium, firefox].map((job): Run => ({
    ...job,
    occasion: "push",
    commit,
    startedAt: commit.at
  }))
  const night = commit.at - (commit.at % day) + day + 2 * hour
  const nightly = [integration, chromium, firefox].map((job): Run => ({
    ...job,
    occasion: "nightly",
    commit,
    startedAt: night
  }))
  const pullRequest: Run = { ...unit, occasion: "pull_request", commit, startedAt: commit.at - 2 * hour }
  return [pullRequest, ...push, ...(commit.isLastOfDay ? nightly : [])]
}

const attempts = (story: Story, run: Run): ReadonlyArray<JobReport> => {
  const first = attempt(story, run, 1, membersOf(story, run))
  const failed = first.outcomes.filter((outcome) => outcome.conclusion === "failed")
  if (isOutage(story, run)) return [first, attempt(story, run, 2, membersOf(story, run))]
  const isWorthIt = failed.some(({ member }) => member.part._tag === "flaky")
  if (!isWorthIt || Dice.roll(story.seed, 6, ...keysOf(run)) > 0.75) return [first]
  const files = new Set(failed.map(({ member }) => member.file))
  return [
    first,
    attempt(
      story,
      run,
      2,
      membersOf(story, run).filter((member) => files.has(member.file))
    )
  ]
}

const attempt = (story: Story, run: Run, number: number, members: ReadonlyArray<Cast.Member>): JobReport => {
  const isPullRequest = run.occasion === "pull_request"
  const pull = pullOf(story, run.commit)
  return {
    pipeline: run.pipeline,
    job: run.job,
    kind: run.kind,
    branch: isPullRequest ? `change-${pull.number}` : "main",
    commit: shaOf(story, run.commit, isPullRequest ? "head" : "merge"),
    runId: `${Math.floor(run.startedAt / minute)}${run.pipeline === "CI" ? 1 : 2}`,
    runAttempt: number,
    finishedAt: run.startedAt + Math.round(run.minutes * minute * (number === 1 ? 1 : 1.6)),
    pull: isPullRequest ? null : pull,
    outcomes: members.map((member) => outcomeOf(story, run, number, member))
  }
}

/** All tests of the job that exist at the time; on a pull request those of one area. */
const membersOf = (story: Story, run: Run): ReadonlyArray<Cast.Member> => {
  const area = Dice.pick(Script.areas, story.seed, 7, run.commit.index).name
  return story.cast.filter(
    (member) =>
      member.kind === run.kind &&
      (run.occasion !== "pull_request" || member.area === area) &&
      exists(member.part, (story.today - run.commit.at) / day)
  )
}

const exists = (part: Cast.Part, age: number): boolean =>
  part._tag === "new" ? age <= part.from : part._tag === "retired" ? age > part.until : true

const isOutage = (story: Story, run: Run): boolean => {
  const after = run.startedAt - story.outage
  return run.kind === "integration" && run.occasion === "nightly" && after >= 0 && after < day
}

const outcomeOf = (story: Story, run: Run, number: number, member: Cast.Member): Outcome => {
  const { seed } = story
  const keys = [...keysOf(run), number, member.index]
  const seconds = member.part._tag === "skipped" ? 0 : member.seconds * (0.8 + 0.4 * Dice.roll(seed, 8, ...keys))
  const trouble = (cause: Trouble.Cause) => Trouble.make(member, cause, 2000 + Math.floor(50 * seconds))
  const ended = (conclusion: Outcome["conclusion"], cause: Trouble.Cause | null): Outcome => ({
    member,
    conclusion,
    seconds,
    trouble: cause === null ? null : trouble(cause)
  })
  if (member.part._tag === "skipped") return ended("skipped", null)
  if (number === 1 && isOutage(story, run) && Dice.roll(seed, 9, ...keys) < 0.7) return ended("failed", "outage")
  const cause = causeOf(member.part, run, (story.today - run.commit.at) / day, Dice.roll(seed, 10, ...keys))
  if (cause === null) return ended("passed", null)
  return ended(member.part._tag === "rerun" ? "rerun" : "failed", cause)
}

/** Why a test fails on a commit of this age in days, null when it passes. */
const causeOf = (part: Cast.Part, run: Run, age: number, roll: number): Trouble.Cause | null => {
  switch (part._tag) {
    case "flaky":
      return roll < part.rate && isRestless(part, run, age) ? "luck" : null
    case "rerun":
      return roll < part.rate ? "luck" : null
    case "broken":
      return age <= part.from && run.occasion !== "pull_request" ? "bug" : null
    case "fixed":
      return age <= part.from && age > part.until && run.occasion !== "pull_request" ? "bug" : null
    default:
      return null
  }
}

const isRestless = (part: Cast.Part & { readonly _tag: "flaky" }, run: Run, age: number): boolean =>
  (part.until === 0 || age > part.until) && (!part.onlyInFirefox || run.job === "firefox")

const keysOf = (run: Run): ReadonlyArray<number> => [run.commit.index, run.id, occasions.indexOf(run.occasion)]

const occasions: ReadonlyArray<Run["occasion"]> = ["pull_request", "push", "nightly"]

const shaOf = ({ seed, today }: Story, { index }: Commit, side: "head" | "merge"): string =>
  createHash("sha1").update(`${seed} ${today} ${index} ${side}`).digest("hex")

const pullOf = ({ seed }: Story, { index }: Commit): PullRef.PullRef => ({
  id: 9_000_000 + index,
  number: 1000 + index,
  title: `${Dice.pick(Script.areas, seed, 7, index).name}: ${Dice.pick(Script.deeds, seed, 11, index)}`,
  user: Dice.pick(Script.people, seed, 12, index)
})
