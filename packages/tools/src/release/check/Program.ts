/** Programs that a check runs while it answers requests itself. */
import { type ChildProcess, spawn } from "node:child_process"

/** How a program ended: its exit code, what it printed to its first output, and what it printed to both. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly output: string
}

/** A program with its folder and its whole environment. */
export interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Runs a program to its end, five minutes at most. */
export const run = (program: Program): Promise<Ended> => ended(start(program))

/** Starts a program. */
export const start = ({ args, command, cwd, env }: Program): ChildProcess =>
  spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 300_000 })

/** The output of a program that was started, once it has ended. */
export const ended = (child: ChildProcess): Promise<Ended> =>
  new Promise((resolve, reject) => {
    let output = ""
    let stdout = ""
    child.stdout?.on("data", (chunk) => (stdout += chunk))
    for (const each of [child.stdout, child.stderr]) each?.on("data", (chunk) => (output += chunk))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, output }))
  })
