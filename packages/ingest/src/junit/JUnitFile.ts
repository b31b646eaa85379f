/** The elements of a JUnit XML file, as they open and close. */
import * as CaseList from "../report/CaseList.ts"
import * as Dialect from "../report/Dialect.ts"
import * as Excerpt from "../text/Excerpt.ts"
import * as Filepath from "../text/Filepath.ts"
import * as JUnitCase from "./JUnitCase.ts"
import type { Limits } from "../text/Limits.ts"
import * as KnownFormat from "../report/KnownFormat.ts"
import * as NameAdvice from "../report/NameAdvice.ts"
import * as NodeTestTotals from "./NodeTestTotals.ts"
import * as Outcome from "./Outcome.ts"
import * as RepeatedFiles from "../report/RepeatedFiles.ts"
import type { Parsed } from "../text/Parsed.ts"
import * as SuiteCount from "../report/SuiteCount.ts"
import * as TestName from "../report/TestName.ts"
import * as Warnings from "../text/Warnings.ts"
import type { Refusal } from "../text/Refusal.ts"
import type { Attributes, Handler } from "../xml/Xml.ts"

/** A handler of the events of one file that yields the content at its end. */
export interface JUnitFile extends Handler {
  readonly parsed: () => Parsed
}

/** The state before the first event of a file. */
export const make = (limits: Limits): JUnitFile => new File(limits)

/** A suite that is open, and the case that stands for failures directly in it. */
interface OpenSuite {
  readonly outer: Dialect.Suite
  failed: JUnitCase.JUnitCase | undefined
}

/** A class, because it is the state of a parser: every event of a file of a million elements passes here. */
class File implements JUnitFile {
  private readonly limits: Limits
  private readonly list: CaseList.CaseList
  private readonly warnings: Warnings.Warnings
  private readonly counts = SuiteCount.make()
  private readonly totals = NodeTestTotals.make()
  private readonly open_: Array<OpenSuite> = []
  private suite = Dialect.outermost
  private producer: Dialect.Producer | undefined
  private depth = 0
  private readonly case_ = JUnitCase.make()
  private caseDepth = 0
  private failure: Outcome.FailureElement | undefined
  private failureDepth = 0
  /** Set while a `stackTrace` inside of a failure is open; only then its text counts. */
  private stackDepth = 0
  private failures = 0
  private attempts = 0
  /** The file of the last case that says that a file does not load. */
  private unloaded: string | null = null
  private excused = 0
  private failed = 0
  private unreadableTimes = 0
  private listing: CaseList.Listing = CaseList.separate
  private readonly sources = new Map<string, TestName.Source>()
  private source: TestName.Source | null = null
  private rootFile: string | null = null
  private readonly files = RepeatedFiles.make()

  constructor(limits: Limits) {
    this.limits = limits
    this.list = CaseList.make(limits)
    this.warnings = Warnings.make(limits.warnings)
  }

  open(name: string, attributes: Attributes): Refusal | undefined {
    this.depth += 1
    if (this.depth === 1 && name !== "testsuites" && name !== "testsuite") return notJUnit(name)
    if (this.caseDepth !== 0) this.openInCase(name, attributes)
    else if (name === "testcase") {
      JUnitCase.open(this.case_, attributes)
      this.caseDepth = this.depth
    } else if (name === "testsuite" || name === "testsuites") this.openSuite(name, attributes)
    else if (name === "property") this.suite = Dialect.withProperty(this.suite, attributes)
    else this.openInSuite(name, attributes)
    return undefined
  }

  close(name: string): Refusal | undefined {
    const { depth } = this
    this.depth -= 1
    if (depth === this.caseDepth) return this.closeCase()
    if (depth === this.failureDepth) this.failureDepth = 0
    if (depth === this.stackDepth) this.stackDepth = 0
    return this.caseDepth === 0 && (name === "testsuite" || name === "testsuites") ? this.closeSuite(name) : undefined
  }

  wantsText(): boolean {
    return this.failureDepth !== 0 && (this.depth === this.failureDepth || this.stackDepth !== 0)
  }

