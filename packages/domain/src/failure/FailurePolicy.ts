/**
 * The numbers of the verdict on a failure in one value (see `docs/explanation/failure-verdict.md`).
 *
 * Every number is a rate, a likelihood or a bound, none of them is a verdict. Where nothing else is said they were chosen in
 * November 2026 on generated repositories of the training seeds and on the first years of two real histories.
 */
import { Schema } from "effect"
import type { Kind } from "./FailureMessage.ts"

/**
 * Schema of the causes of a failure.
 *
 * **Details**
 *
 * - `flake`: the test itself. `change`: the change, on the default branch the commit. `base`: the base was already broken.
 * - `environment`: something outside of the repository, for a while. `dependency`: something outside that stays, such as a release of a library.
 */
export const Cause = Schema.Literals(["flake", "change", "base", "environment", "dependency"])

/** A cause of a failure. */
export type Cause = typeof Cause.Type

/** A number for each cause. */
export type PerCause = { readonly [C in Cause]: number }

/** Schema of the kinds of evidence (see `docs/explanation/failure-verdict.md` for each). */
export const EvidenceKind = Schema.Literals([
  "passed_on_rerun",
  "attempts",
  "history",
  "changes",
  "base",
  "jobs",
  "message",
  "run",
  "elsewhere",
  "branch",
  "next",
  "outage",
  "calibration"
])

/** A kind of evidence. */
export type EvidenceKind = typeof EvidenceKind.Type

/** How far back and how far apart facts count. */
export interface Windows {
  readonly memoryDays: number
  readonly elsewhereHours: number
}

/** A rate that is not known yet: as if `of` cases had been seen, `count` of them. */
export interface Prior {
  readonly count: number
  readonly of: number
}

/**
 * The policy.
 *
 * **Details**
 *
 * - `decidedFrom`: a cause with less than this is `undecided`: below, the odds are less than 3 to 2.
 * - `eitherFrom`: a broken base and something outside with this much together are not this change: the more probable one is named, although neither
 *   has `decidedFrom`.
 * - `outageAgainst`: an outage that health does not see and no other run shows needs this much: an excused break costs more than a
 *   first victim without a verdict. `ownOutageAgainst` is the same for a message that speaks of the code.
 * - `firstFlakeAgainst`: the first flake of a test where nothing shows that tests flake here needs this much, for the same reason.
 * - `changeAgainst`: a change needs this much where something outside has more than `mayBeOutside`: nobody is blamed for an outage.
 * - `memoryDays`, `elsewhereHours`: how far back facts count, and how far apart failures are "at about the same time".
 * - `coldRuns`: with fewer runs of the default branch, the answer says how little it knows.
 * - `rates`: `flakyTests` is the share of tests that flake at all, `flakyRate` how often such a test does; `firstFlakes` how often a
 *   test that never flaked does, per run of the job. `brokenChanges` and `brokenCommits` are runs of pull requests and commits of the
 *   default branch that break something, `outages` the runs that an outage hits, `outageAgain` those within `elsewhereHours` of one, `dependencies` the share of outages that stay. `halfLifeRuns`: runs of the
 *   default branch after which an outcome counts half. `unseenBase`: how many times as often the base was broken since it passed last as a commit breaks it.
 *   `newTest`: that a test which has not run on the base fails because of the change. Where the base looked like an outage: `brokenOutage` are
 *   the odds that it was a break, `brokenNetwork` with a message of a network or machine, divided by `outageLasts` or `networkLasts` for each further
 *   commit; else it lasts with `lasts` and then hits a test with `lastingHit`. `fewer`: that much fewer tests fail than there.
 * - `otherBranches`: how many flakes a failure of the test on another branch stands for that never passed there, with the `same` message or a
 *   `different` one; times `lasting` while the base has not passed since, times `otherJob` in another job.
 * - `sizes`: how many times as often a cause hits four times as many tests. `earlier`: failures on earlier commits of the branch with the `same`
 *   message or an `other` one; a flake has at most its own rate.
 * - `jobs`: `some` that a cause is at work in this job alone, `newJob` the same for a job that never ran on the default branch, `passing` that a job passes although it is at work there, `other` that one fails where it is not;
 *   `together` is the least rate at which a flake fails in another job as well.
 * - `noise`: tests that never flaked may do so `factor` times as often as is known, with a probability of `share` while nothing is known.
 * - `next`: that the test fails again in the next run of the default branch, and that it passes there, by cause; a flake fails again with its own rate.
 * - `attempts`: that one more attempt fails, by cause; outside, once for the run. `passes`: that the next one passes, by cause.
 * - `message`: how likely a message is, by cause and kind; and by what is known of it (`known` in a flake of the test, `knownNetwork` the same for
 *   a message of a network or a machine, because that flake may have been an outage; `other` than in those, `seen` or `unseen` in the repository, `same` or `different` on the base). `pastOutage` multiplies causes outside when a message of
 *   an earlier outage comes back.
 * - `pattern`: how likely the failures of a run, at least `tests`, share one message, or have different ones, by cause; and, from `many` on, lie for three
 *   quarters in one file, for a quarter in one (`someFiles`), or in many. `beside`: that a flake is in the file of another one by chance.
 * - `elsewhere`: that the same test fails on an unrelated branch at the same time.
 * - `excused`: bits against other causes when health excuses the run as an outage: few at first sight, once for the run, because health excuses two
 *   commits of every mass break; after a pass of the same code, enough to say what health says.
 */
