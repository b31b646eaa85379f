/**
 * How well each cause explains a failure on its own: the pieces of evidence with their bits, without the other failures of its run.
 */
import * as Rates from "./CauseRates.ts"
import * as Facts from "./FailureFacts.ts"
import * as Message from "./FailureMessage.ts"
import { Cause, type EvidenceKind, type FailurePolicy, type PerCause } from "./FailurePolicy.ts"

/** The causes, in the order of lists. */
export const causes: ReadonlyArray<Cause> = Cause.literals

/** The bits of one kind of evidence for each cause. */
export interface Piece {
  readonly kind: EvidenceKind
  readonly bits: PerCause
}

/**
 * The messages, files and attempts of the failures of a job run together; `files` is null where the file of a test is not known. `elsewhere` of them
 * fail on an unrelated branch, too.
 */
export interface Run {
  readonly failures: number
  readonly groups: ReadonlyMap<string, number>
  readonly files: ReadonlyMap<string, number> | null
  readonly attempts: number
  readonly elsewhere: number
}

export const runOf = (failures: ReadonlyArray<Facts.FailureFacts>, policy: FailurePolicy): Run => {
  const groups = new Map<string, number>()
  const files = new Map<string | null, number>()
  for (const facts of failures) {
    groups.set(groupOf(facts), (groups.get(groupOf(facts)) ?? 0) + 1)
    files.set(fileOf(facts), (files.get(fileOf(facts)) ?? 0) + 1)
  }
  const attempts = Math.min(...failures.map((facts) => Facts.failedAttempts(facts) - facts.failure.attempts))
  return {
    failures: failures.length,
    groups,
    files: haveNames(files) ? files : null,
    attempts: Math.min(4, attempts),
    elsewhere: failures.filter((facts) => Facts.unrelatedRuns(facts, policy).length > 0).length
  }
}

const haveNames = (files: ReadonlyMap<string | null, number>): files is ReadonlyMap<string, number> => !files.has(null)

const groupOf = ({ failure }: Facts.FailureFacts): string => failure.signature ?? "silent"

/** How many failures of the run have the message of one of them. */
const alike = ({ groups }: Run, facts: Facts.FailureFacts): number => groups.get(groupOf(facts)) ?? 1

/** The file of a test, else the suite in its name; null where neither is known. */
const fileOf = ({ failure: { file, testName } }: Facts.FailureFacts): string | null => {
  if (file !== null) return file
  const [suite, title] = testName.split(/ [›>] |::/u)
  return title === undefined ? null : (suite ?? null)
}

/**
 * A failure on its own: how well each cause explains it, without the other failures of its run.
 *
 * **Details**
 *
 * `fits` leaves out the other jobs for causes that are at work in all jobs or in this one alone (`siblings`).
 */
export interface Own {
  readonly pieces: ReadonlyArray<Piece>
  readonly fits: PerCause
  readonly siblings: { readonly passed: number; readonly failed: number }
  readonly everywhere: number
  readonly hereAlone: number
  readonly firstShare: number
  readonly unseen: number
  readonly elsewhere: number
  readonly isNew: boolean
  readonly rate: Rates.FlakeRate
  readonly baseBroken: number
  readonly isOutageOnBase: boolean
  readonly messageShare: number
  readonly isOneFile: boolean
}

interface Context {
  readonly policy: FailurePolicy
  readonly rates: Rates.CauseRates
  readonly run: Run
}

export const ownOf = (facts: Facts.FailureFacts, context: Context): Own => {
  const { policy, rates, run } = context
  const rate = Rates.flakeRate(facts, rates, policy)
  const isOutside = Rates.isOutsideOnBase(facts, alike(run, facts))
  const baseBroken = Rates.baseBroken(facts, rates, { rate: rate.rate, isOutside }, policy)
  const breaks = breaksOf(facts, rates)
  const outside = rates.outages
  const unseen = unseenOf(facts, context)
  const pieces: ReadonlyArray<Piece> = [
    { kind: "history", bits: bitsOf({ ...even, flake: rate.rate }) },
    {
      kind: "changes",
      bits: bitsOf({ ...even, change: breaks, environment: outside, dependency: outside * policy.rates.dependencies })
    },
    { kind: "base", bits: bitsOf({ ...even, flake: 1 - baseBroken, base: baseBroken }) },
    ...likelihoodsOf(facts, context, rate.rate)
  ]
  const fitting = pieces.filter(({ kind }) => kind !== "changes")
  const withoutJobs = fitting.filter(({ kind }) => kind !== "jobs")
  const siblings = Facts.siblingCounts(facts)
  const isElsewhere = pieces.some(({ kind }) => kind === "elsewhere")
  return {
    pieces: unseen === 0 ? pieces : sinceLastPass(pieces, breaks * unseen),
    fits: mapCauses(
      (cause) =>
        2 ** sumBits(cause === "flake" || cause === "base" ? fitting : withoutJobs, cause) *
        (cause === "flake" ? beside(facts, context) : 1)
    ),
    siblings,
    everywhere: everywhere(siblings, policy.jobs),
    hereAlone: hereAlone(siblings, policy.jobs),
    firstShare: Math.min(1, rate.first / rate.rate),
    unseen,
    elsewhere: isElsewhere ? policy.elsewhere.base / policy.elsewhere.change : 1,
    isNew: Facts.baseRow(facts) === null && rates.commits > 0,
    rate,
    baseBroken,
    isOutageOnBase: isOutside,
    messageShare: alike(run, facts) / run.failures,
    isOneFile: run.failures > 1 && 2 * run.failures <= rates.tests && run.files?.size === 1
  }
}

