/** Possible signs of an outage in real history: how often failures with each sign were flakes, and how often real. */
import { Failure } from "@lazaret/domain"
import type { HistoryRun } from "../failures/History.ts"
import { type Result, resultsOf, truthsOf } from "../failures/Replay.ts"

interface Count {
  readonly flaky: Set<string>
  readonly persistent: Set<string>
  readonly commits: Set<string>
}

/**
 * A table of signs, over the failures of tests that passed in the previous run of their job, at first sight.
 *
 * **Details**
 *
 * Signs are counted apart for runs in which fewer than 3 such tests fail, which the outage rule never excuses, and for the
 * others. A message is shared when a test of another file fails with it in the same job run. Siblings are the other jobs of
 * the same run.
 */
export const lines = function* (runs: ReadonlyArray<HistoryRun>): Generator<string> {
  yield `signs of outages in ${runs.length} runs: failures of tests that passed in the previous run of their job`
  yield row(["failed tests", "sign", "flaky", "real", "commits"])
  for (const [sign, { commits, flaky, persistent }] of [...countsOf(runs)].sort()) {
    yield row([...sign.split("\t"), String(flaky.size), String(persistent.size), String(commits.size)])
  }
}

const widths = [14, 30, 8, 8, 8]

const row = (cells: ReadonlyArray<string>): string => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" ")

const countsOf = (runs: ReadonlyArray<HistoryRun>): ReadonlyMap<string, Count> => {
  const truths = truthsOf(runs)
  const last = new Map<string, "p" | "f">()
  const seen = new Set<string>()
  const counts = new Map<string, Count>()
  for (const run of runs) {
    const results = [...resultsOf(run)]
    const byTest = Map.groupBy(results, ({ test }) => test)
    const hit = results.filter(({ job, outcome, test }) => outcome === "f" && last.get(`${job}\0${test}`) === "p")
    const byJob = Map.groupBy(hit, ({ job }) => job)
    for (const result of hit) {
      const truth = truths.get(result.name) ?? null
      if (truth === null || seen.has(result.name)) continue
      const ofJob = byJob.get(result.job) ?? []
      const size = ofJob.length < 3 ? "fewer than 3" : "3 or more"
      const siblings = (byTest.get(result.test) ?? []).filter(({ job }) => job !== result.job)
      for (const sign of [messageSign(result, ofJob), siblingSign(siblings)]) {
        const count = counts.get(`${size}\t${sign}`) ?? { flaky: new Set(), persistent: new Set(), commits: new Set() }
        counts.set(`${size}\t${sign}`, count)
        count[truth].add(result.name)
        count.commits.add(run.commit)
      }
    }
    for (const { job, name, outcome, test } of results) {
      last.set(`${job}\0${test}`, outcome)
      seen.add(name)
    }
  }
  return counts
}

const messageSign = (result: Result, hit: ReadonlyArray<Result>): string => {
  const signature = signatureOf(result)
  if (signature === null) return "no message"
  const isShared = hit.some((other) => fileOf(other.test) !== fileOf(result.test) && signatureOf(other) === signature)
  return isShared ? "message of several files" : "message of its own file"
}

const siblingSign = (siblings: ReadonlyArray<Result>): string => {
  const failed = siblings.filter(({ outcome }) => outcome === "f").length
  if (siblings.length === 0) return "no sibling job"
  return failed === 0 ? "no sibling job fails" : failed === siblings.length ? "every job fails" : "some jobs fail"
}

const signatureOf = ({ message }: Result): string | null =>
  Failure.signatureOf({ type: null, message, stacktrace: null })

/** Tests are named by their module. */
const fileOf = (test: string): string => test.slice(0, test.lastIndexOf("."))
