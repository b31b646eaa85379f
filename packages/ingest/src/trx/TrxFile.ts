/** The elements of a Visual Studio test result (TRX), as they open and close. */
import type { Instant } from "@lazaret/domain"
import * as CaseList from "../report/CaseList.ts"
import * as Excerpt from "../text/Excerpt.ts"
import type { Limits } from "../text/Limits.ts"
import type { Parsed } from "../text/Parsed.ts"
import type { Refusal } from "../text/Refusal.ts"
import * as Timestamp from "../text/Timestamp.ts"
import * as Warnings from "../text/Warnings.ts"
import type { Attributes } from "../xml/Xml.ts"
import type * as XmlReader from "../xml/XmlReader.ts"
import * as CaseSink from "../report/CaseSink.ts"
import * as TrxResult from "./TrxResult.ts"

/** The state before the first event of a file. */
export const make = (limits: Limits): XmlReader.File => new File(limits)

/** A receiver of text. */
interface Target {
  text: string
}

/** A class, because it is the state of a parser: every event of a file of a million elements passes here. */
class File implements XmlReader.File {
  private readonly limits: Limits
  private readonly path: Array<string> = []
  private readonly results: Array<TrxResult.TrxResult> = []
  /** The results that are open, each inside of the one before. */
  private readonly open_: Array<TrxResult.TrxResult> = []
  private readonly classes = new Map<string, string>()
  private readonly runErrors: Target = { text: "" }
  private definition = ""
  private outcome = ""
  private counters: Attributes = {}
  private isErrorOfRun = false
  private finish: Instant.Instant | null = null
  private target: Target | undefined

  constructor(limits: Limits) {
    this.limits = limits
  }

  open(name: string, attributes: Attributes): Refusal | undefined {
    this.path.push(name)
    if (TrxResult.isResult(name)) return this.openResult(attributes)
    if (name === "TestMethod") return this.define(attributes["className"])
    if (name === "Times") this.finish = Timestamp.parse(attributes["finish"])
    else if (name === "ResultSummary") this.outcome = attributes["outcome"] ?? ""
    else if (name === "Counters") this.counters = attributes
    else if (name === "RunInfo") this.isErrorOfRun = TrxResult.isErrorOfRun(attributes["outcome"])
    else if (this.path.at(-2) === "TestDefinitions") this.definition = attributes["id"] ?? ""
    this.target = this.targetOf(name)
    return undefined
  }

  close(name: string): Refusal | undefined {
    this.path.pop()
    if (this.target === this.runErrors) this.runErrors.text += "\n"
    this.target = undefined
    if (TrxResult.isResult(name)) this.open_.pop()
    return undefined
  }

  wantsText(): boolean {
    return this.target !== undefined
  }

  text(text: string): void {
    if (this.target === undefined) return
    // One unit more than the limit is enough to know that it must be cut.
    const room = this.limits.stacktraceBytes + 1 - this.target.text.length
    if (room > 0) this.target.text += text.length > room ? text.slice(0, room) : text
  }

  parsed(): Parsed {
    const sink = CaseSink.make(this.limits)
    const unknown = new Set<string>()
    for (const result of this.results) {
      if (TrxResult.isUnknown(result)) unknown.add(result.outcome)
      if (TrxResult.isCounted(result)) sink.add(TrxResult.caseOf(result, this.classOf(result), this.limits))
    }
    const runFailure = TrxResult.runFailure(this.outcome, this.runErrors.text, sink.failed(), this.limits)
    if (runFailure !== null) sink.add(runFailure)
    for (const outcome of unknown) {
      sink.warnings.add(`The outcome ${Warnings.quoted(outcome)} is not known: taken as failed.`)
    }
    return sink.parsed({ context: {}, finishedAt: this.finish, announced: this.announced() })
  }

  /** The counters know rows and the tests around them. */
  private announced(): CaseSink.Run["announced"] {
    const failed = ["failed", "error", "timeout", "aborted"].reduce((sum, key) => sum + this.counter(key), 0)
    const listed = this.results.filter(TrxResult.isFailed).length
    const total = this.counter("total")
    return {
      tests: total > this.results.length ? total : null,
      failures: failed > listed ? failed : null
    }
  }

  private counter(key: string): number {
    const text = this.counters[key] ?? ""
    return /^\d{1,15}$/.test(text) ? Number(text) : 0
  }

  private openResult(attributes: Attributes): Refusal | undefined {
    if (this.results.length >= this.limits.cases) return CaseList.tooMany(this.limits)
    const name = attributes["testName"] ?? ""
    if (name.length > this.limits.refusedNameLength) return CaseList.nameTooLong(name, this.limits)
    const result = TrxResult.make(attributes, this.open_.at(-1))
    this.results.push(result)
    this.open_.push(result)
    return undefined
  }

  private define(className: string | undefined): undefined {
    if (className !== undefined) this.classes.set(this.definition, Excerpt.owned(TrxResult.classOf(className)))
  }

  private classOf({ testId }: TrxResult.TrxResult): string {
    return this.classes.get(testId) ?? ""
  }

  private targetOf(name: string): Target | undefined {
    const result = this.open_.at(-1)
    const parent = this.path.at(-2)
    if (result !== undefined) {
      if (parent !== "ErrorInfo") return undefined
      return name === "Message" ? result.message : name === "StackTrace" ? result.stack : undefined
    }
    const isRunError = name === "Text" && parent === "RunInfo" && this.isErrorOfRun
    return isRunError ? this.runErrors : undefined
  }
}
