/**
 * The pull request of the demonstration that is open today, with a red unit job.
 *
 * It is pure, and the same all day: what it holds depends on the day of `now` and on nothing later.
 */
import { createHash } from "node:crypto"
import type { PullRef } from "@lazaret/domain"
import * as Cast from "./Cast.ts"
import type { Outcome } from "./Fate.ts"
import type { JobReport, Options } from "./History.ts"
import * as Script from "./Script.ts"
import * as Timeline from "./Timeline.ts"
import * as Trouble from "./Trouble.ts"

/** The pull request, the name of its flaky test, and the reports of the two attempts of its unit job. */
export interface OpenPull {
  readonly pull: PullRef.PullRef
  readonly flaky: string | null
  readonly reports: readonly [first: JobReport, second: JobReport]
}

/**
 * The pull request that was opened yesterday evening.
 *
 * **Details**
 *
 * Three of its unit tests fail at first: one that only its change explains, one that fails on main, too, and a flaky one,
 * which passes when the job runs the failed files again. It also brings a test that main does not have. In a small
 * demonstration no unit test may be broken on main.
 */
export const make = (options: Options): OpenPull => {
  const today = options.now - (options.now % Timeline.day)
  const members = Cast.make(options).filter(({ kind, part }) => kind === "unit" && part._tag !== "retired")
  const merged = [...Timeline.commits(options.seed, options.days, today)].length
  const mine = members.find(({ part }) => part._tag === "steady")
  const pull = {
    id: 9_000_000 + merged,
    number: 1000 + merged,
    title: `${mine?.area ?? "cart"}: accept vouchers`,
    user: Script.people[0]
  }
  const flaky = members.find(({ part }) => part._tag === "flaky" && part.until === 0)
  const failing: ReadonlyArray<readonly [Cast.Member | undefined, Trouble.Cause]> = [
    [mine, "bug"],
    [members.find(({ part }) => part._tag === "broken"), "bug"],
    [flaky, "luck"]
  ]
  const causes = new Map(failing.flatMap(([member, cause]) => (member === undefined ? [] : [[member.index, cause]])))
  const added = mine === undefined ? [] : [{ ...mine, index: -1, name: "test_accepts_vouchers" }]
  const files = new Set(members.filter(({ index }) => causes.has(index)).map(({ file }) => file))
  const all = [...members, ...added]
  const attempt = (number: 1 | 2, of: ReadonlyArray<Cast.Member>): JobReport => ({
    pipeline: "CI",
    job: "unit",
    kind: "unit",
    branch: `change-${pull.number}`,
    base: "main",
    commit: createHash("sha1").update(`${options.seed} ${today} open`).digest("hex"),
    runId: `${Math.floor((today - 90 * Timeline.minute) / Timeline.minute)}1`,
    runAttempt: number,
    finishedAt: today - (number === 1 ? 86 : 78) * Timeline.minute,
    pull,
    outcomes: of.map((member) => outcomeOf(member, number, causes.get(member.index) ?? null))
  })
  return {
    pull,
    flaky: flaky === undefined ? null : `${flaky.file}::${flaky.name}`,
    reports: [
      attempt(1, all),
      attempt(
        2,
        all.filter(({ file }) => files.has(file))
      )
    ]
  }
}

/** Bad luck is over at the second attempt, a bug is not. */
const outcomeOf = (member: Cast.Member, attempt: 1 | 2, cause: Trouble.Cause | null): Outcome => {
  const { part, seconds } = member
  if (part._tag === "skipped") return { member, conclusion: "skipped", seconds: 0, trouble: null }
  if (cause === null || (cause === "luck" && attempt === 2)) {
    return { member, conclusion: "passed", seconds, trouble: null }
  }
  return { member, conclusion: "failed", seconds, trouble: Trouble.make(member, cause, 2040) }
}
