/** The processes that a crash test kills. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Blow } from "./Plan.ts"

/** Strikes the PostgreSQL of a data folder; false when there is nothing to strike just now. */
export const strike = (folder: string, blow: Exclude<Blow, "server">): boolean => {
  const note = join(folder, "postgres", "postmaster.pid")
  const postmaster = existsSync(note) ? Number.parseInt(readFileSync(note, "utf8"), 10) : Number.NaN
  if (!(postmaster > 0)) return false
  if (blow === "postmaster") return kill(postmaster, "SIGKILL")
  if (blow === "immediate") return kill(postmaster, "SIGQUIT")
  const [backend] = backendsOf(postmaster)
  return backend !== undefined && kill(backend, "SIGKILL")
}

const kill = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** The children that serve connections: those that do something first. */
const backendsOf = (postmaster: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map((pid) => ({ pid: Number(pid), stat: read(`/proc/${pid}/stat`), command: read(`/proc/${pid}/cmdline`) }))
    .filter(({ command, stat }) => command.includes("[local]") && parentIn(stat) === postmaster)
    .toSorted((a, b) => Number(a.command.includes("idle")) - Number(b.command.includes("idle")))
    .map(({ pid }) => pid)

const parentIn = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