/** How likely tests of one file flake in one run by chance, the part of one of them: most flakes of a run are in different files. */
const beside = (facts: Facts.FailureFacts, { policy: { pattern }, run }: Context): number => {
  const inFile = run.files?.get(fileOf(facts) ?? "") ?? 1
  return pattern.beside ** ((inFile - 1) / inFile)
}

export const breaksOf = ({ failure }: Facts.FailureFacts, rates: Rates.CauseRates): number =>
  failure.isPullRequest ? rates.brokenChanges : rates.brokenCommits

/** How many times as often the base broke since it passed last as the change breaks something. */
const unseenOf = (facts: Facts.FailureFacts, { policy, rates }: Context): number =>
  facts.failure.isPullRequest && Facts.baseRow(facts)?.conclusion === "passed"
    ? (policy.rates.unseenBase * rates.brokenCommits) / rates.brokenChanges
    : 0

/** The pieces where the base may have broken since it passed last, at this rate: it then fails as the change would, and on other branches, too. */
const sinceLastPass = (pieces: ReadonlyArray<Piece>, rate: number): ReadonlyArray<Piece> => {
  const shown: { readonly [K in EvidenceKind]?: (bits: PerCause) => number } = {
    changes: () => 0,
    base: () => Math.log2(rate),
    elsewhere: ({ base }) => base
  }
  return pieces.map(({ bits, kind }) => ({ kind, bits: { ...bits, base: (shown[kind] ?? changeIn)(bits) } }))
}

const changeIn = ({ change }: PerCause): number => change

export const even: PerCause = { flake: 1, change: 1, base: 1, environment: 1, dependency: 1 }

export const mapCauses = (value: (cause: Cause) => number): PerCause => ({
  flake: value("flake"),
  change: value("change"),
  base: value("base"),
  environment: value("environment"),
  dependency: value("dependency")
})

/** The most probable of the causes that are asked about. */
export const mostOf = (of: PerCause, isAsked: (cause: Cause) => boolean): Cause =>
  causes.filter(isAsked).reduce((best, cause) => (of[cause] > of[best] ? cause : best))

/** Nothing is impossible: a cause that facts rule out keeps 1e-18. */
const bitsOf = (likelihoods: PerCause): PerCause => mapCauses((cause) => Math.log2(Math.max(1e-18, likelihoods[cause])))

const scaled = (bits: PerCause, factor: number): PerCause => mapCauses((cause) => bits[cause] * factor)

export const sumBits = (pieces: ReadonlyArray<Piece>, cause: Cause): number =>
  pieces.reduce((sum, { bits }) => sum + bits[cause], 0)

/** The pieces with facts: what is not known says nothing. */
const likelihoodsOf = (facts: Facts.FailureFacts, context: Context, rate: number): ReadonlyArray<Piece> => {
  const { policy, run } = context
  const pieces: Array<Piece> = []
  if (Facts.provingReruns(facts).length > 0) {
    pieces.push({ kind: "passed_on_rerun", bits: bitsOf({ ...even, change: 0, base: 0, dependency: 0 }) })
  }
  const again = Math.min(4, Facts.failedAttempts(facts) - 1)
  if (again > 0) pieces.push({ kind: "attempts", bits: scaled(bitsOf({ ...policy.attempts, environment: 1 }), again) })
  if (facts.siblings.length > 0) pieces.push({ kind: "jobs", bits: jobsOf(facts, rate, context) })
  if (facts.earlier.commits > 0) {
    pieces.push({ kind: "branch", bits: once(bitsOf(earlierOf(facts, rate, policy)), run.failures) })
  }
  if (facts.next.length > 0) pieces.push({ kind: "next", bits: nextOf(facts, context, rate) })
  const message = messageOf(facts, context)
  if (message !== null) pieces.push({ kind: "message", bits: message })
  if (Facts.unrelatedRuns(facts, policy).length > 0) {
    pieces.push({ kind: "elsewhere", bits: once(bitsOf(policy.elsewhere), run.failures / run.elsewhere) })
  }
  if (facts.run.judgement?.isExcused === true) {
    const hasPassed = Facts.provingReruns(facts).length > 0
    const against = hasPassed ? -policy.excused.afterPass : -policy.excused.atFirst / run.failures
    pieces.push({
      kind: "outage",
      bits: { flake: against, change: against, base: against, environment: 0, dependency: against / 2 }
    })
  }
  return pieces
}