export interface FailurePolicy extends Windows {
  readonly decidedFrom: number
  readonly eitherFrom: number
  readonly outageAgainst: number
  readonly ownOutageAgainst: number
  readonly firstFlakeAgainst: number
  readonly changeAgainst: number
  readonly mayBeOutside: number
  readonly coldRuns: number
  readonly rates: {
    readonly flakyTests: Prior
    readonly flakyRate: Prior
    readonly firstFlakes: Prior
    readonly brokenChanges: Prior
    readonly brokenCommits: Prior
    readonly outages: Prior
    readonly outageAgain: number
    readonly dependencies: number
    readonly halfLifeRuns: number
    readonly unseenBase: number
    readonly newTest: number
    readonly lasts: number
    readonly lastingHit: number
    readonly fewer: number
    readonly brokenOutage: number
    readonly brokenNetwork: number
    readonly outageLasts: number
    readonly networkLasts: number
  }
  readonly sizes: { readonly change: number; readonly outside: number }
  readonly otherBranches: {
    readonly same: number
    readonly different: number
    readonly lasting: number
    readonly otherJob: number
  }
  readonly earlier: { readonly same: PerCause; readonly other: PerCause }
  readonly jobs: {
    readonly some: number
    readonly newJob: number
    readonly passing: number
    readonly other: number
    readonly together: number
  }
  readonly noise: ReadonlyArray<{ readonly factor: number; readonly share: number }>
  readonly next: { readonly failed: PerCause; readonly passed: PerCause }
  readonly attempts: PerCause
  readonly passes: PerCause
  readonly message: {
    readonly kinds: { readonly [K in Kind]: PerCause }
    readonly known: PerCause
    readonly knownNetwork: PerCause
    readonly other: PerCause
    readonly seen: PerCause
    readonly unseen: PerCause
    readonly same: PerCause
    readonly different: PerCause
    readonly pastOutage: number
  }
  readonly pattern: {
    readonly tests: number
    readonly many: number
    readonly beside: number
    readonly one: PerCause
    readonly mixed: PerCause
    readonly different: PerCause
    readonly oneFile: PerCause
    readonly someFiles: PerCause
    readonly manyFiles: PerCause
  }
  readonly elsewhere: PerCause
  readonly excused: { readonly atFirst: number; readonly afterPass: number }
}

const per = (
  flake: number,
  change: number,
  base: number,
  environment: number,
  dependency: number = environment
): PerCause => ({ flake, change, base, environment, dependency })

