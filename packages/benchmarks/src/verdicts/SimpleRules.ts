/** Rules in one sentence, as public documentation and papers describe them; each sees the main branch only. */
import { type HealthStatus, Instant } from "@lazaret/domain"
import { plain, type Rule } from "./Rule.ts"
import type { Outcome } from "./World.ts"

interface Seen {
  readonly at: Instant.Instant
  readonly commit: string
  readonly outcome: Outcome
}

const onRecent = (
  name: string,
  days: number,
  classify: (seen: ReadonlyArray<Seen>) => HealthStatus.HealthStatus
): Rule => ({
  name,
  start: (tests) => {
    const seen = Array.from({ length: tests }, (): Array<Seen> => [])
    return {
      ...plain,
      observe: (run) => {
        if (run.branch !== null) return
        run.tests.forEach((test, index) => {
          const of = seen[test] ?? []
          of.push({ at: run.at, commit: run.commit, outcome: run.outcomes[index] ?? "passed" })
          while ((of[0]?.at ?? run.at) < run.at - days * Instant.day) of.shift()
        })
      },
      statusOf: (test) => classify(seen[test] ?? [])
    }
  }
})

const endsFailing = (seen: ReadonlyArray<Seen>): HealthStatus.HealthStatus =>
  seen.at(-1)?.outcome === "failed" ? "broken" : "healthy"

const contradicts = (seen: ReadonlyArray<Seen>): boolean => {
  const outcomes = new Map<string, Outcome>()
  return seen.some(({ commit, outcome }) => {
    const before = outcomes.get(commit) ?? outcome
    outcomes.set(commit, outcome)
    return outcome === "flaky" || before !== outcome
  })
}

const failureShare = (seen: ReadonlyArray<Seen>): number =>
  seen.filter(({ outcome }) => outcome === "failed").length / Math.max(1, seen.length)

const flips = (seen: ReadonlyArray<Seen>): number =>
  seen.slice(1).filter(({ outcome }, index) => (outcome === "failed") !== (seen[index]?.outcome === "failed")).length

/** The rules, with the numbers that their sources or their users commonly give. */
export const simpleRules: ReadonlyArray<Rule> = [
  onRecent("last result", 60, endsFailing),
  onRecent("same commit, 14 days", 14, (seen) => (contradicts(seen) ? "flaky" : endsFailing(seen))),
  onRecent("passed on retry, 14 days", 14, (seen) =>
    seen.some(({ commit, outcome }, index) => {
      const next = seen[index + 1]
      return outcome === "flaky" || (outcome === "failed" && next?.commit === commit && next.outcome === "passed")
    })
      ? "flaky"
      : endsFailing(seen)
  ),
  onRecent("flip rate above 5 %, 14 days", 14, (seen) => {
    const rate = flips(seen) / Math.max(1, seen.length - 1)
    return rate > 0.05 ? "flaky" : endsFailing(seen)
  }),
  onRecent("failure rate 2 to 90 %, 14 days", 14, (seen) => {
    const share = failureShare(seen)
    return share < 0.02 ? "healthy" : share > 0.9 ? "broken" : "flaky"
  }),
  onRecent("3 failures or 10 passes in a row", 14, (seen) => {
    const last = (count: number) => seen.slice(-count).map(({ outcome }) => outcome)
    if (seen.length >= 3 && last(3).every((outcome) => outcome === "failed")) return "broken"
    if (seen.length < 10 || last(10).every((outcome) => outcome === "passed")) return "healthy"
    return "flaky"
  })
]
