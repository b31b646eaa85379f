/** The elements of a JUnit XML file, as they open and close. */
import * as CaseList from "./CaseList.ts"
import * as Dialect from "./Dialect.ts"
import * as JUnitCase from "./JUnitCase.ts"
import * as Excerpt from "./Excerpt.ts"
import type { Limits } from "./Limits.ts"
import * as KnownFormat from "./formats/KnownFormat.ts"
import * as Outcome from "./Outcome.ts"
import type { Parsed } from "./Parsed.ts"
import * as SuiteCount from "./SuiteCount.ts"
import * as Warnings from "./Warnings.ts"
import type { Refusal } from "./Refusal.ts"
import type { Attributes, Handler } from "./Xml.ts"

/** A handler of the events of one file that yields the content at its end. */
export interface JUnitFile extends Handler {
  readonly parsed: () => Parsed
}

/** The cases that are looked at to find out which producer wrote the file. */
const casesToLookAt = 20

/** A file of which nothing is read yet. */
export const make = (limits: Limits): JUnitFile => new File(limits)

/** A class, because it is the state of a parser: every event of a file of a million elements passes here. */
class File implements JUnitFile {
  private readonly limits: Limits
  private readonly list: CaseList.CaseList
  private readonly warnings: Warnings.Warnings
  private readonly counts = SuiteCount.make()
  private readonly suites: Array<Dialect.Suite> = []
  private suite = Dialect.noSuite
  private producer: Dialect.Producer | undefined
  private depth = 0
  private readonly case_ = JUnitCase.make()
  private caseDepth = 0
  private failure: Outcome.FailureElement | undefined
  private failureDepth = 0
  /** Set while a `stackTrace` inside of a failure is open; only then its text counts. */
  private stackDepth = 0
  private failures = 0
  private unreadableTimes = 0
  private readonly paths = new Map<string, string>()
  private lastPath = ""

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
    else if (name === "property") this.producer ??= Dialect.ofProperty(attributes)
    return undefined
  }

  close(name: string): Refusal | undefined {
    const { depth } = this
    this.depth -= 1
    if (this.caseDepth === 0) {
      if (name === "testsuite" || name === "testsuites") this.closeSuite()
      return undefined
    }
    if (depth === this.caseDepth) return this.closeCase()
    if (depth === this.failureDepth) this.failureDepth = 0
    if (depth === this.stackDepth) this.stackDepth = 0
    return undefined
  }

  wantsText(): boolean {
    return this.failureDepth !== 0 && (this.depth === this.failureDepth || this.stackDepth !== 0)
  }

  text(text: string): void {
    // One unit more than the limit is enough to know that it must be cut.
    const room = this.limits.stacktraceBytes + 1 - (this.failure?.body.length ?? 0)
    if (this.failure !== undefined && room > 0) this.failure.body += text.length > room ? text.slice(0, room) : text
  }

  parsed(): Parsed {
    const executions = this.list.conclude(this.warnings)
    const incomplete = this.counts.shortfalls()
    for (const each of incomplete) this.warnings.add(SuiteCount.sentence(each))
    if (this.unreadableTimes > 0) {
      this.warnings.add(`${this.unreadableTimes} test cases have a time that is no number of seconds: taken as 0.`)
    }
    const known = this.producer === undefined ? undefined : Dialect.producers[this.producer]
    return {
      cases: executions.cases,
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

  private openSuite(name: string, attributes: Attributes): void {
    this.producer ??= Dialect.ofSuite(name, attributes)
    this.suites.push(this.suite)
    if (name === "testsuite") this.suite = Dialect.suiteOf(attributes, this.suite)
    this.counts.open(attributes, this.listed())
  }

  private closeSuite(): void {
    this.counts.close(this.listed(), Dialect.comparable(this.producer, this.suite))
    this.suite = this.suites.pop() ?? Dialect.noSuite
  }

  private listed(): SuiteCount.Listed {
    return { tests: this.list.listed(), failures: this.failures }
  }

  private openInCase(name: string, attributes: Attributes): void {
    if (this.failureDepth !== 0) {
      if (name === "stackTrace" && this.depth === this.failureDepth + 1) this.stackDepth = this.depth
      return
    }
    const verdict = this.depth === this.caseDepth + 1 ? Outcome.ofElement(name) : undefined
    if (verdict === undefined) return
    if (verdict !== "skipped") this.failures += 1
    this.failure = JUnitCase.note(this.case_, verdict, attributes)
    if (this.failure !== undefined) this.failureDepth = this.depth
  }

  private closeCase(): Refusal | undefined {
    this.caseDepth = 0
    this.failure = undefined
    const { attributes } = this.case_
    if (this.producer === undefined && this.list.listed() < casesToLookAt) {
      this.producer = Dialect.ofCase(attributes, this.suite)
    }
    const testName = Dialect.testName(attributes, this.suite, this.producer)
    if (testName === "" || testName.trim() === "") return this.list.skip()
    if (JUnitCase.failsByStatus(this.case_)) this.failures += 1
    const durationMs = JUnitCase.durationOf(this.case_)
    if (durationMs === null) this.unreadableTimes += 1
    const filepath = this.kept(Dialect.filepath(attributes, this.suite))
    return this.list.add(
      JUnitCase.close(this.case_, { testName, filepath }, durationMs ?? 0, this.limits),
      this.suite.group
    )
  }

  /** One text for equal paths: a file's cases follow one another, and there are far fewer files than cases. */
  private kept(path: string | null): string | null {
    if (path === null || path === this.lastPath) return path === null ? null : this.lastPath
    const known = this.paths.get(path)
    this.lastPath = known ?? Excerpt.owned(Excerpt.ofUnits(path, this.limits.pathLength))
    if (known === undefined) this.paths.set(this.lastPath, this.lastPath)
    return this.lastPath
  }
}

const notJUnit = (root: string): Refusal =>
  KnownFormat.refusal(
    KnownFormat.ofRoot(root),
    `The root element is <${root.slice(0, 100)}>: JUnit XML begins with <testsuites> or <testsuite>.`
  )
