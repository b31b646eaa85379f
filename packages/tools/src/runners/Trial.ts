/** Runs a runner in two folders, and compares what it writes with what the page says about it. */
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Parsed, ReportReader } from "@lazaret/ingest"
import { Result } from "effect"
import * as Workspace from "../Workspace.ts"
import type { Section } from "./Page.ts"

/**
 * Tests in the language of a runner.
 *
 * **Details**
 *
 * - `title`: the heading of its section.
 * - `needs`: a program without which the runner is not on this machine; null for packages of npm.
 * - `packages`: what it needs from npm.
 * - `files`: the tests. Each suite has a test that passes, one that fails, one that is skipped, and two files have a test of the
 *   same title. Where the runner retries, one test passes at the second attempt.
 * - `broken`: a file that does not load, and its content: a further run must report it as a failed case of that name.
 * - `reports`: the pattern of its reports.
 * - `hasFiles`, `hasRetries`: whether every case names its file, and whether the flaky test is seen as such.
 */
export interface Sample {
  readonly name: string
  readonly title: string
  readonly needs: string | null
  readonly packages?: ReadonlyArray<string>
  readonly files: Readonly<Record<string, string>>
  readonly broken?: readonly [path: string, content: string]
  readonly prepare?: string
  readonly reports: string
  readonly tests: number
  readonly hasFiles: boolean
  readonly hasRetries: boolean
}

/** How a trial ended, in a line for people. */
export interface Outcome {
  readonly kind: "passed" | "failed" | "absent"
  readonly line: string
}

/** Runs a sample with the settings of its section. */
export const run = (sample: Sample, section: Section): Outcome => {
  if (sample.needs !== null && !isThere(sample.needs))
    return { kind: "absent", line: `${sample.name}: no ${sample.needs} here` }
  const base = mkdtempSync(join(tmpdir(), "lazaret-runners-"))
  try {
    const modules = sample.packages === undefined ? null : installed(sample.packages)
    const runs = ["one/shop", "an/other/shop"].map((place) => inFolder(join(base, place), sample, section, modules))
    if (runs.some(({ printed }) => unresolved.test(printed)))
      return { kind: "absent", line: `${sample.name}: no plug-in here` }
    const faults = [...faultsOf(sample, runs), ...lostFile(join(base, "broken/shop"), sample, section, modules)]
    const line = faults.length === 0 ? `${sample.name}: ${sample.tests} tests` : `${sample.name}: ${faults.join("; ")}`
    return { kind: faults.length === 0 ? "passed" : "failed", line }
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** Maven finds neither a registry nor a copy of a plug-in. */
const unresolved = /Plugin \S+ or one of its dependencies could not be resolved/

/** The reports of one run, and the end of the output of its runner. */
interface Run {
  readonly reports: ReadonlyArray<Parsed.Parsed>
  readonly printed: string
}

/** The programs of Debian come before others of the same name; this Node comes first. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}:/usr/bin:${process.env["PATH"] ?? ""}`, CI: "true" }

const isThere = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`], { env }).status === 0

/** The packages in a folder that later runs use again. */
const installed = (packages: ReadonlyArray<string>): string => {
  const folder = join(Workspace.root, ".cache/runners", packages.join("+").replaceAll(/[^\w.+@-]/g, "_"))
  const modules = join(folder, "node_modules")
  if (existsSync(modules)) return modules
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), `{ "private": true }`)
  const args = ["install", "--no-audit", "--no-fund", "--save-exact", ...packages]
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, env, encoding: "utf8" })
  if (status !== 0) throw new Error(`npm could not install ${packages.join(", ")}: ${stderr.slice(-1000)}`)
  return modules
}

const inFolder = (folder: string, sample: Sample, section: Section, modules: string | null): Run => {
  mkdirSync(join(folder, "reports"), { recursive: true })
  for (const [name, content] of Object.entries({ ...section.files, ...sample.files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  if (modules !== null) symlinkSync(modules, join(folder, "node_modules"))
  const script = [sample.prepare ?? "", section.command].join("\n")
  const { stderr, stdout } = spawnSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8", timeout: 240_000 })
  const paths = globSync(sample.reports, { cwd: folder })
  return {
    reports: paths.map((path) =>
      Result.getOrThrowWith(
        ReportReader.parse(readFileSync(join(folder, path)), { checkout: folder }),
        ({ message }) => {
          cpSync(join(folder, path), join(tmpdir(), `lazaret-${sample.name}-report`))
          return new Error(`${sample.name}: ${path} cannot be read: ${message}`)
        }
      )
    ),
    printed: `${stdout}${stderr}`.slice(-4000)
  }
}

/** Whether a file that does not load is lost in a run with it. */
const lostFile = (folder: string, sample: Sample, section: Section, modules: string | null): ReadonlyArray<string> => {
  if (sample.broken === undefined) return []
  const [path, content] = sample.broken
  const { reports } = inFolder(folder, { ...sample, files: { ...sample.files, [path]: content } }, section, modules)
  const cases = reports.flatMap((report) => report.cases)
  const isReported = cases.some(
    ({ conclusion, filepath, testName }) => conclusion === "failed" && path.endsWith(testName) && filepath === path
  )
  return isReported
    ? []
    : [`${path} does not load, and no failed case has its name: ${cases.map((each) => each.testName)}`]
}

const faultsOf = (sample: Sample, runs: ReadonlyArray<Run>): ReadonlyArray<string> => {
  const [first, second] = runs.map(({ reports }) => reports.flatMap(({ cases }) => cases))
  if (first === undefined || second === undefined) return ["it did not run"]
  const names = (cases: typeof first) => cases.map(({ testName }) => testName).toSorted()
  const failed = first.filter(({ conclusion }) => conclusion === "failed")
  const warnings = runs.flatMap(({ reports }) => reports.flatMap((report) => report.warnings))
  return [
    ...(first.length === sample.tests ? [] : [`${first.length} tests, not ${sample.tests}\n${runs[0]?.printed}`]),
    ...(names(first).join("\n") === names(second).join("\n")
      ? []
      : [`names differ: ${names(first)} | ${names(second)}`]),
    ...(new Set(names(first)).size === first.length ? [] : ["equal names"]),
    ...(failed.length === 1 && /fails/i.test(failed[0]?.testName ?? "")
      ? []
      : [`failed: ${failed.map((each) => each.testName)}`]),
    ...(first.every(({ filepath }) => filepath !== null) === sample.hasFiles ? [] : ["files are not as the page says"]),
    ...(first.some(({ flaky }) => flaky) === sample.hasRetries ? [] : ["retries are not as the page says"]),
    ...(runs.some(({ reports }) => reports.some(({ incomplete }) => incomplete.length > 0)) ? ["incomplete"] : []),
    ...new Set(warnings)
  ]
}
