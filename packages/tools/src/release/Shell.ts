/** Programs that a release runs. */
import { type SpawnSyncOptions, spawnSync } from "node:child_process"
import * as Workspace from "../Workspace.ts"

/** Ends the process with a sentence. */
export const stop = (sentence: string): never => {
  console.error(`release: ${sentence}`)
  process.exit(1)
}

/** Runs a program whose output is shown, in the workspace unless the options name another folder; a failure ends the release. */
export const run = (command: string, args: ReadonlyArray<string>, options: SpawnSyncOptions = {}): void => {
  const { status } = spawnSync(command, args, { cwd: Workspace.root, stdio: "inherit", ...options })
  if (status !== 0) stop(`${command} ${args.join(" ")} failed`)
}

/** The output of a program, without white space around it; a failure ends the release. */
export const read = (command: string, args: ReadonlyArray<string>, options: SpawnSyncOptions = {}): string => {
  const { status, stdout } = spawnSync(command, args, {
    cwd: Workspace.root,
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
    encoding: "utf8"
  })
  if (status !== 0) stop(`${command} ${args.join(" ")} failed`)
  return stdout.trim()
}

/** Ends the release unless all changes of the clone are committed. */
export const mustBeClean = (): void => {
  if (read("git", ["status", "--porcelain"]) !== "") stop("the clone has changes that are not committed")
}

/** Packs a folder into a compressed archive. The same files give the same archive. */
export const archive = (file: string, parent: string, name: string): void =>
  run("tar", [
    "--create",
    "--gzip",
    `--file=${file}`,
    "--sort=name",
    "--mtime=@0",
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    `--directory=${parent}`,
    name
  ])
