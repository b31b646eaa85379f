/**
 * The mixed traffic of many teams against the server with its own PostgreSQL: `npm run bench -- load [--minutes=10] [--rate=1]
 * [--repositories=20]`.
 *
 * It fails when an answer is neither a success nor 503 with `Retry-After`. The clients run on the same machine and take a
 * part of it.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, ask, json, judge } from "./load/Answers.ts"
import type { Figures } from "./load/Probe.ts"
import * as Receiver from "./load/Receiver.ts"
import * as Schedule from "./load/Schedule.ts"
import * as Subject from "./load/Subject.ts"
import * as Traffic from "./load/Traffic.ts"
import type { Lines } from "./Section.ts"

/**
 * The load test. `--minutes=N` (10) is its length, `--rate=N` (1) multiplies the number of requests in a second, `--repositories=N` (20)
 * is the number of repositories, each with 8,000 tests.
 */
export const load: Lines = {
  name: "load",
  lines: async function* (options) {
    const [minutes, rate] = [numberOf(options, "minutes", 10), numberOf(options, "rate", 1)]
    const number = numberOf(options, "repositories", 20)
    const receiver = await Receiver.start()
    const server = await Subject.start()
    try {
      const repositories = await prepared(server.url, receiver.url, number)
      yield `load: ${repositories.length} repositories for ${minutes} minutes; two uploads a second are sent at rate 1, this is rate ${rate}`
      await sleep(idleMs)
      const before = await server.figures()
      yield `  prepared: at most ${before.memory} MiB`
      const start = performance.now()
      const kinds = Traffic.kinds(server.url, repositories)
      const outcomes = await Promise.all(
        kinds.map((kind) => Schedule.play({ ...kind, perSecond: kind.perSecond * rate }, minutes * 60))
      )
      const seconds = (performance.now() - start) / 1000
      await sleep(idleMs)
      for (const outcome of outcomes) yield line(outcome)
      yield `  outgoing webhooks: ${receiver.received()} received`
      yield serverLine(before, await server.figures(), seconds)
      const wrong = outcomes.flatMap((outcome) => outcome.wrong)
      if (receiver.received() === 0) throw new Error("no webhook arrived")
      if (wrong.length > 0) throw new Error(`${wrong.length} answers are wrong, such as ${shown(wrong[0])}`)
    } finally {
      await server.close()
      receiver.close()
    }
  }
}

const numberOf = (options: ReadonlyArray<string>, name: string, standard: number): number =>
  Number(options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3) ?? standard)

/** After this time without requests, kept connections are closed. */
const idleMs = 7000

const owners = 4

/** Makes keys, repositories with results of every format, and a webhook for each of them. */
const prepared = async (
  url: string,
  receiver: string,
  repositories: number
): Promise<ReadonlyArray<Traffic.Repository>> => {
  const found: Array<Traffic.Repository> = []
  for (let index = 0; index < repositories; index++) {
    const [owner, name] = [`owner-${index % owners}`, `repository-${index}`]
    const { secret: key } = await made(`${url}/v1/application-keys`, { name: `${owner} ${name}`, scope: "ci", owner })
    const repository = { owner, name, key: String(key) }
    // Negative numbers are used by no other upload.
    for (let number = -4; number < 0; number++) {
      successOf(await Traffic.upload(url, repository, { number, tests: Traffic.usual }))
    }
    const base = `${url}/v1/ci/${owner}/repositories/${name}`
    await made(`${base}/webhooks`, { url: receiver, secret: "the secret of a webhook of a benchmark" })
    const { tests } = JSON.parse(successOf(await ask(`${base}/search/tests?per_page=100`, Subject.secrets.admin)))
    found.push({ ...repository, tests: tests.map(({ test_id }: { readonly test_id: string }) => test_id) })
  }
  return found
}

const made = async (url: string, body: unknown): Promise<{ readonly secret?: string }> =>
  JSON.parse(successOf(await ask(url, Subject.secrets.admin, json("POST", body))))

const successOf = (answer: Answer): string => {
  if (judge(answer) !== "answered") throw new Error(`the preparation failed: ${shown(answer)}`)
  return answer.text
}

const shown = (answer: Answer | undefined): string => `${answer?.status} ${answer?.text.slice(0, 300)}`

const line = ({ held, latencies, name, planned, refused, wrong }: Schedule.Outcome): string => {
  const ms = (share: number) => Schedule.percentile(latencies, share).toFixed(0)
  return (
    `  ${name}: ${latencies.length} of ${planned} answered (${held.toFixed(1)}/s), ${refused} asked to come again, ` +
    `${wrong.length} wrong\n    p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms, longest ${ms(1)} ms`
  )
}

const serverLine = (before: Figures, after: Figures, seconds: number): string => {
  const { cpu, major, minor, wall } = after.stretch
  const share = ((100 * (after.processor - before.processor)) / seconds).toFixed(0)
  return (
    `  server: ${share} % of a core, at most ${after.memory} MiB; ${before.handles} file handles before, ${after.handles} after\n` +
    `    longest stretch of the event loop ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of processor time ` +
    `(in it collections: ${(major + minor).toFixed(0)} ms)`
  )
}
