/** Tests that did not run: generated histories with known losses, and a real history. */
import * as Generated from "./missing/GeneratedMissing.ts"
import * as Figures from "./missing/MissingFigures.ts"
import * as History from "./failures/History.ts"
import type { Lines } from "./Section.ts"

/**
 * Prints how many losses each rule finds.
 *
 * **Details**
 *
 * `--seeds=tune` generates the repositories that numbers were chosen by instead of the others. `--history=FOLDER` replays a history with
 * passes as well, where it only counts what each rule says.
 */
export const missing: Lines = {
  name: "missing",
  // A section yields its lines as they are found; this one has nothing to wait for.
  // oxlint-disable-next-line require-await
  lines: async function* (options) {
    const kind = History.option(options, "seeds") === "tune" ? "tune" : "test"
    const repositories = Generated.seeds[kind].map(Generated.generate)
    const own = History.option(options, "rule") === "own"
    const rules = own ? [Figures.memory] : [Figures.runBefore(0.05), Figures.runBefore(0.1), Figures.memory]
    const folder = History.option(options, "history")
    const replayed = folder === undefined ? null : History.read(folder)
    if (replayed !== null) yield* replayedLines(replayed, rules)
    for (const rule of rules) {
      const found = repositories.map((repository) => ({ repository, alarms: rule.alarms(repository) }))
      yield `\n${rule.name}: ${repositories.length} generated repositories (${kind})`
      yield "| Runs | losses of 10 % | found | wrong alarms per 100 runs | repeated per 100 runs |"
      yield "| --- | --- | --- | --- | --- |"
      for (const [name, isTaken] of groups) {
        const some = found.filter(({ repository }) => isTaken(repository))
        for (const isPull of [false, true]) {
          const judged = isPull ? some.filter(({ repository }) => !repository.isSelective) : some
          const all = judged.map(({ alarms, repository }) => Figures.figuresOf(repository, alarms, isPull))
          if (isPull && name === "all") {
            const selective = some.filter(({ repository }) => repository.isSelective)
            const figures = selective.map(({ alarms, repository }) => Figures.figuresOf(repository, alarms, true))
            yield lineOf("pull requests that run some files only", { ...Figures.sumOf(figures), losses: 0 })
          }
          yield lineOf(`${name}, ${isPull ? "pull requests" : "default branch"}`, Figures.sumOf(all))
        }
      }
    }
  }
}

function* replayedLines(
  history: ReadonlyArray<History.HistoryRun>,
  rules: ReadonlyArray<Figures.MissingRule>
): Generator<string> {
  const jobs = [...new Set(history.flatMap((run) => Object.keys(run.jobs)))].sort()
  const numbers = new Map<string, number>()
  const numberOf = (name: string): number => {
    const number = numbers.get(name) ?? numbers.size
    numbers.set(name, number)
    return number
  }
  const runs = history.map((run, index) => ({
    index,
    isPull: false,
    jobs: Object.entries(run.jobs).map(([job, results]) => ({
      job: jobs.indexOf(job),
      attempt: 1,
      tests: results.map(([test]) => numberOf(test))
    }))
  }))
  const names = [...numbers.keys()]
  yield ""
  yield `history: ${runs.length} runs of ${jobs.length} jobs with ${names.length} tests`
  for (const rule of rules) {
    const alarms = rule.alarms({ layout: "parts", jobs, names, runs, truths: [], isSelective: false })
    const said = new Set(alarms.map(({ run }) => run)).size
    yield `${rule.name}: says something about ${said} runs (${percent(said, runs.length)} %), ${alarms.length} times in all`
  }
}

const groups: ReadonlyArray<readonly [string, (repository: Generated.GeneratedMissing) => boolean]> = [
  ["all", () => true],
  ["one job", ({ layout }) => layout === "one"],
  ["parts", ({ layout }) => layout === "parts"],
  ["matrix", ({ layout }) => layout === "matrix"],
  ["static shards", ({ layout }) => layout === "static shards"],
  ["dynamic shards", ({ layout }) => layout === "dynamic shards"]
]

const lineOf = (name: string, { again, found, losses, runs, wrong }: Figures.MissingFigures): string =>
  `| ${[name, losses, percent(found, losses), percent(wrong, runs), percent(again, runs)].join(" | ")} |`

const percent = (part: number, whole: number): string => (whole === 0 ? "–" : ((100 * part) / whole).toFixed(1))
