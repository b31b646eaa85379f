/**
 * The objects of git of a simulated project, in memory, with the names that git gives them: what an adapter computes of listings, and
 * writes itself, is checked against them.
 */
import { createHash } from "node:crypto"

/** A commit. */
export interface Commit {
  readonly tree: string
  readonly parents: ReadonlyArray<string>
  readonly message: string
  readonly author: { readonly name: string; readonly email: string }
}

/** An entry of a tree: a file, or a folder. */
export interface Entry {
  readonly mode: "100644" | "040000"
  readonly name: string
  readonly id: string
}

type Files = Readonly<Record<string, string>>

/** The objects of a project. */
export interface Objects {
  readonly commit: (sha: string) => Commit | null
  /** Stores the content of a commit; null when its tree or a parent does not exist. */
  readonly keep: (content: Buffer) => string | null
  readonly write: (made: Partial<Commit> & Pick<Commit, "tree" | "parents">) => string
  /** The tree with these files next to those of another tree, or in their place. A path may have folders. */
  readonly tree: (base: string | null, files: Files) => string
  readonly entries: (tree: string) => ReadonlyArray<Entry>
  /** The files of a tree, by path. */
  readonly files: (tree: string) => Files
  readonly contains: (sha: string, ancestor: string) => boolean
  /** The last common ancestor of a commit and a merge of others; null when there is none. */
  readonly mergeBase: (sha: string, others: ReadonlyArray<string>) => string | null
  /** The tree of a merge of three trees; null when the sides conflict. */
  readonly merge: (base: string, ours: string, theirs: string) => string | null
}

/** No objects. */
export const make = (): Objects => {
  const commits = new Map<string, Commit>()
  const trees = new Map<string, ReadonlyArray<Entry>>()
  const blobs = new Map<string, string>()

  const keepTree = (files: Files): string => {
    const names = [...new Set(Object.keys(files).map((path) => path.split("/")[0] ?? ""))]
    const entries = names.map((name): Entry => {
      const content = files[name]
      if (content !== undefined) return { mode: "100644", name, id: keepBlob(content) }
      const inside = Object.entries(files).filter(([path]) => path.startsWith(`${name}/`))
      const rest = inside.map(([path, text]) => [path.slice(name.length + 1), text] as const)
      return { mode: "040000", name, id: keepTree(Object.fromEntries(rest)) }
    })
    const sorted = entries.toSorted((a, b) => Buffer.compare(keyOf(a), keyOf(b)))
    const parts = sorted.map(({ id, mode, name }) =>
      Buffer.concat([Buffer.from(`${mode === "040000" ? "40000" : mode} ${name}\0`), Buffer.from(id, "hex")])
    )
    const id = nameOf("tree", Buffer.concat(parts))
    trees.set(id, sorted)
    return id
  }

  const keepBlob = (content: string): string => {
    const id = nameOf("blob", Buffer.from(content))
    blobs.set(id, content)
    return id
  }

  const filesOf = (tree: string): Files =>
    Object.fromEntries(
      (trees.get(tree) ?? []).flatMap(({ id, mode, name }) =>
        mode === "100644"
          ? [[name, blobs.get(id) ?? ""]]
          : Object.entries(filesOf(id)).map(([path, text]) => [`${name}/${path}`, text])
      )
    )

  const ancestors = (...from: ReadonlyArray<string>): ReadonlySet<string> => {
    const found = new Set<string>()
    const waiting = [...from]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (found.has(at)) continue
      found.add(at)
      waiting.push(...(commits.get(at)?.parents ?? []))
    }
    return found
  }

  const keep = (content: Buffer): string | null => {
    const made = read(content.toString())
    if (!trees.has(made.tree) || made.parents.some((parent) => !commits.has(parent))) return null
    const sha = nameOf("commit", content)
    commits.set(sha, made)
    return sha
  }

  return {
    commit: (sha) => commits.get(sha) ?? null,
    keep,
    write: ({ author = nobody, message = "change", parents, tree }) => {
      const person = `${author.name} <${author.email}> 1767225600 +0000`
      const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${person}`]
      return keep(Buffer.from(`${lines.join("\n")}\ncommitter ${person}\n\n${message}\n`)) ?? ""
    },
    tree: (base, files) => keepTree({ ...(base === null ? {} : filesOf(base)), ...files }),
    entries: (tree) => trees.get(tree) ?? [],
    files: filesOf,
    contains: (sha, ancestor) => ancestors(sha).has(ancestor),
    mergeBase: (sha, others) => {
      const theirs = ancestors(...others)
      const common = [...ancestors(sha)].filter((each) => theirs.has(each))
      return common.find((each) => !common.some((other) => other !== each && ancestors(other).has(each))) ?? null
    },
    merge: (base, ours, theirs) => {
      const merged = mergeFiles(filesOf(base), filesOf(ours), filesOf(theirs))
      return merged === null ? null : keepTree(merged)
    }
  }
}

const nobody = { name: "nobody", email: "nobody@example.com" }

const nameOf = (kind: string, content: Buffer): string =>
  createHash("sha1").update(`${kind} ${content.length}\0`).update(content).digest("hex")

const keyOf = ({ mode, name }: Entry): Buffer => Buffer.from(mode === "040000" ? `${name}/` : name)

const read = (text: string): Commit => {
  const end = text.indexOf("\n\n")
  const lines = text.slice(0, end).split("\n")
  const valuesOf = (key: string) =>
    lines.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []))
  const [, name = "", email = ""] = /^(.*) <(.*)> /u.exec(valuesOf("author")[0] ?? "") ?? []
  const message = text.slice(end + 2).replace(/\n$/u, "")
  return { tree: valuesOf("tree")[0] ?? "", parents: valuesOf("parent"), message, author: { name, email } }
}

/** Every file is a unit: two sides that change one differently conflict. */
const mergeFiles = (base: Files, ours: Files, theirs: Files): Files | null => {
  const merged: Record<string, string> = {}
  for (const path of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const [before, mine, yours] = [base[path], ours[path], theirs[path]]
    if (mine !== yours && mine !== before && yours !== before) return null
    const file = mine === before ? yours : mine
    if (file !== undefined) merged[path] = file
  }
  return merged
}
