/** The packages of a Go test run, event by event. */
import type { Execution, Instant } from "@lazaret/domain"
import { Result } from "effect"
import * as CaseList from "../report/CaseList.ts"
import * as Duration from "../text/Duration.ts"
import * as FailureText from "../text/FailureText.ts"
import type { Limits } from "../text/Limits.ts"
import * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import { type Refusal, toError } from "../text/Refusal.ts"
import * as Timestamp from "../text/Timestamp.ts"
import * as Warnings from "../text/Warnings.ts"
import * as Attempt from "../report/Attempt.ts"
import * as CaseSink from "../report/CaseSink.ts"
import * as GoOutput from "../report/GoOutput.ts"
import * as KnownFormat from "../report/KnownFormat.ts"

/** An event of test2json; missing fields are empty. `elapsed` is in seconds. */
export interface Event {
  readonly time: string
  readonly action: string
  readonly package: string
  readonly test: string
  readonly output: string
  readonly importPath: string
  readonly failedBuild: string
  readonly elapsed: number
}

/** Takes the lines of a stream in order and yields the report. */
export interface GoRun {
  readonly event: (event: Event) => Refusal | undefined
  /** Takes a line that is not an event: `go` prints build errors this way. */
  readonly text: (line: string) => Refusal | undefined
  /** Records a line of incomplete JSON. */
  readonly torn: (line: number) => undefined
  readonly parsed: () => Result.Result<Parsed, ParseError.ParseError>
}

/** The executions of one test so far; only the last one can get a further attempt. */
interface Test {
  readonly executions: Array<Array<Attempt.Attempt>>
  /** The run of its package in which the last attempt ended. */
  run: number
}

/** `open` holds the tests that have begun and have no end, with what they print. */
interface Package {
  readonly tests: Map<string, Test>
  readonly open: Map<string, GoOutput.GoOutput>
  output: GoOutput.GoOutput
  /** The number of times it ended. */
  runs: number
  /** Whether an event came since it ended last. */
  isOpen: boolean
  hasFailedTest: boolean
  /** Whether it printed that it failed: before Go 1.12 a panic ended a package without an event of its own. */
  hasPrintedEnd: boolean
}

/** A run without packages. */
export const make = (limits: Limits): GoRun => new Run(limits)

/** The test name for a package that fails without a failed test: the function that runs its tests. */
const wholePackage = "TestMain"

/** A class, because it is the state of a parser: every line of a file of a million lines passes here. */
class Run implements GoRun {
  private readonly limits: Limits
  private readonly packages = new Map<string, Package>()
  private readonly builds = new Map<string, GoOutput.GoOutput>()
  private building = ""
  private isStream = false
  private isPrinted = false
  private listed = 0
  private opened = 0
  private events = 0
  private tornLines = 0
  private firstTorn = 0
  private lastIsTorn = false
  private latest: Instant.Instant | null = null

  constructor(limits: Limits) {
    this.limits = limits
  }

  event(event: Event): Refusal | undefined {
    this.lastIsTorn = false
    this.building = ""
    if (event.action === "") return undefined
    this.isStream = true
    this.events += 1
    if (event.action === "build-output" || event.action === "build-fail") {
      this.buildOf(event.importPath).add(event.output)
      return undefined
    }
    if (event.package === "" && event.test === "") return undefined
    const package_ = this.packageOf(event.package)
    package_.isOpen = true
    package_.hasPrintedEnd ||= event.action === "output" && event.output.startsWith(`FAIL\t${event.package}\t`)
    return event.test === "" ? this.packageEvent(package_, event) : this.testEvent(package_, event)
  }