/** The policy with every default. */
export const defaults: FailurePolicy = {
  decidedFrom: 0.6,
  eitherFrom: 0.9,
  outageAgainst: 0.8,
  ownOutageAgainst: 0.9,
  firstFlakeAgainst: 0.9,
  changeAgainst: 0.85,
  mayBeOutside: 0.08,
  memoryDays: 60,
  elsewhereHours: 6,
  coldRuns: 20,
  rates: {
    flakyTests: { count: 1.8, of: 11 },
    flakyRate: { count: 2.3, of: 13 },
    firstFlakes: { count: 0.16, of: 29 },
    brokenChanges: { count: 1.4, of: 7 },
    brokenCommits: { count: 1.3, of: 22 },
    outages: { count: 0.48, of: 25 },
    outageAgain: 0.63,
    dependencies: 0.028,
    halfLifeRuns: 65,
    unseenBase: 0.11,
    newTest: 0.034,
    lasts: 0.5,
    lastingHit: 0.89,
    fewer: 0.05,
    brokenOutage: 0.22,
    brokenNetwork: 0.031,
    outageLasts: 0.19,
    networkLasts: 0.89
  },
  sizes: { change: 0.2, outside: 2 },
  otherBranches: { same: 0.4, different: 0.15, lasting: 0.2, otherJob: 0.5 },
  earlier: { same: per(0.09, 0.23, 0.5, 0.28, 0.22), other: per(0.02, 0.02, 0.01, 0.11, 0.09) },
  jobs: { some: 0.074, newJob: 0.5, passing: 0.011, other: 0.034, together: 0.02 },
  noise: [
    { factor: 6, share: 0.15 },
    { factor: 40, share: 0.04 }
  ],
  next: { failed: per(0.02, 0.75, 0.75, 0.4, 0.9), passed: per(0.95, 0.25, 0.25, 0.6, 0.1) },
  attempts: per(0.22, 1, 1, 0.5, 1),
  passes: per(0.88, 0.02, 0.02, 0.25, 0.05),
  message: {
    kinds: {
      network: per(0.15, 0.015, 0.031, 0.99, 0.017),
      assertion: per(0.35, 0.94, 0.45, 0.15, 0.15),
      load: per(0.012, 0.46, 0.068, 0.02, 0.5),
      certain: per(0.003, 0.03, 0.03, 0.003, 0.1),
      contention: per(0.15, 0.012, 0.015, 0.06, 0.005),
      timeout: per(0.25, 0.07, 0.07, 0.15, 0.03),
      silent: per(0.08, 0.14, 0.08, 0.13, 0.05),
      other: per(0.12, 0.46, 0.14, 0.02, 0.2)
    },
    known: per(0.99, 0.05, 0.034, 0.16, 0.1),
    knownNetwork: per(0.99, 0.05, 0.034, 0.9, 0.1),
    other: per(0.4, 0.95, 0.9, 0.9, 0.9),
    seen: per(0.63, 0.28, 0.28, 0.72, 0.11),
    unseen: per(0.9, 0.99, 0.17, 0.76, 0.8),
    same: per(0.43, 0.1, 0.5, 0.27, 0.15),
    different: per(0.85, 0.9, 0.051, 0.92, 0.85),
    pastOutage: 30
  },
  pattern: {
    tests: 3,
    many: 8,
    beside: 0.2,
    one: per(0.1, 0.14, 0.4, 0.9, 0.9),
    mixed: per(0.5, 0.63, 0.5, 0.2, 0.2),
    different: per(0.9, 0.6, 0.6, 0.02, 0.02),
    oneFile: per(0.05, 0.85, 0.8, 0.35, 0.3),
    someFiles: per(0.3, 0.11, 0.15, 0.45, 0.5),
    manyFiles: per(0.65, 0.04, 0.05, 0.2, 0.2)
  },
  elsewhere: per(0.07, 0.013, 0.31, 0.63, 0.39),
  excused: { atFirst: 4, afterPass: 40 }
}
