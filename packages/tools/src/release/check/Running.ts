/** A server that runs from its archive, and those that ask it. */
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import * as Plan from "../Plan.ts"
import * as Program from "./Program.ts"

/** A server that is ready: its address, its key, and how it is stopped. */
export interface Server {
  readonly url: string
  readonly key: string
  readonly stop: () => Promise<Program.Ended>
}

const key = "a-key-for-the-check-of-a-release"

/** Starts the server of an unpacked archive, with only a shell of this machine, and waits until it is ready. */
export const start = async (folder: string, data: string): Promise<Server> => {
  const port = await freePort()
  const env = { PATH: "/usr/bin:/bin", PORT: String(port), LAZARET_DATA_DIR: data, LAZARET_ADMIN_KEY: key }
  const child = Program.start({ command: join(folder, "bin/lazaret"), args: ["serve"], cwd: folder, env })
  const end = Program.ended(child)
  const url = `http://127.0.0.1:${port}`
  const stop = () => {
    child.kill("SIGTERM")
    return end
  }
  for (let waited = 0; waited < 120 && child.exitCode === null; waited++) {
    if (await isReady(url)) return { url, key, stop }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`the server is not ready:\n${(await stop()).output}`)
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false
  )

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      // A server that listens on a port has an address.
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** The command line in one file uploads a report, finds its test, and refuses a failure, where no Node is installed. */
export const commandLine = async ({ url, ...server }: Server, folder: string): Promise<ReadonlyArray<string>> => {
  const cwd = join(folder, "project")
  mkdirSync(cwd)
  const cases = `<testcase classname="Cart" name="adds"/><testcase classname="Cart" name="pays"><failure/></testcase>`
  writeFileSync(join(cwd, "junit.xml"), `<testsuite name="cart">${cases}</testsuite>`)
  const env = { PATH: "/usr/bin:/bin", HOME: cwd, LAZARET_URL: url, LAZARET_TOKEN: server.key }
  const run = (...args: ReadonlyArray<string>) => Program.run({ command: Plan.pathOf("cli"), args, cwd, env })
  const where = [
    "--repo",
    "acme/widgets",
    "--pipeline",
    "CI",
    "--job",
    "unit",
    "--commit",
    "a1b2c3",
    "--branch",
    "main"
  ]
  const steps: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: number, said: string]> = [
    [["--version"], 0, Plan.version],
    [["ingest", ...where, "junit.xml"], 0, "junit.xml"],
    [["tests", "search", "--repo", "acme/widgets"], 0, "Cart.pays"],
    [["run", ...where, "--reports", "junit.xml", "--", "sh", "-c", "touch junit.xml; exit 1"], 10, "Cart.pays"]
  ]
  const problems: Array<string> = []
  for (const [args, code, said] of steps) {
    const ended = await run(...args)
    if (ended.code !== code || !ended.output.includes(said)) {
      problems.push(`lazaret ${args.join(" ")} ended with ${ended.code} and printed\n${ended.output}`)
    }
  }
  return problems
}

/** The dashboard and the file that CI jobs load are there. */
export const dashboard = async ({ url }: Server): Promise<ReadonlyArray<string>> => {
  const missing: Array<string> = []
  for (const [path, beginning] of [
    ["/", "<!doctype html>"],
    ["/cli/lazaret.mjs", "#!/usr/bin/env node"]
  ] as const) {
    const response = await fetch(`${url}${path}`, { headers: { accept: "text/html" } })
    const text = await response.text()
    if (!text.toLowerCase().startsWith(beginning))
      missing.push(`${path} answers ${response.status}: ${text.slice(0, 100)}`)
  }
  return missing
}

/** The tests that an archive has for itself, against the server. */
export const ownTests = async ({ url, ...server }: Server, folder: string): Promise<ReadonlyArray<string>> => {
  const env = { ...process.env, LAZARET_URL: url, LAZARET_TOKEN: server.key }
  const { code, output } = await Program.run({ command: process.execPath, args: ["--test"], cwd: folder, env })
  return code === 0 ? [] : [`the tests in ${folder} ended with ${code}\n${output}`]
}
