/** Pull requests as GitHub's GraphQL has them. */
import type { PullSnapshot } from "@lazaret/services"
import { Schema } from "effect"

/** The fields of a pull request in a query. */
export const fields = `id number state isDraft isInMergeQueue headRefOid baseRefName mergeable reviewDecision
  labels(first: 100) { nodes { name } } mergeCommit { oid tree { oid } }`

/** Schema of a commit in an answer. */
export const Commit = Schema.Struct({ oid: Schema.String, tree: Schema.Struct({ oid: Schema.String }) })

/** Schema of a list in an answer. */
export const nodes = <S extends Schema.Top>(schema: S) => Schema.Struct({ nodes: Schema.Array(schema) })

/** Schema of a pull request in an answer. */
export const Pull = Schema.Struct({
  id: Schema.String,
  number: Schema.Int,
  state: Schema.Literals(["OPEN", "CLOSED", "MERGED"]),
  isDraft: Schema.Boolean,
  isInMergeQueue: Schema.Boolean,
  headRefOid: Schema.String,
  baseRefName: Schema.String,
  mergeable: Schema.Literals(["MERGEABLE", "CONFLICTING", "UNKNOWN"]),
  reviewDecision: Schema.NullOr(Schema.String),
  labels: Schema.NullOr(nodes(Schema.Struct({ name: Schema.String }))),
  mergeCommit: Schema.NullOr(Commit)
})

const states = { OPEN: "open", CLOSED: "closed", MERGED: "merged" } as const
const mergeables = { MERGEABLE: true, CONFLICTING: false, UNKNOWN: null } as const

/** The pull request as the port has it, without its removals. */
export const snapshotOf = (pull: typeof Pull.Type): PullSnapshot => ({
  number: pull.number,
  state: states[pull.state],
  draft: pull.isDraft,
  head: pull.headRefOid,
  base: pull.baseRefName,
  mergeable: mergeables[pull.mergeable],
  approved: pull.reviewDecision === null || pull.reviewDecision === "APPROVED",
  labels: pull.labels?.nodes.map(({ name }) => name) ?? [],
  landed:
    pull.state === "MERGED" && pull.mergeCommit !== null
      ? { sha: pull.mergeCommit.oid, tree: pull.mergeCommit.tree.oid }
      : null,
  removal: null
})
