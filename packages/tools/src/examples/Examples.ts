/** Runs code blocks: all type-checked together, then each one in this process. */
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Workspace from "../Workspace.ts"
import type { CodeBlock } from "./CodeBlock.ts"
import * as Expectation from "./Expectation.ts"

/** A fault of a block, at the line of the file that it comes from. */
export interface Failure {
  readonly path: string
  readonly line: number
  readonly message: string
}

/**
 * Type-checks and runs the blocks, and yields what is wrong, in the order of the blocks.
 *
 * **Details**
 *
 * The blocks are written into `folder`, which must lie in the workspace, so that imports resolve as everywhere else. They
 * share one process and its modules, so hundreds take seconds. A block that does not parse or does not type-check does
 * not run.
 */
export const run = async (blocks: ReadonlyArray<CodeBlock>, folder: string): Promise<ReadonlyArray<Failure>> => {
  const { examples, unreadable } = write(blocks, folder)
  const untyped = typeCheck(examples, folder)
  const failures = [...unreadable, ...untyped.map(({ failure }) => failure)]
  const failed = new Set(untyped.map(({ example }) => example))
  for (const example of examples) {
    if (example.block.runs && !failed.has(example)) failures.push(...(await runOne(example)))
  }
  const order = new Map(blocks.map((block, index) => [block.path, index]))
  return failures.toSorted((a, b) => (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0) || a.line - b.line)
}

interface Example {
  readonly block: CodeBlock
  readonly file: string
}

/** How long one block may run before it counts as hanging. */
const patience = 60_000

const expectModule = fileURLToPath(new URL("./Expectation.ts", import.meta.url))

const failureAt = (block: CodeBlock, lineInBlock: number, message: string): Failure => ({
  path: block.path,
  line: block.line + lineInBlock - 1,
  message
})

const write = (blocks: ReadonlyArray<CodeBlock>, folder: string) => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig(folder), null, 2))
  const examples: Array<Example> = []
  const unreadable: Array<Failure> = []
  for (const block of blocks) {
    const file = join(folder, `${block.path.replaceAll(/[^\w.-]/g, "_")}_${block.line}.ts`)
    try {
      writeFileSync(file, Expectation.transform(block.code, file, `./${relative(folder, expectModule)}`))
      examples.push({ block, file })
    } catch (error) {
      unreadable.push(failureAt(block, 1, messageOf(error)))
    }
  }
  return { examples, unreadable }
}

/** Like the packages, but unused names are allowed: an example may show a value and leave it there. */
const tsconfig = (folder: string) => ({
  extends: `${relative(folder, Workspace.root)}/tsconfig.base.json`,
  compilerOptions: {
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    noEmit: true,
    noUnusedLocals: false,
    rootDir: Workspace.root
  },
  include: ["*.ts"]
})

const typeCheck = (examples: ReadonlyArray<Example>, folder: string) => {
  if (examples.length === 0) return []
  const { error, status, stdout } = spawnSync("tsc", ["-p", folder, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${Workspace.root}/node_modules/.bin:${process.env["PATH"]}` }
  })
  if (error !== undefined) throw error
  const found = stdout.split("\n").flatMap((text) => {
    const [, file, line, message] = /^(.+?)\((\d+),\d+\): (error .*)$/.exec(text) ?? []
    if (file === undefined || message === undefined) return []
    const example = examples.find((each) => each.file === join(folder, file))
    const elsewhere = { path: relative(Workspace.root, join(folder, file)), line: Number(line), message }
    return [{ example, failure: example ? failureAt(example.block, Number(line), message) : elsewhere }]
  })
  if (status !== 0 && found.length === 0) throw new Error(`the type check of the examples failed:\n${stdout}`)
  return found
}

const runOne = async ({ block, file }: Example): Promise<ReadonlyArray<Failure>> => {
  const failures: Array<Failure> = []
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still running after ${patience} ms`)), patience)
  })
  try {
    await Promise.race([import(pathToFileURL(file).href), timeout])
  } catch (error) {
    failures.push(failureAt(block, lineOf(error, file), messageOf(error)))
  } finally {
    clearTimeout(timer)
  }
  const differences = Expectation.mismatches.filter((each) => each.file === file)
  return [...failures, ...differences.map(({ line, message }) => failureAt(block, line, message))]
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The innermost line of the example in the stack of an error, else its first line. */
const lineOf = (error: unknown, file: string): number => {
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  const at = stack.indexOf(`${file}:`)
  return at === -1 ? 1 : Number.parseInt(stack.slice(at + file.length + 1), 10)
}