  text(text: string): void {
    // One unit more than the limit is enough to know that it must be cut.
    const room = this.limits.stacktraceBytes + 1 - (this.failure?.body.length ?? 0)
    if (this.failure !== undefined && room > 0) this.failure.body += text.length > room ? text.slice(0, room) : text
  }

  comment(text: string): void {
    if (this.depth === 1) this.totals.read(text)
  }

  parsed(): Parsed {
    const incomplete = this.shortfalls()
    for (const each of incomplete) this.warnings.add(SuiteCount.sentence(each))
    const executions = this.list.conclude(this.warnings)
    const isOrderExplained = this.files.warn(this.warnings)
    NameAdvice.add({ ...executions, producer: this.producer, isOrderExplained }, this.warnings)
    if (this.unreadableTimes > 0) {
      const count = Warnings.counted(this.unreadableTimes, "test case")
      this.warnings.add(`The time of ${count} is not a number of seconds: taken as 0.`)
    }
    const known = this.producer === undefined ? undefined : Dialect.producers[this.producer]
    return {
      cases: executions.cases,
      attempts: executions.attempts,
      hasDistinctNames: executions.hasDistinctNames,
      listed: this.list.listed(),
      skippedCount: executions.skipped,
      incomplete,
      warnings: this.warnings.all(),
      context: {
        ...(known?.framework ? { framework: known.framework } : {}),
        ...(known === undefined ? {} : { language: known.language })
      },
      finishedAt: null
    }
  }

  private shortfalls(): Parsed["incomplete"] {
    const suites = this.counts.shortfalls()
    const whole = suites.length === 0 ? this.totals.shortfall(this.failed) : null
    return whole === null ? suites : [whole]
  }

  private openSuite(name: string, attributes: Attributes): void {
    this.open_.push({ outer: this.suite, failed: undefined })
    this.suite = this.withRootFile(name, Dialect.suiteOf(name, attributes, this.suite))
    if (this.suite.producer === "vitest" && name === "testsuite") this.files.add(this.suite.name)
    this.counts.open(attributes, this.listed())
    if (name === "testsuite") this.totals.open(this.failed)
  }

  /** Cypress writes the file only into the empty suite `Root Suite`, which stands before the suites of that file. */
  private withRootFile(element: string, suite: Dialect.Suite): Dialect.Suite {
    if (element === "testsuites") this.rootFile = null
    else if (suite.name === "Root Suite") this.rootFile = suite.file
    return suite.file === null && this.rootFile !== null ? { ...suite, file: this.rootFile } : suite
  }

  private closeSuite(name: string): Refusal | undefined {
    const closed = this.open_.pop()
    this.producer ??= this.suite.producer
    if (closed?.failed !== undefined) this.failed += 1
    const refusal = closed?.failed === undefined ? undefined : this.addFailed(closed.failed, this.suite.nearest)
    if (name === "testsuite") this.totals.close(this.failed)
    this.counts.close(this.listed(), Dialect.comparable(this.suite.producer ?? this.producer))
    this.suite = closed?.outer ?? Dialect.outermost
    return refusal
  }

  private listed(): SuiteCount.Listed {
    return {
      tests: this.list.listed(),
      attempts: this.attempts,
      failures: this.failures,
      excused: this.excused
    }
  }

  private openInCase(name: string, attributes: Attributes): void {
    if (this.failureDepth !== 0) {
      if (name === "stackTrace" && this.depth === this.failureDepth + 1) this.stackDepth = this.depth
      return
    }
    if (name === "property") return JUnitCase.noteProperty(this.case_, attributes)
    const isChild = this.depth === this.caseDepth + 1
    const verdict = isChild ? Outcome.ofChild(name, attributes, this.case_.attributes) : undefined
    if (verdict !== undefined) this.note(this.case_, verdict, attributes)
    else if (isChild && Outcome.isRisky(name, attributes)) this.excused += 1
  }

  /** A failure directly in a suite is a failed case of that suite's name. */
  private openInSuite(name: string, attributes: Attributes): void {
    const suite = this.depth === this.open_.length + 1 ? this.open_.at(-1) : undefined
    if (suite === undefined || this.failureDepth !== 0 || Outcome.ofElement(name) !== "failed") return
    suite.failed ??= JUnitCase.make()
    this.note(suite.failed, "failed", attributes)
  }