/** The bits of a fact that several failures of the run share: chance for each flake, and one fact in `parts` for what broke or failed for all of them. */
const once = (bits: PerCause, parts: number): PerCause => ({ ...scaled(bits, 1 / parts), flake: bits.flake })

/** Failures on earlier commits of the branch: a flake comes back by chance, the other causes last. */
const earlierOf = ({ earlier: { same } }: Facts.FailureFacts, rate: number, { earlier }: FailurePolicy): PerCause =>
  same === 0 ? earlier.other : { ...earlier.same, flake: Math.min(earlier.same.flake, Math.max(rate, 0.02)) }

/** The runs that followed on the default branch, up to the first pass: chance for each test, and one row for what broke or failed for all of them. */
const nextOf = ({ failure, next }: Facts.FailureFacts, { policy, run }: Context, rate: number): PerCause => {
  const passedAt = next.findIndex(({ conclusion }) => conclusion === "passed")
  const failing = passedAt === -1 ? next : next.slice(0, passedAt)
  const { different, same } = policy.message
  let bits = passedAt === -1 ? bitsOf(even) : bitsOf(policy.next.passed)
  for (const { signature } of failing) {
    const isKnown = signature !== null && failure.signature !== null
    const fit = isKnown ? (signature === failure.signature ? same : different) : even
    const lasting = bitsOf({
      ...policy.next.failed,
      flake: Math.min(0.9, Math.min(0.5, Math.max(rate, policy.next.failed.flake)) * (fit.flake / fit.base))
    })
    bits = mapCauses((cause) => bits[cause] + lasting[cause])
  }
  return once(bits, run.failures)
}

/** The other jobs of the commit, for a flake one by one, for a break in all jobs or in this one. */
const jobsOf = (facts: Facts.FailureFacts, rate: number, { policy: { jobs }, rates }: Context): PerCause => {
  const siblings = Facts.siblingCounts(facts)
  const some = someOf(rates, jobs)
  const broken = (1 - some) * everywhere(siblings, jobs) + some * hereAlone(siblings, jobs)
  return {
    flake: (siblings.failed / 2) * Math.log2(Math.max(rate, jobs.together)),
    change: Math.log2(broken),
    base: Math.log2(jobsOnBase(facts, jobs)),
    environment: 0,
    dependency: Math.log2(broken)
  }
}

/** How likely a cause is at work in this job alone: a job that never ran on the default branch may be wrong itself. */
export const someOf = ({ commits }: Rates.CauseRates, { newJob, some }: Jobs): number => (commits === 0 ? newJob : some)

/** A base that is broken fails in as many jobs as it did last. */
const jobsOnBase = (facts: Facts.FailureFacts, { passing }: Jobs): number => {
  const before = Facts.previousRun(facts)
  if (before === null || before.failed === 0) return 1
  return passing ** (Math.min(2, Math.max(0, Facts.siblingCounts(facts).passed - before.passed)) / 2)
}

type Jobs = FailurePolicy["jobs"]

/** How likely the other jobs end as they do when a cause that never passes is at work in all of them. */
const everywhere = ({ failed, passed }: Own["siblings"], { passing }: Jobs): number =>
  passing ** Math.min(20, passed) * (1 - passing) ** failed

/** The same when it is at work in this job alone. */
const hereAlone = ({ failed, passed }: Own["siblings"], { other }: Jobs): number =>
  other ** failed * (1 - other) ** passed

/** The message. Failures with one message say it once, so that each of them has a part of it. */
const messageOf = (facts: Facts.FailureFacts, { policy: { message }, run }: Context): PerCause | null => {
  const { failure } = facts
  const group = alike(run, facts)
  const kind = Message.kindOf(failure.exceptionType, failure.message)
  let bits = scaled(bitsOf(message.kinds[kind]), 1 / group)
  if (failure.signature === null) return bits
  const { signature } = failure
  const add = (fit: PerCause) => {
    const more = scaled(bitsOf(fit), 1 / group)
    bits = mapCauses((cause) => bits[cause] + more[cause])
  }
  if (facts.test.signatures.length > 0) {
    const known = kind === "network" ? message.knownNetwork : message.known
    add(facts.test.signatures.includes(signature) ? known : message.other)
  } else if (facts.earlier.same === 0 && facts.seen !== null) add(facts.seen > 0 ? message.seen : message.unseen)
  const before = Facts.baseRow(facts)?.signature ?? null
  if (before !== null) add(before === signature ? message.same : message.different)
  if (Message.mayBeOutage(kind) && facts.run.outages.some(({ signatures }) => signatures.includes(signature))) {
    add({ ...even, environment: message.pastOutage, dependency: 1 })
  }
  return bits
}
