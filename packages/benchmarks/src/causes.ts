/** Causes that tests share, against simple rules: on real sets of failing job runs, and on generated causes with known truth. */
import { existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Instant } from "@lazaret/domain"
import * as Figures from "./causes/ClusterFigures.ts"
import * as Rules from "./causes/ClusterRules.ts"
import * as Sets from "./causes/ClusterSet.ts"
import * as Generated from "./causes/GeneratedCauses.ts"
import * as History from "./failures/History.ts"
import type { Lines } from "./Section.ts"

/**
 * Prints how well each rule finds tests with one cause.
 *
 * **Details**
 *
 * `--history=FOLDER` names the folder with a history (`*.jsonl.gz`), next to which `insight/clusters/rerunning.jsonl.gz` is read;
 * `--set=FILE` a further file of failing job runs. Real sets are grouped from what had failed after a tenth, a quarter, half, three
 * quarters and all of their job runs, and compared with the reference from all of them. `--seeds=tune` generates the repositories that
 * numbers were chosen by instead of the others. `--predictions=FILE` gets one line for each test of the real sets.
 */
export const causes: Lines = {
  name: "causes",
  // A section yields its lines as they are found; this one has nothing to wait for.
  // oxlint-disable-next-line require-await
  lines: async function* (options) {
    const sets = realSets(options)
    if (sets.length === 0) yield "!!! SKIPPED: no history found. Name a folder: --history=FOLDER !!!"
    for (const set of sets) yield* linesOf(set)
    const seeds = History.option(options, "seeds") === "tune" ? "tune" : "test"
    yield* generatedLines(seeds, { name: "", generate: Generated.generate })
    yield* generatedLines(seeds, { name: " with stack traces", generate: Generated.generateWithFrames })
    const file = History.option(options, "predictions")
    if (file !== undefined) writeFileSync(file, sets.flatMap(predictionsOf).join(""))
  }
}

const realSets = (options: ReadonlyArray<string>): ReadonlyArray<Sets.ClusterSet> => {
  const folder = History.folderOf(options)
  const runs = existsSync(folder) ? History.read(folder) : null
  const files = [
    ["rerunning", join(dirname(folder), "insight", "clusters", "rerunning.jsonl.gz")] as const,
    ...options.flatMap((each) => (each.startsWith("--set=") ? [["set", each.slice("--set=".length)] as const] : []))
  ]
  return [
    ...(runs === null ? [] : [Sets.ofHistory("history", runs)]),
    ...files.flatMap(([name, path]) => Sets.ofFile(name, path) ?? [])
  ]
}

const shares = [0.1, 0.25, 0.5, 0.75, 1]

function* linesOf(set: Sets.ClusterSet): Generator<string> {
  const reference = Sets.referenceOf(set)
  yield ""
  yield `${set.name}: ${set.runs.length} failing job runs, ${reference.size} tests with at least three; adjusted Rand index so far`
  yield `| Rule | ${shares.map((share) => `${share * 100} %`).join(" | ")} | together | strangers |`
  yield `| --- | ${shares.map(() => "---").join(" | ")} | --- | --- |`
  for (const rule of Rules.all) {
    const figures = shares.map((share) => {
      const groups = rule.groupsOf(set.runs.slice(0, Math.round(set.runs.length * share)))
      return Figures.figuresOf(new Map([...reference].filter(([test]) => groups.has(test))), groups)
    })
    const last = figures.at(-1)
    yield `| ${[rule.name, ...figures.map(({ rand }) => short(rand)), short(last?.together), short(last?.strangers)].join(" | ")} |`
  }
  yield `pairs that stay from week to week: ${short(stayingOf(set.runs))}`
}

interface Kind {
  readonly name: string
  readonly generate: (seed: number) => Generated.GeneratedCauses
}

function* generatedLines(seeds: keyof typeof Generated.seeds, { generate, name }: Kind): Generator<string> {
  const repositories = Generated.seeds[seeds].map(generate)
  for (const least of [1, 2]) {
    yield ""
    yield `${repositories.length} generated repositories${name} (${seeds}), tests with at least ${least} failing job runs; pairs of all repositories`
    yield "| Rule | together | strangers | adjusted Rand (mean) |"
    yield "| --- | --- | --- | --- |"
    for (const rule of Rules.all) {
      const { rand, strangers, together } = Figures.pooled(
        repositories.map((each) => [Generated.truthOf(each, least), rule.groupsOf(each.runs)])
      )
      yield `| ${[rule.name, short(together), short(strangers), short(rand)].join(" | ")} |`
    }
  }
  const stays = repositories.flatMap(({ runs }) => stayingOf(runs) ?? [])
  yield `pairs that stay from week to week: ${short(stays.reduce((sum, share) => sum + share, 0) / Math.max(1, stays.length))}`
}

/** The share of the pairs of one week that are together in the next one, over all weeks after the first four; null without pairs. */
const stayingOf = (runs: Rules.Runs): number | null => {
  const start = runs[0]?.at ?? 0
  const weeks = Math.floor(((runs.at(-1)?.at ?? 0) - start) / (7 * Instant.day))
  let before: ReadonlyMap<string, string> | null = null
  let [pairs, stayed] = [0, 0]
  for (let week = 4; week <= weeks; week++) {
    const groups = Rules.causes.groupsOf(runs.filter(({ at }) => at <= start + week * 7 * Instant.day))
    if (before !== null) {
      pairs += Figures.pairsOf(before)
      stayed += Figures.commonPairs(before, groups)
    }
    before = groups
  }
  return pairs === 0 ? null : stayed / pairs
}

const predictionsOf = (set: Sets.ClusterSet): ReadonlyArray<string> =>
  [...Rules.causes.groupsOf(set.runs)].map(
    ([test, cluster]) => `${JSON.stringify({ set: set.name, test, cluster: Number(cluster) })}\n`
  )

const short = (value: number | null | undefined): string => value?.toFixed(3).replace(/^0/u, "") ?? "–"
