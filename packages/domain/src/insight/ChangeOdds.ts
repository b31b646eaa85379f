/**
 * The probability of each commit to have brought a change of the failure rate, with the rates before and after it unknown.
 *
 * **Details**
 *
 * Runs fail independently, with one rate before the change and a larger one from it on. Each rate has a prior, a mixture of beta
 * distributions, over which the likelihood is integrated. Streams have rates of their own, and one change. Each commit is as probable as
 * the others before the runs are seen. The change may have been mended after the last failure.
 */
import type { ChangeRuns, Count } from "./ChangeRuns.ts"

/** A beta distribution with its share in a mixture. */
interface Part {
  readonly share: number
  readonly mean: number
  readonly failed: number
  readonly passed: number
}

const part = (share: number, mean: number, failed: number): Part => ({
  share,
  mean,
  failed,
  passed: failed / mean - failed
})

/** Rates before the change: most tests fail less than once in a thousand runs, some are flaky already. */
const before: ReadonlyArray<Part> = [
  part(0.6, 0.0005, 1),
  part(0.2, 0.003, 1),
  part(0.1, 0.01, 2),
  part(0.06, 0.03, 2),
  part(0.04, 0.1, 2)
]

/**
 * Rates from the change on: most are low.
 *
 * **Details**
 *
 * One or two failures among some hundred runs fit a low rate and an old change as well as a high one and a change that came late or was
 * mended soon. With equal shares the second would be believed too often. Where failures are many the shares do not matter.
 */
const after: ReadonlyArray<Part> = [
  part(0.45, 0.01, 2),
  part(0.2, 0.03, 2),
  part(0.12, 0.1, 2),
  part(0.08, 0.3, 2),
  part(0.06, 0.6, 3),
  part(0.09, 0.99, 50)
]

/** A change is one by this factor at least. */
const leastFactor = 3

/** The probability of each commit, in their order; they sum up to 1. The first stands for all before it, too. */
export const of = ({ commits, lastFailure, streams }: ChangeRuns): Float64Array => {
  const cases = endsOf(commits.length, lastFailure).map(({ end, log }) => {
    const logs = logsOf(streams, end)
    return logs.map((each, place) => (place < end ? each + log : -Infinity))
  })
  const lasting = Math.log(1 - mended)
  const logs = Float64Array.from(
    commits,
    (_, place) => logSum(cases.map((each) => each[place] ?? -Infinity)) - lasting * Math.min(place, lastFailure)
  )
  const total = logSum(logs)
  return logs.map((log) => Math.exp(log - total))
}

/** The share of changes that each commit mends. */
const mended = 0.005

/**
 * The commits that may have mended a change, which lasted until the last failure: never is the number of commits.
 *
 * **Details**
 *
 * `log`: the logarithm of the probability. One commit stands for as many as lie between it and the last failure.
 */
const endsOf = (
  commits: number,
  lastFailure: number
): ReadonlyArray<{ readonly end: number; readonly log: number }> => {
  const rest = commits - 1 - lastFailure
  const ends = [{ end: commits, log: rest * Math.log(1 - mended) }]
  for (let start = 0, size = 1; start < rest; start += size, size = start) {
    const next = Math.min(rest, start + size)
    const end = lastFailure + 1 + Math.floor((start + next - 1) / 2)
    ends.push({ end, log: Math.log((1 - mended) ** start - (1 - mended) ** next) })
  }
  return ends
}

/** The logarithm of the likelihood of a change at each commit that was mended by the commit `end`. */
const logsOf = (streams: ChangeRuns["streams"], end: number): Float64Array => {
  const logs = new Float64Array(streams[0]?.length ?? 0)
  for (const counts of streams)
    for (const [place, log] of streamLogs(counts, end).entries()) logs[place] = (logs[place] ?? 0) + log
  return logs
}

/** The pairs of rates before and after a change, with the logarithm of their share. */
const pairs = before.flatMap((low, early) =>
  after.flatMap((high, late) =>
    high.mean < leastFactor * low.mean ? [] : [{ early, late, log: Math.log(low.share * high.share) }]
  )
)

const streamLogs = (counts: ReadonlyArray<Count>, end: number): Float64Array => {
  const early = before.map((each) => startLogs(each, counts, end))
  const late = after.map((each) => endLogs(each, counts, end))
  const logs = new Float64Array(pairs.length)
  return Float64Array.from(counts, (_, place) => {
    for (const [index, pair] of pairs.entries()) {
      logs[index] = pair.log + (early[pair.early]?.[place] ?? 0) + (late[pair.late]?.[place] ?? 0)
    }
    return logSum(logs)
  })
}

/** The logarithms of the likelihood of the runs before each commit, and of those from `end` on. */
const startLogs = (prior: Part, counts: ReadonlyArray<Count>, end: number): Float64Array => {
  const rate = rateOf(prior)
  for (const count of counts.slice(end)) rate.see(count)
  return Float64Array.from(counts, (count) => {
    const log = rate.log
    rate.see(count)
    return log
  })
}

/** The logarithms of the likelihood of the runs from each commit on, up to `end`. */
const endLogs = (prior: Part, counts: ReadonlyArray<Count>, end: number): Float64Array => {
  const rate = rateOf(prior)
  const logs = new Float64Array(counts.length)
  for (let place = Math.min(end, counts.length) - 1; place >= 0; place--) {
    rate.see(counts[place] ?? { passed: 0, failed: 0 })
    logs[place] = rate.log
  }
  return logs
}

/** The predictions of a rate that is learnt from the runs: their product is the likelihood of all, whatever their order. */
const rateOf = ({ failed, passed }: Part) => {
  let [fails, passes] = [failed, passed]
  const rate = {
    log: 0,
    see: (count: Count) => {
      for (let run = 0; run < count.failed; run++) rate.log += Math.log(fails++ / (fails - 1 + passes))
      for (let run = 0; run < count.passed; run++) rate.log += Math.log(passes++ / (fails + passes - 1))
    }
  }
  return rate
}

const logSum = (logs: ArrayLike<number>): number => {
  let most = -Infinity
  for (let index = 0; index < logs.length; index++) most = Math.max(most, logs[index] ?? -Infinity)
  if (most === -Infinity) return most
  let sum = 0
  for (let index = 0; index < logs.length; index++) sum += Math.exp((logs[index] ?? -Infinity) - most)
  return most + Math.log(sum)
}
