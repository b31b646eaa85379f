/** How the tests of the demonstration end. */
import type { Member, Part } from "./Cast.ts"
import * as Dice from "./Dice.ts"
import * as Timeline from "./Timeline.ts"
import * as Trouble from "./Trouble.ts"

/** How one test ended. `rerun` failed at first and passed when the job ran it again. */
export interface Outcome {
  readonly member: Member
  readonly conclusion: "passed" | "failed" | "skipped" | "rerun"
  readonly seconds: number
  readonly trouble: Trouble.Trouble | null
}

/** A run for the first or second time; during an outage much fails. */
export interface Attempt {
  readonly seed: number
  readonly run: Timeline.Run
  readonly number: number
  readonly isOutage: boolean
}

/** Whether a test exists when a commit of this age in days is tested. */
export const exists = (part: Part, age: number): boolean =>
  part._tag === "new" ? age <= part.from : part._tag === "retired" ? age > part.until : true

/**
 * Whether an unreliable test surely fails in a run, and passes when it is run again. Chance alone could spare it for weeks.
 */
export const isDue = ({ index }: Member, { commit, occasion }: Timeline.Run): boolean =>
  occasion === "push" && (commit.index + index) % 17 === 0

/** How a test ends in an attempt. */
export const of = (member: Member, attempt: Attempt): Outcome => {
  const chance = (use: number) =>
    Dice.roll(attempt.seed, use, ...Timeline.keysOf(attempt.run), attempt.number, member.index)
  if (member.part._tag === "skipped") return { member, conclusion: "skipped", seconds: 0, trouble: null }
  const isSlow = member.part._tag === "slower" && attempt.run.commit.age <= member.part.from
  const seconds = member.seconds * (0.8 + 0.4 * chance(8)) * (isSlow ? 4 : 1)
  const cause = attempt.isOutage && chance(9) < 0.7 ? "outage" : causeOf(member, attempt, chance(10))
  if (cause === null) return { member, conclusion: "passed", seconds, trouble: null }
  const trouble = Trouble.make(member, cause, 2000 + Math.floor(50 * seconds))
  const isRerun = member.part._tag === "rerun" && cause === "luck"
  return { member, conclusion: isRerun ? "rerun" : "failed", seconds, trouble }
}

/** Why a test fails, null when it passes. */
const causeOf = (member: Member, attempt: Attempt, roll: number): Trouble.Cause | null => {
  const { part } = member
  const { commit, occasion } = attempt.run
  switch (part._tag) {
    case "flaky":
      return isRestless(part, attempt.run) && isUnlucky(member, attempt, roll < part.rate) ? "luck" : null
    case "rerun":
      return isUnlucky(member, attempt, roll < part.rate) ? "luck" : null
    case "broken":
      return commit.age <= part.from && occasion !== "pull_request" ? "bug" : null
    case "fixed":
      return commit.age <= part.from && commit.age > part.until && occasion !== "pull_request" ? "bug" : null
    default:
      return null
  }
}

const isRestless = (part: Part & { readonly _tag: "flaky" }, run: Timeline.Run): boolean =>
  (part.until === 0 || run.commit.age > part.until) && (!part.onlyInFirefox || run.job === "firefox")

const isUnlucky = (member: Member, { number, run }: Attempt, byChance: boolean): boolean =>
  isDue(member, run) ? number === 1 : byChance
