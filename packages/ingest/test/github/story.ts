/** GitHub's merge queue in small: pull requests come and go, and everything that happens is delivered. */
import * as fc from "fast-check"

/** A delivery as GitHub sends it. */
export interface Delivered {
  readonly event: string
  readonly payload: object
}

/** The truth at the end of a story. */
export interface Truth {
  /** The queued pull requests in the order in which they came, each with the commit that is checked and its check. */
  readonly queued: ReadonlyArray<{ readonly number: number } & Entry>
}

/** The next event of a pull request; one that makes no sense at that point does not happen. */
const steps = ["enqueue", "group", "start", "succeed", "fail", "suite", "invalidate", "dequeue", "merge"] as const

type Step = (typeof steps)[number]

interface Entry {
  round: string | null
  check: "none" | "pending" | "success" | "failure"
  isOver: boolean
}

const fresh = (): Entry => ({ round: null, check: "none", isOver: false })

interface State {
  at: number
  rounds: number
  readonly queued: Map<number, Entry>
  readonly merged: Set<number>
  readonly deliveries: Array<Delivered>
}

const sha = (number: number): string => number.toString(16).padStart(40, "0")

const iso = (at: number): string => new Date(at * 1000).toISOString().replace(".000Z", "Z")

const repository = (pushedAt: number) => ({
  name: "widgets",
  owner: { login: "acme" },
  default_branch: "main",
  pushed_at: iso(pushedAt)
})

const pullRequest = (state: State, action: string, number: number, fields: object = {}): void => {
  const { reason, ...rest }: { reason?: string } = fields
  state.deliveries.push({
    event: "pull_request",
    payload: {
      action,
      ...(reason === undefined ? {} : { reason }),
      pull_request: {
        id: 1000 + number,
        node_id: `PR_${number}`,
        number,
        title: `Change ${number}`,
        user: { id: 7, login: "octocat" },
        base: { ref: "main" },
        updated_at: iso(state.at),
        merged_at: null,
        merge_commit_sha: null,
        ...rest
      },
      repository: repository(0)
    }
  })
}

const headRef = (number: number): string => `gh-readonly-queue/main/pr-${number}-${sha(1)}`

const mergeGroup = (state: State, action: string, number: number, round: string, reason?: string): void => {
  state.deliveries.push({
    event: "merge_group",
    payload: {
      action,
      ...(reason === undefined ? {} : { reason }),
      merge_group: {
        head_sha: round,
        head_ref: `refs/heads/${headRef(number)}`,
        head_commit: { timestamp: iso(Number.parseInt(round.slice(0, 20), 16)) }
      },
      repository: repository(state.at)
    }
  })
}

/** The name of a round begins with the second in which its commit was made. */
const startRound = (state: State, number: number): string => {
  state.rounds += 1
  const round = state.at.toString(16).padStart(20, "0") + state.rounds.toString(16).padStart(20, "0")
  mergeGroup(state, "checks_requested", number, round)
  return round
}

const checkRun = (state: State, number: number, round: string, fields: object): void => {
  state.deliveries.push({
    event: "check_run",
    payload: {
      action: "completed" in fields ? "completed" : "created",
      check_run: {
        node_id: `CR_${round}`,
        name: "unit",
        head_sha: round,
        status: "in_progress",
        conclusion: null,
        started_at: iso(state.at),
        completed_at: null,
        check_suite: { head_branch: headRef(number) },
        ...fields
      },
      repository: repository(0)
    }
  })
}

const perform: { readonly [S in Step]: (state: State, number: number) => void } = {
  enqueue: (state, number) => {
    if (state.queued.has(number) || state.merged.has(number)) return
    state.queued.set(number, fresh())
    pullRequest(state, "enqueued", number)
  },
  group: (state, number) => {
    const entry = state.queued.get(number)
    if (entry === undefined || entry.round !== null) return
    entry.round = startRound(state, number)
  },
  start: (state, number) => {
    const entry = state.queued.get(number)
    if (typeof entry?.round !== "string" || entry.check !== "none") return
    entry.check = "pending"
    checkRun(state, number, entry.round, {})
  },
  succeed: (state, number) => finish(state, number, "success"),
  fail: (state, number) => finish(state, number, "failure"),
  suite: (state, number) => {
    const entry = state.queued.get(number)
    if (typeof entry?.round !== "string" || entry.check === "none" || entry.check === "pending") return
    entry.isOver = true
    state.deliveries.push({
      event: "check_suite",
      payload: {
        action: "completed",
        check_suite: {
          node_id: `CS_${entry.round}`,
          head_sha: entry.round,
          head_branch: headRef(number),
          conclusion: "success",
          updated_at: iso(state.at)
        },
        repository: repository(0)
      }
    })
  },
  /** The old group still reports its check when the next group runs already. */
  invalidate: (state, number) => {
    const entry = state.queued.get(number)
    if (typeof entry?.round !== "string") return
    const old = entry.round
    mergeGroup(state, "destroyed", number, old, "invalidated")
    state.at += 1
    state.queued.set(number, { ...fresh(), round: startRound(state, number) })
    state.at += 1
    const cancelled = { status: "completed", conclusion: "cancelled", completed_at: iso(state.at), completed: true }
    checkRun(state, number, old, cancelled)
  },
  dequeue: (state, number) => leave(state, number, "MANUAL"),
  merge: (state, number) => leave(state, number, "MERGE")
}

const finish = (state: State, number: number, conclusion: "success" | "failure"): void => {
  const entry = state.queued.get(number)
  if (typeof entry?.round !== "string" || entry.check !== "pending") return
  entry.check = conclusion
  const fields = { status: "completed", conclusion, completed_at: iso(state.at), completed: true }
  checkRun(state, number, entry.round, fields)
}

const leave = (state: State, number: number, reason: "MANUAL" | "MERGE"): void => {
  const entry = state.queued.get(number)
  if (entry === undefined) return
  state.queued.delete(number)
  const isMerged = reason === "MERGE"
  const merge = isMerged ? { merged_at: iso(state.at), merge_commit_sha: entry.round ?? sha(number) } : {}
  if (isMerged) state.merged.add(number)
  if (isMerged) pullRequest(state, "closed", number, merge)
  pullRequest(state, "dequeued", number, { reason, ...merge })
  if (entry.round !== null) mergeGroup(state, "destroyed", number, entry.round, isMerged ? "merged" : "dequeued")
}

const plan = fc.array(
  fc.record({
    step: fc.constantFrom(...steps),
    number: fc.integer({ min: 1, max: 4 }),
    pause: fc.integer({ min: 1, max: 3 })
  }),
  { minLength: 5, maxLength: 60 }
)

/** A story: its deliveries in the order in which GitHub sends them, and what is true at its end. */
export const stories: fc.Arbitrary<{ readonly deliveries: ReadonlyArray<Delivered>; readonly truth: Truth }> = plan.map(
  (steps_) => {
    const state: State = { at: 1_769_860_000, rounds: 0, queued: new Map(), merged: new Set(), deliveries: [] }
    for (const { number, pause, step } of steps_) {
      state.at += pause
      perform[step](state, number)
    }
    const queued = Array.from(state.queued, ([number, entry]) => ({ number, ...entry }))
    return { deliveries: state.deliveries, truth: { queued } }
  }
)
