/**
 * Types of mutants: which of them the compiler refuses, so that no test needs to notice them.
 *
 * **Details**
 *
 * Each mutant is a copy of its source next to it, and one run of the compiler checks all copies. What the compiler says of an
 * unchanged copy, too, does not count: a class of a copy is another class.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import type { Findings } from "./Findings.ts"
import * as Mutant from "./Mutant.ts"
import type { Numbered } from "./Switches.ts"

/** Whether each of the mutants compiles, in a copy of the tree whose sources are as they were. */
export const check = (
  root: string,
  mutants: ReadonlyArray<Numbered>,
  findings: Findings
): ((mutant: Numbered) => boolean) => {
  const known = findings.passed(compiler)
  const refused = new Set(mutants.map(({ id }) => id).filter((id) => findings.decided.get(id)?.finding === "invalid"))
  const open = mutants.filter(({ id }) => !known.has(id) && !refused.has(id))
  const found = invalid(root, open).map(({ id }) => id)
  findings.keep(compiler, [], "invalid", found)
  findings.keep(
    compiler,
    [],
    "passed",
    open.map(({ id }) => id).filter((id) => !found.includes(id))
  )
  for (const id of found) refused.add(id)
  return ({ id }) => !refused.has(id)
}

const compiler = "the compiler"

const invalid = (root: string, mutants: ReadonlyArray<Numbered>): ReadonlyArray<Numbered> => {
  if (mutants.length === 0) return []
  const unchanged = [...new Set(mutants.map(({ mutant }) => mutant.path))].map((path) => copyOf(path, "none"))
  const copies = mutants.map(({ id, mutant }) => copyOf(mutant.path, `${id}`))
  for (const { copy, path } of unchanged) writeFileSync(join(root, copy), readFileSync(join(Workspace.root, path)))
  for (const [index, { mutant }] of mutants.entries()) {
    const text = readFileSync(join(Workspace.root, mutant.path), "utf8")
    writeFileSync(join(root, copies[index]?.copy ?? ""), Mutant.apply(mutant, text))
  }
  const all = [...unchanged, ...copies].map(({ copy }) => copy)
  const errors = compile(root, all)
  for (const copy of all) rmSync(join(root, copy))
  return mutants.filter(({ mutant }, index) => {
    const usual = errors.get(copyOf(mutant.path, "none").copy) ?? []
    return errors.get(copies[index]?.copy ?? "")?.some((error) => !usual.includes(error)) === true
  })
}

const copyOf = (path: string, name: string) => ({ path, copy: path.replace(/\.ts$/, `.mutant-${name}.ts`) })

/** The errors of each file, without their places. A variable that nothing reads any more does not count. */
const compile = (root: string, files: ReadonlyArray<string>): Map<string, ReadonlyArray<string>> => {
  const config = join(root, "tsconfig.mutants.json")
  const compilerOptions = {
    composite: false,
    incremental: false,
    noEmit: true,
    declaration: false,
    declarationMap: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    rootDir: "."
  }
  writeFileSync(config, JSON.stringify({ extends: "./tsconfig.base.json", compilerOptions, files }))
  const { stdout } = spawnSync(join(Workspace.root, "node_modules/.bin/tsc"), ["-p", config, "--pretty", "false"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28
  })
  const found = [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): (error .*)$/gm)]
  return new Map(
    [...Map.groupBy(found, ([, file = ""]) => file)].map(([file, each]) => [
      file,
      each.map(([, , error = ""]) => error)
    ])
  )
}