  private note(case_: JUnitCase.JUnitCase, verdict: Outcome.Verdict, attributes: Attributes): void {
    if (verdict !== "skipped") this.failures += 1
    this.failure = JUnitCase.note(case_, verdict, attributes)
    if (this.failure !== undefined) this.failureDepth = this.depth
  }

  private closeCase(): Refusal | undefined {
    this.caseDepth = 0
    this.failureDepth = 0
    this.failure = undefined
    const { attributes } = this.case_
    const producer = Dialect.ofCase(attributes, this.suite)
    this.producer ??= producer
    const source = this.sourceOf(TestName.filepath(attributes, this.suite))
    const name = TestName.make(attributes, this.suite, producer, source)
    const conclusion = JUnitCase.conclusionOf(this.case_)
    if (conclusion === "failed") this.failed += 1
    this.failures += JUnitCase.uncounted(this.case_)
    this.attempts += JUnitCase.attempts(this.case_)
    this.excused += JUnitCase.excused(this.case_, producer)
    if (name.trim() === "") return conclusion === "failed" ? this.addNameless() : this.list.skip()
    if (this.isListedAgain(name)) return undefined
    const isAttempt = Dialect.repeatsAttempts(producer) || TestName.isAttempt(attributes) || this.case_.isRetry
    const hasPlace = source !== null || (attributes["classname"] ?? "") !== ""
    return this.add(this.case_, name, source?.path ?? null, this.listingOf(isAttempt, hasPlace, producer))
  }

  /** jest-junit 17 lists a file that does not load twice: with its message, and with the error as JSON. */
  private isListedAgain(name: string): boolean {
    if (this.case_.attributes["classname"] !== unloadedFile) return false
    const isAgain = this.unloaded === name
    this.unloaded = name
    return isAgain
  }

  /** A failed case without a name is one of its suite: a failure must not be lost, nor take the name of the suite's own. */
  private addNameless(): Refusal | undefined {
    const { nearest } = this.suite
    return this.addFailed(this.case_, nearest === "" ? CaseList.nameless : `${nearest}.${CaseList.nameless}`)
  }

  private addFailed(failed: JUnitCase.JUnitCase, name: string): Refusal | undefined {
    const listing = this.listingOf(false, false, undefined)
    return this.add(failed, name || CaseList.nameless, this.sourceOf(this.suite.file)?.path ?? null, listing)
  }

  /** One value for equal ones: the cases of a suite follow one another. */
  private listingOf(isAttempt: boolean, hasPlace: boolean, producer: Dialect.Producer | undefined): CaseList.Listing {
    const { group } = this.suite
    const hasCopies = producer === "java"
    const last = this.listing
    const isEqual = last.group === group && last.isAttempt === isAttempt && last.hasPlace === hasPlace
    if (!isEqual || last.hasCopies !== hasCopies) this.listing = { group, isAttempt, hasPlace, hasCopies }
    return this.listing
  }

  private add(
    case_: JUnitCase.JUnitCase,
    testName: string,
    filepath: string | null,
    listing: CaseList.Listing
  ): Refusal | undefined {
    const durationMs = JUnitCase.durationOf(case_)
    if (durationMs === null) this.unreadableTimes += 1
    return this.list.add(JUnitCase.close(case_, { testName, filepath }, durationMs ?? 0, this.limits), listing)
  }

  /** One value for equal paths: a file's cases follow one another, and there are far fewer files than cases. */
  private sourceOf(written: string | null): TestName.Source | null {
    if (written === null || written === this.source?.written) return written === null ? null : this.source
    const known = this.sources.get(written)
    const path = () => Excerpt.owned(Excerpt.ofUnits(Filepath.relative(written), this.limits.pathLength))
    this.source = known ?? { written: Excerpt.owned(written), path: path() }
    if (known === undefined) this.sources.set(this.source.written, this.source)
    return this.source
  }
}

const notJUnit = (root: string): Refusal =>
  KnownFormat.refusal(
    KnownFormat.ofRoot(root),
    `The root element is <${root.slice(0, 100)}>: JUnit XML begins with <testsuites> or <testsuite>.`
  )

/** The class that jest-junit gives to a file that does not load. */
const unloadedFile = "Test suite failed to run"
