/**
 * The commits and branches of a simulated repository. `History.memory` keeps them in memory, `GitHistory.make` in a bare
 * repository of git: a test runs over both, so that the fast form cannot drift from what git does.
 */
import { createHash } from "node:crypto"

/** A commit. `parents` are in their order; `author` is null where nobody was named. */
export interface Commit {
  readonly tree: string
  readonly parents: ReadonlyArray<string>
  readonly message: string
  readonly author: Author | null
}

/** The author of a commit. */
export interface Author {
  readonly name: string
  readonly email: string
}

/**
 * Commits, trees and branches.
 *
 * **Laws**
 *
 * - Equal contents are one tree, however they came about.
 * - `move` is a compare-and-set: it changes nothing, and yields false, when the branch is not at `from`. `from` null: it must not
 *   exist; undefined: it may be anywhere. `to` null removes the branch.
 * - `merge` yields the tree of a merge, null when the sides conflict.
 */
export interface History {
  readonly commit: (sha: string) => Commit | null
  readonly write: (made: Commit) => string
  /** The tree with these files next to those of another tree, or in their place. */
  readonly tree: (base: string | null, files: Readonly<Record<string, string>>) => string
  /** The files of a commit, by path. */
  readonly files: (sha: string) => Readonly<Record<string, string>>
  readonly merge: (ours: string, theirs: string) => string | null
  /** Whether a commit is, or descends from, another one. */
  readonly contains: (sha: string, ancestor: string) => boolean
  readonly branches: () => ReadonlyMap<string, string>
  readonly move: (branch: string, change: Move) => boolean
}

/** A change of a branch. */
export interface Move {
  readonly from: string | null | undefined
  readonly to: string | null
}

type Files = Readonly<Record<string, string>>

/** A history in memory, without a commit. */
export const memory = (): History => {
  const commits = new Map<string, Commit>()
  const trees = new Map<string, Files>()
  const branches = new Map<string, string>()
  const keep = (files: Files): string => {
    const sorted = Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const sha = digest("tree", sorted)
    trees.set(sha, sorted)
    return sha
  }
  const filesOf = (sha: string): Files => trees.get(commits.get(sha)?.tree ?? "") ?? {}
  const ancestors = (sha: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const waiting = [sha]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (found.has(at)) continue
      found.add(at)
      waiting.push(...(commits.get(at)?.parents ?? []))
    }
    return found
  }
  return {
    commit: (sha) => commits.get(sha) ?? null,
    write: (made) => {
      const sha = digest("commit", made)
      commits.set(sha, made)
      return sha
    },
    tree: (base, files) => keep({ ...trees.get(base ?? ""), ...files }),
    files: filesOf,
    merge: (ours, theirs) => {
      const [ofOurs, ofTheirs] = [ancestors(ours), ancestors(theirs)]
      const common = [...ofOurs].filter((sha) => ofTheirs.has(sha))
      const base = common.find((sha) => !common.some((other) => other !== sha && ancestors(other).has(sha)))
      const merged = mergeFiles(base === undefined ? {} : filesOf(base), filesOf(ours), filesOf(theirs))
      return merged === null ? null : keep(merged)
    },
    contains: (sha, ancestor) => ancestors(sha).has(ancestor),
    branches: () => branches,
    move: (branch, { from, to }) => {
      if (from !== undefined && (branches.get(branch) ?? null) !== from) return false
      if (to === null) branches.delete(branch)
      else branches.set(branch, to)
      return true
    }
  }
}

const digest = (kind: string, content: unknown): string =>
  createHash("sha1")
    .update(`${kind} ${JSON.stringify(content)}`)
    .digest("hex")

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
