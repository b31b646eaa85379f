/** Small bodies that are large when they are read: many at once, each at the limit of its format. */
import { gzipSync } from "node:zlib"
import { notes, type Part, type Size } from "./Part.ts"
import { type Answer, ask, start, type Target, uploadPath } from "./Target.ts"

/** The most memory that the process may have, in MiB. */
const mostMemory = 1000

/** The sizes of an attack: the number of uploads at once, and the unpacked size of each, in MiB. */
const sizes: Record<Size, { readonly uploads: number; readonly xml: number; readonly json: number }> = {
  short: { uploads: 3, xml: 6, json: 4 },
  full: { uploads: 24, xml: 255, json: 63 }
}

/** The formats of the uploads of one process, in order: what one leaves behind must not add to the next. */
const orders = [
  ["junit", "ctrf"],
  ["ctrf", "junit"]
] as const

/** Uploads of JUnit XML and of CTRF, one format after the other, and bombs that hold nothing. */
export const part: Part = {
  name: "bombs",
  run: async (size) => {
    const { expect, findings } = notes()
    const { json, uploads, xml } = sizes[size]
    const figures: Record<string, number | string> = {}
    const bodies = { junit: gzipSync(junit(xml)), ctrf: gzipSync(ctrf(json)) }
    for (const order of orders) {
      await using target = await start()
      for (const [index, name] of order.entries()) {
        const what = order
          .slice(0, index + 1)
          .toReversed()
          .join(" after ")
        figures[`${what}: MiB before`] = target.peak()
        const answers = await together(target, uploads, name, bodies[name])
        for (const { headers, status, text } of answers) {
          const isRight = status === 201 || (status === 503 && headers.get("retry-after") !== null)
          expect(isRight, `an upload of ${what} at its limit: ${status} ${text.slice(0, 300)}`)
        }
        const recorded = answers.filter(({ status }) => status === 201).length
        expect(recorded > 0, `none of ${uploads} uploads of ${what} was recorded`)
        figures[`${what}: packed KiB`] = Math.round(bodies[name].length / 1024)
        figures[`${what}: recorded of ${uploads}`] = recorded
        figures[`${what}: seconds`] = Math.round(Math.max(...answers.map(({ ms }) => ms)) / 1000)
        figures[`${what}: peak MiB`] = target.peak()
        expect(target.peak() <= mostMemory, `${what}: the process had ${target.peak()} MiB: more than ${mostMemory}`)
      }
    }
    // Packing them takes seconds, in which the server would close the connections that the start has left open.
    const bombs = Object.entries(empty(size))
    await using target = await start()
    for (const [name, body] of bombs) {
      const { status } = await upload(target, name, body)
      expect(status === 413 || status === 422, `a bomb of ${name}: ${status}`)
    }
    figures["bombs: peak MiB"] = target.peak()
    expect(target.peak() <= mostMemory, `bombs: the process had ${target.peak()} MiB: more than ${mostMemory}`)
    const live = await ask(target.url, "/health/live", null)
    expect(live.status === 200, `afterwards /health/live is ${live.status}`)
    return { figures, findings }
  }
}

const together = (target: Target, uploads: number, name: string, body: Buffer): Promise<ReadonlyArray<Answer>> =>
  Promise.all(Array.from({ length: uploads }, (_, index) => upload(target, `${name}-${index}`, body)))

const upload = (target: Target, repository: string, body: Buffer): Promise<Answer> =>
  ask(target.url, uploadPath("noisy", repository, "c1"), target.keys.noisy, {
    method: "POST",
    headers: { "content-type": "application/octet-stream", "content-encoding": "gzip" },
    body: new Uint8Array(body)
  })

const mebibyte = 1_048_576

/** Failing cases with stacks, as many as fit: a small body, and the most work for its bytes. */
const junit = (mebibytes: number): string => {
  const stack = Array.from(
    { length: 12 },
    (_, line) => `    at step${line} (/srv/app/src/module${line}.ts:${line}:7)`
  ).join("\n")
  const one = (index: number) =>
    `<testcase name="law ${index}" classname="suite.C${index % 97}" time="0.01"><failure type="Error" message="expected ${index}">${stack}${"x".repeat(500)}</failure></testcase>\n`
  return filled("<testsuite>", "</testsuite>", mebibytes, one)
}

const ctrf = (mebibytes: number): string => {
  const trace = Array.from({ length: 8 }, (_, line) => `at step${line} (/srv/app/src/module${line}.ts:${line}:7)`).join(
    "\\n"
  )
  const one = (index: number) =>
    `${index === 0 ? "" : ","}{"name":"law ${index}","status":"${index % 3 === 0 ? "failed" : "passed"}","duration":5,"trace":"${trace}"}`
  return filled(`{"results":{"tool":{"name":"vitest"},"tests":[`, "]}}", mebibytes, one)
}

/** As many cases as the limit of 200,000 and the size allow. */
const filled = (head: string, tail: string, mebibytes: number, one: (index: number) => string): string => {
  const pieces = [head]
  let length = head.length + tail.length
  for (let index = 0; index < 195_000; index++) {
    const piece = one(index)
    length += piece.length
    if (length > mebibytes * mebibyte) break
    pieces.push(piece)
  }
  return `${pieces.join("")}${tail}`
}

/** Bodies that are refused while they are read. */
const empty = (size: Size): Readonly<Record<string, Buffer>> => {
  const large = size === "full" ? 400 : 20
  const spaces = " ".repeat(mebibyte)
  return {
    "an end that never comes": gzipSync(`<testsuite>${spaces.repeat(large)}`),
    depth: gzipSync("<a>".repeat(size === "full" ? 1_000_000 : 10_000)),
    attribute: gzipSync(`<testsuite name="${spaces.repeat(32)}`),
    entities: gzipSync(`<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuite name="&b;"/>`),
    arrays: gzipSync("[".repeat(size === "full" ? 10_000_000 : 200_000)),
    "gzip of gzip": gzipSync(gzipSync(spaces.repeat(16)))
  }
}
