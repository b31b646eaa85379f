/** Processes of this machine: whether one still runs, and whether it is still the same one. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/**
 * The identity of a process: the boot of the machine and the start of the process since then. No other process with the same
 * number has it. Null when no such process runs; a zombie (ended, but not reaped by its parent) does not run.
 */
export const identity = (pid: number): string | null =>
  process.platform === "linux" ? linuxIdentity(pid) : otherIdentity(pid)

/**
 * The PostgreSQL processes that carry a name in their command line, as servers and their children do with `cluster_name`.
 */
export const postgresNamed = (name: string): ReadonlyArray<number> =>
  (process.platform === "linux" ? linuxCommands() : otherCommands())
    .filter(([, command]) => /^(?:\S*\/)?postgres\b/u.test(command) && command.includes(name))
    .map(([pid]) => pid)

/** Sends a signal; nothing happens when the process has ended. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  attempt(() => process.kill(pid, name))
}

const linuxIdentity = (pid: number): string | null => {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  if (stat === null) return null
  // The name of the program may hold anything, but its closing bracket is the last one.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  if (state === "Z" || state === "X") return null
  return `${bootId()}-${fields[18]}`
}

const bootId = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8)

const otherIdentity = (pid: number): string | null => {
  const { stdout } = spawnSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { LC_ALL: "C" }
  })
  const line = stdout?.trim() ?? ""
  return line === "" || line.startsWith("Z") ? null : line.replace(/^\S+/u, "").replace(/\W+/gu, "")
}

const linuxCommands = (): ReadonlyArray<Command> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map((pid) => [
      Number(pid),
      attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")) ?? ""
    ])

const otherCommands = (): ReadonlyArray<Command> => {
  const { stdout } = spawnSync("ps", ["-axo", "pid=,command="], { encoding: "utf8", env: { LC_ALL: "C" } })
  return (stdout ?? "").split("\n").map((line) => [Number.parseInt(line, 10), line.replace(/^\s*\d+\s+/u, "")])
}

type Command = readonly [pid: number, command: string]

const attempt = <A>(evaluate: () => A): A | null => {
  try {
    return evaluate()
  } catch {
    return null
  }
}
