/**
 * The longest stretch in which one upload keeps the event loop of the server from turning: no other request is answered
 * meanwhile. Each store gets one upload of 195,000 failed cases with stack traces, in the formats that hold that many, then
 * the same tests once more, so that what is stored is read and folded.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { gzipSync } from "node:zlib"
import { ref, secret } from "./http/data.ts"
import * as Database from "./postgres/Database.ts"
import type { Lines } from "./Section.ts"
import type { Stretch } from "./stretch/Sampler.ts"

/** The benchmark of the event loop, with both stores or with that of `--store=`. Aim: no stretch above 100 ms. */
export const stretch: Lines = {
  name: "stretch",
  lines: async function* (options) {
    const isAsked = (store: string) =>
      !options.some((option) => option.startsWith("--store=")) || options.includes(`--store=${store}`)
    if (isAsked("memory")) yield* measured("memory")
    if (!isAsked("postgres")) return
    const server = await Database.start()
    try {
      yield* measured("PostgreSQL", await Database.createEmpty(server, "stretch"))
    } finally {
      await server.close()
    }
  }
}

const cases = 195_000

/** The bodies are made when they are sent: each is some hundred megabytes. */
const uploads = [
  { name: "JUnit XML", type: "application/xml", body: () => junit(1100), commit: "c1" },
  { name: "JUnit XML, the same tests again", type: "application/xml", body: () => junit(1100), commit: "c2" },
  { name: "CTRF, the same tests again", type: "application/json", body: () => ctrf(120), commit: "c3" }
]

async function* measured(store: string, ...parameters: ReadonlyArray<string>): AsyncGenerator<string> {
  const child = fork(new URL("./stretch/server.ts", import.meta.url), parameters)
  try {
    // The first message of the program is its port.
    const [{ port }] = (await once(child, "message")) as [{ readonly port: number }]
    for (const { body, commit, name, type } of uploads) {
      const packed = gzipSync(body())
      await taken(child)
      const start = performance.now()
      await upload(port, { commit, packed, type })
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      yield `stretch: ${cases} failed cases over ${store}, ${name} (${seconds} s)\n  ${line(await taken(child))}`
    }
  } finally {
    child.disconnect()
  }
}

const line = ({ cpu, major, minor, wall }: Stretch): string =>
  `longest stretch ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of processor time; in the latter, collections ` +
  `of all garbage ${major.toFixed(0)} ms, of young objects ${minor.toFixed(0)} ms`

const taken = async (child: ChildProcess): Promise<Stretch> => {
  child.send("take")
  const [found] = (await once(child, "message")) as [Stretch]
  return found
}

interface Upload {
  readonly commit: string
  readonly type: string
  readonly packed: Uint8Array<ArrayBuffer>
}

const upload = async (port: number, { commit, packed, type }: Upload): Promise<void> => {
  const query = new URLSearchParams({ pipeline_name: "CI", job_name: "unit", branch: "main", commit })
  const response = await fetch(
    `http://127.0.0.1:${port}/v1/ci/${ref.owner}/repositories/${ref.repository}/reports?${query}`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": type, "content-encoding": "gzip" },
      body: packed
    }
  )
  if (response.status !== 201) throw new Error(`the upload was answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

const failure = (index: number): string => `expected ${index} to equal ${index + 1} in area ${"abcdefghij"[index % 10]}`

const trace = (index: number, length: number): string =>
  `at keepsLaw${index} (src/area/case.test.ts:${index}:7)\n${"at run (src/runner/execute.ts:120:11)\n".repeat(length / 38)}`

const name = (index: number): string => `keeps law ${index} of the module`

const junit = (length: number): string => {
  const lines = Array.from(
    { length: cases },
    (_, index) =>
      `<testcase classname="Suite${index % 1000}" name="${name(index)}" time="0.01"><failure type="AssertionError" message="${failure(index)}">${trace(index, length)}</failure></testcase>`
  )
  return `<testsuites><testsuite name="all" tests="${cases}" failures="${cases}">${lines.join("\n")}</testsuite></testsuites>`
}

const ctrf = (length: number): string => {
  const tests = Array.from({ length: cases }, (_, index) => ({
    name: name(index),
    status: "failed",
    duration: 10,
    message: failure(index),
    trace: trace(index, length)
  }))
  const summary = { tests: cases, passed: 0, failed: cases, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 }
  return JSON.stringify({
    reportFormat: "CTRF",
    specVersion: "0.0.0",
    results: { tool: { name: "made up" }, summary, tests }
  })
}
