/** Plays stories side by side against a server that may be down. */
import { setTimeout as sleep } from "node:timers/promises"
import type { SimulatedGitHub } from "@lazaret/forge-simulated"
import { Effect } from "effect"
import { run as runCommand } from "../lazaretEffect.ts"
import type { ScaledTime } from "./ScaledTime.ts"
import { file, type Hands, type Story } from "./Stories.ts"
import * as World from "./World.ts"

/** The stories, the platform and the server. */
export interface Setting {
  readonly github: SimulatedGitHub.SimulatedGitHub
  readonly time: ScaledTime
  readonly url: string
  readonly adminKey: string
  readonly stories: ReadonlyArray<readonly [name: string, story: Story]>
}

/** The end of a story. */
export interface Outcome {
  readonly name: string
  readonly minutes: number
  readonly faults: ReadonlyArray<string>
  readonly innocents: number
  readonly bad: number
  readonly timeouts: number
}

const minute = 60_000

/** A check that was held is given again some time after the hold. */
const tolerance = 2 * minute

/** The outcomes of all stories. */
export const all = async (setting: Setting): Promise<ReadonlyArray<Outcome>> => {
  let delivering: Promise<ReadonlyArray<number>> = Promise.resolve([])
  /** One delivery after the other: the outbox is that of the whole platform. */
  const deliver = (): Promise<ReadonlyArray<number>> => {
    const flushed = () => Effect.runPromise(setting.github.flush(`${setting.url}/v1/webhooks/github`))
    delivering = delivering.then(flushed)
    return delivering
  }
  return Promise.all(setting.stories.map(([name, story], index) => play(setting, deliver, name, story, index)))
}

const play = async (
  { adminKey, github, time, url }: Setting,
  deliver: World.Surroundings["deliver"],
  name: string,
  story: Story,
  index: number
): Promise<Outcome> => {
  const repository = `story-${index + 1}`
  const rules = { timeout: 25, minimum: 1, isHeadGreen: false, ...story.rules }
  const text = file(story.more).replace(/ {2}response_timeout: 25m\n(?=[^]*response_timeout)/u, "")
  const upload = uploader(url, adminKey)
  const world = World.make({ github, time, upload, deliver }, repository, story.pulls, text, rules)
  const command = commander(url, adminKey, repository)
  const pass = async (minutes: number): Promise<void> => {
    for (const end = time.now() + minutes * minute; time.now() < end;) {
      await world.turn()
      await sleep(Math.max(50, 15_000 / time.speed))
    }
  }
  await upload(repository, { pipeline_name: "CI", job_name: "other", commit: "b".repeat(40), run_id: "0" }, first)
  await world.configure(text)
  await command("waive-trial", "--reason", "a story")
  await world.prepare()
  world.open()
  const began = time.now()
  const isLate = story.pulls.length === 3 && name.includes("enters while")
  world.enter(...story.pulls.map((_, at) => at + 1).slice(0, isLate ? 2 : undefined))
  const holds: Array<{ readonly from: number; to: number }> = []
  const hands: Hands = {
    world,
    pass,
    pause: async () => {
      holds.push({ from: time.now(), to: Infinity })
      await command("pause", "--reason", "release")
    },
    resume: async () => {
      await command("unpause")
      for (const hold of holds) hold.to = Math.min(hold.to, time.now() + tolerance)
    }
  }
  const faults: Array<string> = []
  await pass(1)
  try {
    await story.happens?.(hands)
  } catch (error) {
    faults.push(String(error))
  }
  const isOver = () => world.merged().length >= story.merged.length && (world.repository.queue ?? []).length === 0
  while (!isOver() && time.now() - began < 90 * minute) await pass(0.5)
  const minutes = (time.now() - began) / minute
  await pass(2)
  const isHeld = (at: number) => holds.some(({ from, to }) => from <= at && at <= to)
  const silent = world.removals().filter(({ at, reason }) => reason === "checks_timed_out" && !isHeld(Date.parse(at)))
  const timeouts = silent.length
  const innocents = world.evicted().filter((number) => !world.isBad(number)).length
  const bad = world.merged().filter(world.isBad).length
  const compare = (what: string, found: ReadonlyArray<number>, wanted: ReadonlyArray<number>) => {
    if (found.toSorted().join() !== wanted.toSorted().join())
      faults.push(`${what} ${found.join()}, not ${wanted.join()}`)
  }
  compare("merged", world.merged(), story.merged)
  compare("evicted", world.evicted(), story.left ?? [])
  if (timeouts > 0) faults.push(`${timeouts} timeouts without a hold`)
  const at = (millis: number) => `${((millis - began) / minute).toFixed(1)}`
  if (faults.length > 0) {
    faults.push(...world.removals().map((each) => `${at(Date.parse(each.at))}: #${each.number} ${each.reason}`))
    faults.push(...holds.map(({ from, to }) => `paused from ${at(from)} to ${at(to)}`))
    faults.push(...(await logOf(url, adminKey, repository)))
  }
  return { name, minutes, faults, innocents, bad, timeouts }
}

const first = `<testsuite name="cart"><testcase classname="cart" name="adds"/></testsuite>`

/** Repeats a request until the server answers it with success: where the processor is busy, a server needs a minute to start again. */
const persistently = async (what: string, attempt: () => Promise<string | null>): Promise<void> => {
  let fault: string | null = ""
  for (let tries = 0; tries < 3000; tries += 1) {
    fault = await attempt()
    if (fault === null) return
    await sleep(200)
  }
  throw new Error(`${what}: ${fault}`)
}

/** Uploads reports to a server that may be down. */
export const uploader =
  (url: string, adminKey: string): World.Surroundings["upload"] =>
  (repository, query, body) =>
    persistently("an upload", async () => {
      const path = `/v1/ci/acme/repositories/${repository}/reports?${new URLSearchParams(query).toString()}`
      const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/xml" }
      const status = await fetch(url + path, { method: "POST", headers, body, signal: AbortSignal.timeout(20_000) })
        .then((response) => response.text().then(() => response.status))
        .catch(() => 0)
      return status === 201 || status === 200 ? null : `status ${status}`
    })

/** The last events of a queue, as people see them. */
const logOf = async (url: string, adminKey: string, repository: string): Promise<ReadonlyArray<string>> => {
  const env = { LAZARET_URL: url, LAZARET_TOKEN: adminKey }
  const args = ["queue", "log", "--repo", `acme/${repository}`, "--limit", "100"]
  const { stderr, stdout } = await Effect.runPromise(runCommand(args, env))
  return `${stdout}${stderr}`.trimEnd().split("\n")
}

/** Runs commands of queues against a server that may be down. */
export const commander =
  (url: string, adminKey: string, repository: string) =>
  (...args: ReadonlyArray<string>): Promise<void> =>
    persistently(args.join(" "), async () => {
      const env = { LAZARET_URL: url, LAZARET_TOKEN: adminKey }
      const ended = await Effect.runPromise(runCommand(["queue", ...args, "--repo", `acme/${repository}`], env))
      return ended.exitCode === 0 ? null : ended.stderr
    })
