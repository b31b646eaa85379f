/**
 * Pushes over git's protocol to the simulated GitLab (git's documentation, `gitprotocol-pack`, `gitprotocol-http`).
 *
 * **Details**
 *
 * - A push changes one branch, from the commit that it names: git refuses any other with `failed to update ref`.
 * - Only maintainers push to protected branches: GitLab's hook declines, and says why in the stream for people.
 * - Commits must be whole, with trees and parents that the project has.
 */
import { inflateSync } from "node:zlib"
import * as Lab from "./Lab.ts"

/** The answer to a push. */
export interface Answer {
  readonly status: number
  readonly body: Uint8Array
}

interface Command {
  readonly from: string
  readonly to: string
  readonly branch: string
  readonly isQuiet: boolean
  readonly commits: ReadonlyArray<Buffer>
}

/** The token of a request that proves itself with a name and a password. */
export const tokenOf = (authorization: string | undefined): string | null => {
  const [, encoded] = /^basic (\S+)$/iu.exec(authorization ?? "") ?? []
  return encoded === undefined ? null : (Buffer.from(encoded, "base64").toString().split(":")[1] ?? null)
}

/** Carries a push out. */
export const push = (lab: Lab.Lab, path: string, token: string | null, body: Buffer): Answer => {
  const project = Lab.projectAt(lab, path)
  const level = project?.members.get(token ?? "") ?? 0
  if (!lab.accounts.has(token ?? "")) return refusal(401, "HTTP Basic: Access denied.")
  if (project === undefined || level === 0) return refusal(404, "The project you were looking for could not be found")
  if (level < Lab.roles.developer) return refusal(403, "You are not allowed to push code to this project.")
  const command = read(body)
  if (command === null) return refusal(400, "The request is not as the protocol has it")
  const kept = command.commits.map((content) => project.objects.keep(content))
  const name = `refs/heads/${command.branch}`
  if (kept.includes(null) || project.objects.commit(command.to) === null) {
    return report(["unpack ok", `ng ${name} missing necessary objects`])
  }
  if (project.protectedRefs.has(command.branch) && level < Lab.roles.maintainer) {
    const words = "GitLab: You are not allowed to push code to protected branches on this project."
    return report(["unpack ok", `ng ${name} pre-receive hook declined`], words)
  }
  const present = project.branches.get(command.branch)
  if ((present ?? none) !== command.from) return report(["unpack ok", `ng ${name} failed to update ref`])
  Lab.setBranch(lab, project, { branch: command.branch, to: command.to, isQuiet: command.isQuiet })
  return report(["unpack ok", `ok ${name}`])
}

const none = "0".repeat(40)

const refusal = (status: number, words: string): Answer => ({ status, body: Buffer.from(words) })

const line = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, "0")), content])

const flush = Buffer.from("0000")

/** The report goes through the first band of the stream, and words for people through the second. */
const report = (lines: ReadonlyArray<string>, words: string | null = null): Answer => {
  const said = words === null ? [] : [line(Buffer.from(`\u0002${words}\n`))]
  const inner = Buffer.concat([...lines.map((each) => line(Buffer.from(`${each}\n`))), flush])
  return { status: 200, body: Buffer.concat([...said, line(Buffer.concat([Buffer.from([1]), inner])), flush]) }
}

const read = (body: Buffer): Command | null => {
  const first = linesAt(body, 0)
  const [, from, to, branch, capabilities = ""] =
    /^([0-9a-f]{40}) ([0-9a-f]{40}) refs\/heads\/([^\0]+)\0(.*)$/u.exec(first.lines[0]?.toString().trimEnd() ?? "") ??
    []
  if (from === undefined || to === undefined || branch === undefined || first.lines.length !== 1) return null
  const hasOptions = capabilities.split(" ").includes("push-options")
  const options = hasOptions ? linesAt(body, first.end) : { lines: [], end: first.end }
  const isQuiet = options.lines.some((each) => each.toString().trim() === "ci.skip")
  const commits = unpack(body.subarray(options.end))
  return commits === null ? null : { from, to, branch, isQuiet, commits }
}

/** The lines up to the end of their part. */
const linesAt = (body: Buffer, start: number): { readonly lines: ReadonlyArray<Buffer>; readonly end: number } => {
  const lines: Array<Buffer> = []
  let at = start
  for (;;) {
    const length = Number.parseInt(body.subarray(at, at + 4).toString(), 16)
    if (Number.isNaN(length) || length < 4) return { lines, end: at + 4 }
    lines.push(body.subarray(at + 4, at + length))
    at += length
  }
}

/** The commits of a pack; null for one with other objects, or for other bytes. */
const unpack = (pack: Buffer): ReadonlyArray<Buffer> | null => {
  if (pack.subarray(0, 4).toString() !== "PACK" || pack.readUInt32BE(4) !== 2) return null
  const commits: Array<Buffer> = []
  let at = 12
  for (let left = pack.readUInt32BE(8); left > 0; left -= 1) {
    if ((((pack[at] ?? 0) >> 4) & 7) !== 1) return null
    while (((pack[at] ?? 0) & 128) !== 0) at += 1
    // With `info` the answer has the engine, which knows where the object ends.
    const { buffer, engine } = inflateSync(pack.subarray(at + 1), { info: true }) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    commits.push(buffer)
    at += 1 + engine.bytesWritten
  }
  return commits
}
