/**
 * The invented history of a repository: every test report of its last days, oldest first.
 *
 * It is pure: the same size and the same `now` yield the same reports.
 */
import { createHash } from "node:crypto"
import type { PullRef } from "@lazaret/domain"
import * as Cast from "./Cast.ts"
import * as Dice from "./Dice.ts"
import * as Fate from "./Fate.ts"
import * as Script from "./Script.ts"
import * as Timeline from "./Timeline.ts"

/**
 * The results of one job run.
 *
 * **Details**
 *
 * - `pull`: the pull request of the run, or the one whose merge made the commit.
 * - `base`: the branch that the pull request of the run goes to; null for a run of main.
 * - `finishedAt`: epoch milliseconds.
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
  readonly pull: PullRef.PullRef
  readonly base: string | null
  readonly outcomes: ReadonlyArray<Fate.Outcome>
}

/** The options of a history; `now` is in epoch milliseconds. */
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
 * the same commit. Once the database of the integration tests is down, and once their job ends early and green: it reports only the
 * first three quarters of them.
 *
 * The days are counted from midnight (UTC), so that histories that are made on one day are beginnings of one another.
 */
export function* make(options: Options): Generator<JobReport> {
  const story = storyOf(options)
  for (const commit of Timeline.commits(options.seed, options.days, story.today)) {
    const reports = Timeline.runs(commit).flatMap((run) => attempts(story, run))
    for (const each of reports.sort((a, b) => a.finishedAt - b.finishedAt)) {
      if (each.finishedAt <= options.now && each.outcomes.length > 0) yield each
    }
  }
}

/** How many executions the reports of a history hold, together with the number of reports. */
export const total = (options: Options): { readonly reports: number; readonly executions: number } => {
  let reports = 0
  let executions = 0
  for (const { outcomes } of make(options)) {
    reports += 1
    executions += outcomes.length
  }
  return { reports, executions }
}

interface Story extends Options {
  readonly today: number
  readonly cast: ReadonlyArray<Cast.Member>
  readonly areas: ReadonlyArray<string>
  /** The nightly integration run within a day after this instant loses its database. */
  readonly outageAt: number
}

const storyOf = (options: Options): Story => {
  const today = options.now - (options.now % Timeline.day)
  const cast = Cast.make(options)
  const areas = [...new Set(cast.map((member) => member.area))]
  return { ...options, today, cast, areas, outageAt: today - Math.min(12, Math.floor(options.days / 2)) * Timeline.day }
}

/** CI gives up now and then: it does not run every failed job again. */
const patience = 0.75

const attempts = (story: Story, run: Timeline.Run): ReadonlyArray<JobReport> => {
  const all = membersOf(story, run)
  const members = endsEarly(run) ? all.slice(0, Math.ceil(0.75 * all.length)) : all
  const isOutage = hasOutage(story, run)
  const first = report(story, { seed: story.seed, run, number: 1, isOutage }, members)
  const second = { seed: story.seed, run, number: 2, isOutage: false }
  if (isOutage) return [first, report(story, second, members)]
  const failed = first.outcomes.filter(({ conclusion }) => conclusion === "failed").map(({ member }) => member)
  if (!failed.some((member) => member.part._tag === "flaky")) return [first]
  if (!failed.some((member) => Fate.isDue(member, run)) && Dice.roll(story.seed, 6, ...Timeline.keysOf(run)) > patience)
    return [first]
  const files = new Set(failed.map((member) => member.file))
  return [
    first,
    report(
      story,
      second,
      members.filter((member) => files.has(member.file))
    )
  ]
}

/** The last integration run of three days ago. */
const endsEarly = ({ commit: { age, isLastOfDay }, job, occasion }: Timeline.Run): boolean =>
  job === "integration" && occasion === "push" && isLastOfDay && age > 2 && age <= 3

const report = (story: Story, attempt: Fate.Attempt, members: ReadonlyArray<Cast.Member>): JobReport => {
  const { number, run } = attempt
  const isPullRequest = run.occasion === "pull_request"
  const pull = pullOf(story, run.commit)
  return {
    pipeline: run.pipeline,
    job: run.job,
    kind: run.kind,
    branch: isPullRequest ? `change-${pull.number}` : "main",
    commit: shaOf(story, run.commit, isPullRequest ? "head" : "merge"),
    runId: `${Math.floor(run.startedAt / Timeline.minute)}${run.pipeline === "CI" ? 1 : 2}`,
    runAttempt: number,
    finishedAt: run.startedAt + Math.round(run.minutes * Timeline.minute * (number === 1 ? 1 : 1.6)),
    pull,
    base: isPullRequest ? "main" : null,
    outcomes: members.map((member) => Fate.of(member, attempt))
  }
}

/** All tests of the job that exist at the time; on a pull request those of one area. */
const membersOf = (story: Story, run: Timeline.Run): ReadonlyArray<Cast.Member> => {
  const area = areaOf(story, run.commit)
  return story.cast.filter(
    (member) =>
      member.kind === run.kind &&
      (run.occasion !== "pull_request" || member.area === area) &&
      Fate.exists(member.part, run.commit.age)
  )
}

const hasOutage = ({ outageAt }: Story, run: Timeline.Run): boolean =>
  run.kind === "integration" &&
  run.occasion === "nightly" &&
  run.startedAt >= outageAt &&
  run.startedAt < outageAt + Timeline.day

const shaOf = ({ seed, today }: Story, { index }: Timeline.Commit, side: "head" | "merge"): string =>
  createHash("sha1").update(`${seed} ${today} ${index} ${side}`).digest("hex")

/** The area that a pull request changes. */
const areaOf = ({ areas, seed }: Story, { index }: Timeline.Commit): string =>
  areas[Math.floor(Dice.roll(seed, 7, index) * areas.length)] ?? ""

const pullOf = (story: Story, commit: Timeline.Commit): PullRef.PullRef => ({
  id: 9_000_000 + commit.index,
  number: 1000 + commit.index,
  title: `${areaOf(story, commit)}: ${Dice.pick(Script.deeds, story.seed, 11, commit.index)}`,
  user: Dice.pick(Script.people, story.seed, 12, commit.index)
})
