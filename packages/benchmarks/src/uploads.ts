/**
 * Processor time of uploads of 50,000 known results on PostgreSQL: `npm run bench -- uploads [--rounds=30] [--against=FOLDER]`.
 * Each upload is of another commit, as in practice.
 *
 * With the folder of another clone of Lazaret (which has this benchmark) both versions take turns, each in a process and a
 * database of its own.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { resolve } from "node:path"
import { median } from "./Paired.ts"
import * as Database from "./postgres/Database.ts"
import type { Lines } from "./Section.ts"
import type { Cost } from "./uploads/subject.ts"

/** The benchmark of uploads. Aim: 100 ms in the main thread, the same in every round. */
export const uploads: Lines = {
  name: "uploads",
  lines: async function* (options) {
    const rounds = Number(valueOf(options, "rounds") ?? 30)
    const against = valueOf(options, "against")
    const server = await Database.start()
    const subjects: Array<ChildProcess> = []
    try {
      for (const folder of against === undefined ? [root] : [root, resolve(against)]) {
        const url = await Database.createEmpty(server, `uploads_${subjects.length}`)
        subjects.push(await start(folder, url))
      }
      const costs = await measured(subjects, rounds)
      yield `uploads: ${rounds} rounds of 50,000 known results`
      for (const [index, each] of costs.entries()) yield* lines(index === 0 ? "this version" : "the other", each)
      const [ours = [], others] = costs
      if (others !== undefined) {
        yield `  this of the other: main thread ${ratio(ours, others, "main")}, all threads ${ratio(ours, others, "all")}`
      }
    } finally {
      for (const subject of subjects) subject.disconnect()
      await server.close()
    }
  }
}

const root = resolve(import.meta.dirname, "../../..")

const valueOf = (options: ReadonlyArray<string>, name: string): string | undefined =>
  options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3)

const start = async (folder: string, url: string): Promise<ChildProcess> => {
  const child = fork(resolve(folder, "packages/benchmarks/src/uploads/subject.ts"), [url], { cwd: folder })
  await once(child, "message")
  return child
}

/** The costs of each subject by round; the first rounds make the tests known and warm up. */
const measured = async (subjects: ReadonlyArray<ChildProcess>, rounds: number): Promise<ReadonlyArray<Array<Cost>>> => {
  const costs = subjects.map((): Array<Cost> => [])
  for (let round = -warmUp; round < rounds; round++) {
    const order = round % 2 === 0 ? [...subjects.keys()] : [...subjects.keys()].toReversed()
    for (const index of order) {
      const subject = subjects[index]
      if (subject === undefined) continue
      subject.send(round + warmUp)
      const [cost] = (await once(subject, "message")) as [Cost]
      if (round >= 0) costs[index]?.push(cost)
    }
  }
  return costs
}

const warmUp = 5

function* lines(name: string, costs: ReadonlyArray<Cost>): Generator<string> {
  const ms = (part: keyof Cost) => summary(costs.map((cost) => cost[part]))
  const quarter = Math.ceil(costs.length / 4)
  const quarters = [0, 1, 2, 3].map((index) => costs.slice(index * quarter, (index + 1) * quarter))
  yield `  ${name}: main thread ${ms("main")} ms, all threads ${ms("all")} ms`
  yield `    quarters of the rounds, main thread: ${quarters.map((each) => median(each.map(({ main }) => main)).toFixed(0)).join(", ")} ms`
}

const summary = (values: ReadonlyArray<number>): string => {
  const sorted = values.toSorted((a, b) => a - b)
  return `${median(values).toFixed(0)} (${sorted[0]?.toFixed(0)} to ${sorted.at(-1)?.toFixed(0)})`
}

const ratio = (ours: ReadonlyArray<Cost>, others: ReadonlyArray<Cost>, part: keyof Cost): string => {
  const ratios = ours.flatMap((cost, round) => {
    const other = others[round]
    return other === undefined ? [] : [cost[part] / other[part]]
  })
  const sorted = ratios.toSorted((a, b) => a - b)
  return `${median(ratios).toFixed(2)} (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)})`
}
