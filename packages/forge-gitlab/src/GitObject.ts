/**
 * Objects of git: their names, and the packs in which they travel.
 *
 * GitLab's interface makes no commit of a tree that exists. So commits are written here, and pushed; see `GitPush`.
 */
import { createHash } from "node:crypto"
import { deflateSync } from "node:zlib"
import type { CommitMessage } from "@lazaret/queue"

/** An entry of a tree, as GitLab lists it. */
export interface Entry {
  readonly mode: string
  readonly name: string
  readonly id: string
}

/** A commit that was written here, and its name. */
export interface Written {
  readonly id: string
  readonly content: Uint8Array
}

/** A commit to write; `at` is the time of both people, in milliseconds. */
export interface Creation {
  readonly tree: string
  readonly parents: ReadonlyArray<string>
  readonly message: CommitMessage.Message
  readonly committer: CommitMessage.Author
  readonly at: number
}

/** The name of an object; a repository with longer names than SHA-1 has, has those of SHA-256. */
const nameOf = (kind: "commit" | "tree", content: Uint8Array, algorithm: Algorithm): string =>
  createHash(algorithm).update(`${kind} ${content.length}\0`).update(content).digest("hex")

type Algorithm = "sha1" | "sha256"

const algorithmOf = (id: string): Algorithm => (id.length === 64 ? "sha256" : "sha1")

/**
 * The name of the tree with these entries.
 *
 * **Details**
 *
 * GitLab's interface lists the entries of a tree and does not say its name. It follows from them, because objects of git are named by
 * their content. A folder sorts as if its name ended in a slash.
 *
 * @example
 * ```ts
 * import { GitObject } from "@lazaret/forge-gitlab"
 *
 * GitObject.treeOf([]) // => "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
 * ```
 */
export const treeOf = (entries: ReadonlyArray<Entry>): string => {
  const sorted = entries
    .map((entry) => ({ entry, key: Buffer.from(isFolder(entry) ? `${entry.name}/` : entry.name) }))
    .toSorted((a, b) => Buffer.compare(a.key, b.key))
  const parts = sorted.flatMap(({ entry: { id, mode, name } }) => [
    Buffer.from(`${mode.replace(/^0+/u, "")} ${name}\0`),
    Buffer.from(id, "hex")
  ])
  return nameOf("tree", Buffer.concat(parts), algorithmOf(entries[0]?.id ?? ""))
}

const isFolder = ({ mode }: Entry): boolean => /^0?40000$/u.test(mode)

/** Writes a commit. Without an author of its own its author is the one who commits. */
export const commit = ({ at, committer, message, parents, tree }: Creation): Written => {
  const seconds = Math.floor(at / 1000)
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${personOf(message.author ?? committer)} ${seconds} +0000`,
    `committer ${personOf(committer)} ${seconds} +0000`
  ]
  const text = message.body === "" ? message.title : `${message.title}\n\n${message.body}`
  // A message of git ends with its line, and has no byte zero.
  const content = Buffer.from(`${lines.join("\n")}\n\n${text.replaceAll("\0", "")}\n`)
  return { id: nameOf("commit", content, algorithmOf(tree)), content }
}

/** Characters that git does not allow in a name or an address. */
const personOf = ({ email, name }: CommitMessage.Author): string => `${plain(name)} <${plain(email)}>`

const plain = (text: string): string => text.replaceAll(/[<>\n\0]/gu, "").trim()

/** The number of commits among the kinds of objects in a pack. */
const commitKind = 1

/** A pack of commits, in the form of git's `pack-format`. */
export const pack = (commits: ReadonlyArray<Written>): Uint8Array => {
  const header = Buffer.alloc(12)
  header.write("PACK")
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(commits.length, 8)
  const objects = commits.flatMap(({ content }) => [sizeOf(content.length), deflateSync(content)])
  const body = Buffer.concat([header, ...objects])
  const end = createHash(algorithmOf(commits[0]?.id ?? ""))
    .update(body)
    .digest()
  return Buffer.concat([body, end])
}

/** The kind and the size before an object: four bits of the size in the first byte, seven in each that follows. */
const sizeOf = (size: number): Uint8Array => {
  const bytes = [(commitKind << 4) | (size & 15)]
  for (let rest = size >>> 4; rest > 0; rest >>>= 7) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