  text(line: string): Refusal | undefined {
    this.lastIsTorn = false
    this.isPrinted ||= KnownFormat.isGoText(line)
    const build = /^# (\S+)/.exec(line)?.[1]
    const failed = /^FAIL\s+(\S+)\s+(?:\[(?:build|setup) failed\]|[\d.]+s$)/.exec(line)?.[1]
    if (build !== undefined) this.building = build
    else if (failed === undefined && this.building !== "") this.buildOf(this.building).add(`${line}\n`)
    if (failed === undefined) return undefined
    this.events += 1
    const package_ = this.packageOf(failed)
    package_.output.add(`${line}\n`)
    return this.endPackage(package_, { ...noEvent, action: "fail", package: failed })
  }

  torn(line: number): undefined {
    this.lastIsTorn = true
    this.tornLines += 1
    if (this.tornLines === 1) this.firstTorn = line
  }

  parsed(): Result.Result<Parsed, ParseError.ParseError> {
    for (const [name, package_] of this.packages) {
      if (!package_.isOpen || !package_.hasPrintedEnd) continue
      const refusal = this.endPackage(package_, { ...noEvent, action: "fail", package: name })
      if (refusal !== undefined) return Result.fail(toError(refusal))
    }
    const unfinished = [...this.packages].find(([, { isOpen }]) => isOpen)?.[0]
    if (!this.isStream && this.isPrinted) return Result.fail(toError(KnownFormat.refusal(KnownFormat.goText, "")))
    if (this.lastIsTorn && this.events === 0) return Result.fail(oneLine)
    if (this.lastIsTorn || unfinished !== undefined) return Result.fail(cutOff(unfinished))
    if (this.events === 0) return Result.fail(noEvents)
    const sink = CaseSink.make(this.limits)
    for (const [name, { tests }] of this.packages) {
      const refusal = addTests(name, tests, sink)
      if (refusal !== undefined) return Result.fail(toError(refusal))
    }
    if (this.tornLines > 0) {
      sink.warnings.add(
        `${this.tornLines} lines are not whole JSON (the first is line ${this.firstTorn}): passed over.`
      )
    }
    return Result.succeed(
      sink.parsed({
        context: { framework: "go", language: "go" },
        finishedAt: this.latest,
        announced: { tests: null, failures: null }
      })
    )
  }

  private testEvent(package_: Package, event: Event): Refusal | undefined {
    if (event.action === "output") this.outputOf(package_, event.test).add(event.output)
    else if (event.action === "run") this.open(package_, event.test)
    const conclusion = ends.get(event.action)
    const refusal = conclusion === undefined ? undefined : this.endTest(package_, event, conclusion)
    return refusal ?? (this.opened > this.limits.cases ? CaseList.tooMany(this.limits) : undefined)
  }

  /** Output under the name of a test that has ended belongs to the package. */
  private outputOf(package_: Package, test: string): GoOutput.GoOutput {
    const hasEnded = package_.tests.get(test)?.run === package_.runs
    return package_.open.get(test) ?? (hasEnded ? package_.output : this.open(package_, test))
  }

  private open(package_: Package, test: string): GoOutput.GoOutput {
    const output = GoOutput.make(this.limits)
    package_.open.set(test, output)
    this.opened += 1
    return output
  }

  private endTest(package_: Package, event: Event, conclusion: Execution.Conclusion): Refusal | undefined {
    const output = package_.open.get(event.test)
    package_.open.delete(event.test)
    if (output !== undefined) this.opened -= 1
    if (conclusion === "failed") package_.hasFailedTest = true
    return this.record(package_, event.test, {
      conclusion,
      at: this.timeOf(event),
      durationMs: conclusion === "skipped" ? 0 : (Duration.ofMilliseconds(event.elapsed * 1000) ?? 0),
      exception:
        conclusion === "failed"
          ? GoOutput.exceptionOf(output?.text() ?? "", "The test failed without a message of its own.", this.limits)
          : null
    })
  }

  private packageEvent(package_: Package, event: Event): Refusal | undefined {
    if (event.action === "output") package_.output.add(event.output)
    return ends.has(event.action) ? this.endPackage(package_, event) : undefined
  }

