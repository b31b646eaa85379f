/**
 * A push to GitLab, as git's protocol over HTTP has it: changes of branches, each by compare-and-set, and the commits that are new.
 *
 * See git's documentation `gitprotocol-pack` and `gitprotocol-http`. The objects that commits refer to are at the server.
 */
import * as GitObject from "./GitObject.ts"

/** A change of a branch. `from` null: it must not exist. */
export interface Change {
  readonly branch: string
  readonly from: string | null
  readonly to: string
}

/** A push. `isQuiet` asks GitLab to start no pipeline for it (push option `ci.skip`). */
export interface Push {
  readonly change: Change
  readonly commits: ReadonlyArray<GitObject.Written>
  readonly isQuiet: boolean
}

/** The answer to a push: the reason of a refusal, null without one; and the words that the server wrote for people. */
export interface Report {
  readonly refusal: string | null
  readonly words: string
}

const flush = Buffer.from("0000")

const line = (text: string): Uint8Array => {
  const content = Buffer.from(text)
  return Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, "0")), content])
}

/** The body of the request. */
export const bodyOf = ({ change: { branch, from, to }, commits, isQuiet }: Push): Uint8Array => {
  const format = to.length === 64 ? "sha256" : "sha1"
  const options = isQuiet ? " push-options" : ""
  const capabilities = `report-status side-band-64k${options} object-format=${format} agent=lazaret`
  const old = from ?? "0".repeat(to.length)
  return Buffer.concat([
    line(`${old} ${to} refs/heads/${branch}\0 ${capabilities}`),
    flush,
    ...(isQuiet ? [line("ci.skip"), flush] : []),
    GitObject.pack(commits)
  ])
}

/**
 * Reads an answer; null for one that is not as the protocol has it, or that ends early: nobody knows then what it did.
 */
export const reportOf = (answer: Uint8Array): Report | null => {
  const bands = linesOf(Buffer.from(answer))
  if (bands === null) return null
  const ofBand = (band: number) =>
    Buffer.concat(bands.filter((each) => each[0] === band).map((each) => each.subarray(1)))
  const report = linesOf(ofBand(1))?.map((each) => each.toString().trimEnd()) ?? null
  const words = [ofBand(2), ofBand(3)].map((each) => each.toString()).join("")
  const said = words
    .replaceAll(/^\s*(?:remote:)?\s*/gmu, "")
    .replaceAll(/\s*\n\s*/gu, " ")
    .trim()
  const unpacked = report?.find((each) => each.startsWith("unpack "))
  const outcome = report?.find((each) => /^(?:ok|ng) /u.test(each))
  if (unpacked === undefined || outcome === undefined) return null
  if (outcome.startsWith("ok ")) return { refusal: null, words: said }
  const [, reason = outcome] = /^ng \S+ (.*)$/u.exec(outcome) ?? []
  return { refusal: unpacked === "unpack ok" ? reason : `${reason}: ${unpacked}`, words: said }
}

/** The lines of a stream of git, those that end it left out; null for one that is not whole. */
const linesOf = (bytes: Buffer): ReadonlyArray<Buffer> | null => {
  const lines: Array<Buffer> = []
  for (let at = 0; at < bytes.length;) {
    const length = Number.parseInt(bytes.subarray(at, at + 4).toString(), 16)
    if (Number.isNaN(length) || (length !== 0 && length < 4) || at + length > bytes.length) return null
    if (length > 4) lines.push(bytes.subarray(at + 4, at + length))
    at += Math.max(length, 4)
  }
  return lines
}