  private endPackage(package_: Package, event: Event): Refusal | undefined {
    const isFailed = event.action === "fail"
    for (const [test, output] of package_.open) {
      const end = GoOutput.endOf(output.text(), test) ?? (isFailed ? "failed" : "passed")
      const refusal = this.endTest(package_, { ...event, test, elapsed: 0 }, end)
      if (refusal !== undefined) return refusal
    }
    const refusal = isFailed && !package_.hasFailedTest ? this.failPackage(package_, event) : undefined
    package_.runs += 1
    package_.isOpen = false
    package_.hasFailedTest = false
    package_.hasPrintedEnd = false
    package_.output = GoOutput.make(this.limits)
    return refusal
  }

  private failPackage(package_: Package, event: Event): Refusal | undefined {
    const build = this.builds.get(event.failedBuild) ?? this.builds.get(event.package)
    const output = `${build?.text() ?? ""}${package_.output.text()}`
    return this.record(package_, wholePackage, {
      conclusion: "failed",
      at: this.timeOf(event),
      durationMs: Duration.ofMilliseconds(event.elapsed * 1000) ?? 0,
      exception: GoOutput.exceptionOf(output, "The package failed, and none of its tests did.", this.limits)
    })
  }

  /** A test that ran before and failed is tried again when its package runs again. */
  private record(package_: Package, name: string, attempt: Attempt.Attempt): Refusal | undefined {
    this.listed += 1
    if (this.listed > this.limits.cases) return CaseList.tooMany(this.limits)
    const test = package_.tests.get(name) ?? { executions: [], run: -1 }
    package_.tests.set(name, test)
    const last = test.executions.at(-1)
    if (last !== undefined && test.run < package_.runs && last.at(-1)?.conclusion === "failed") last.push(attempt)
    else test.executions.push([attempt])
    test.run = package_.runs
    return undefined
  }

  private timeOf(event: Event): Instant.Instant | null {
    const at = Timestamp.parse(event.time)
    if (at !== null && (this.latest === null || at > this.latest)) this.latest = at
    return at
  }

  private packageOf(name: string): Package {
    const known = this.packages.get(name)
    if (known !== undefined) return known
    const made: Package = {
      tests: new Map(),
      open: new Map(),
      output: GoOutput.make(this.limits),
      runs: 0,
      isOpen: false,
      hasFailedTest: false,
      hasPrintedEnd: false
    }
    this.packages.set(name, made)
    return made
  }

  private buildOf(name: string): GoOutput.GoOutput {
    const known = this.builds.get(name) ?? GoOutput.make(this.limits)
    this.builds.set(name, known)
    return known
  }
}

const ends: ReadonlyMap<string, Execution.Conclusion> = new Map([
  ["pass", "passed"],
  ["bench", "passed"],
  ["fail", "failed"],
  ["skip", "skipped"]
])

const noEvent: Event = {
  time: "",
  action: "",
  package: "",
  test: "",
  output: "",
  importPath: "",
  failedBuild: "",
  elapsed: 0
}

const addTests = (package_: string, tests: ReadonlyMap<string, Test>, sink: CaseSink.CaseSink): Refusal | undefined => {
  for (const [test, { executions }] of tests) {
    const testName = FailureText.storable(package_ === "" ? test : `${package_}.${test}`)
    for (const attempts of executions) {
      const refusal = sink.add(Attempt.caseOf({ testName, filepath: null }, attempts), attempts.length)
      if (refusal !== undefined) return refusal
    }
  }
  return undefined
}

const cutOff = (package_: string | undefined): ParseError.ParseError =>
  ParseError.whole(
    "malformed",
    package_ === undefined
      ? "The go test stream is cut off in the middle of a line. Send the whole file."
      : `The go test stream is cut off: the package ${Warnings.quoted(package_)} has no result. Send the whole file.`
  )

const oneLine = ParseError.whole(
  "malformed",
  "The go test stream has no whole line. With curl, send it with --data-binary: -d takes the line feeds out."
)

const noEvents = ParseError.whole("unsupported", "The lines hold no event of `go test -json`.")
