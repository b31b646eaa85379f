/** The test case and the run in a span (`docs/reference/uploads.md` lists the attributes). */
import type { Report } from "@lazaret/domain"
import * as Duration from "../text/Duration.ts"
import * as Excerpt from "../text/Excerpt.ts"
import * as FailureText from "../text/FailureText.ts"
import * as HintsOf from "../report/Hints.ts"
import type { Limits } from "../text/Limits.ts"
import * as OtlpSpan from "./OtlpSpan.ts"
import * as Outcome from "../junit/Outcome.ts"
import type { Hints } from "../text/Parsed.ts"
import * as Timestamp from "../text/Timestamp.ts"

/** Whether a span is a test case: its `test.scope` is `case`, or it has none and the attributes of a case. */
export const isCase = (span: OtlpSpan.OtlpSpan): boolean => {
  const scope = OtlpSpan.textOf(span.attributes.get("test.scope"))
  if (scope !== undefined) return scope === "case"
  return span.attributes.has("test.case.name") || span.attributes.has("test.case.result.status")
}

/** The test name of a case: the span's name, or `test.case.name` when the span's name lacks it. */
export const testName = (span: OtlpSpan.OtlpSpan): string => {
  const caseName = OtlpSpan.textOf(span.attributes.get("test.case.name"))
  return caseName === undefined || span.name.includes(caseName) ? span.name : caseName
}

/**
 * The case of a span.
 *
 * **Details**
 *
 * - A pass that a quarantine stands behind (`cicd.test.quarantined`) is a failure of which nothing else is known.
 * - A pass after a retry, or one that says `cicd.test.flaky`, is flaky. Reruns that look for flakiness
 *   (`cicd.test.rerun_count`) alone are no sign of it.
 * - Without a status of its own a case has that of the span; an unknown status is a failure.
 * - The time is the end of the span. The scope `mergify-cli` makes spans ten times too long.
 */
export const toCase = (span: OtlpSpan.OtlpSpan, name: string, limits: Limits): Report.Case => {
  const reported = conclusionOf(span)
  const isAbsorbed = reported === "passed" && OtlpSpan.flag(span, "cicd.test.quarantined")
  const conclusion = isAbsorbed ? "failed" : reported
  const retries = OtlpSpan.count(span, "cicd.test.retry_count")
  const flaky = conclusion === "passed" && (retries > 0 || OtlpSpan.flag(span, "cicd.test.flaky"))
  const nanoseconds = durationOf(span)
  const end = span.start + nanoseconds
  return {
    testName: name,
    at: Timestamp.ofMilliseconds(Number(end / 1_000_000n)),
    durationMs: conclusion === "skipped" ? 0 : (Duration.ofMilliseconds(Number(nanoseconds) / 1e6) ?? 0),
    conclusion,
    flaky,
    reruns: Math.max(retries, OtlpSpan.count(span, "cicd.test.rerun_count")),
    exception: (conclusion === "failed" && !isAbsorbed) || flaky ? exceptionOf(span, limits) : null,
    filepath: placeOf(span, limits, "code.filepath", "code.file.path"),
    functionName: placeOf(span, limits, "code.function", "code.function.name")
  }
}

/** Whether a span says that it is a further attempt. */
export const isAttempt = (span: OtlpSpan.OtlpSpan): boolean => OtlpSpan.count(span, "cicd.test.retry_count") > 0

/** The hints of a span and its resource about the run. */
export const hints = (span: OtlpSpan.OtlpSpan): Hints =>
  HintsOf.make({
    pipelineName: OtlpSpan.text(span, "cicd.pipeline.name"),
    jobName: OtlpSpan.text(span, "mergify.test.job.name", "cicd.pipeline.task.name"),
    branch: OtlpSpan.text(span, "vcs.ref.head.name"),
    baseBranch: OtlpSpan.text(span, "vcs.ref.base.name"),
    commit: OtlpSpan.text(span, "vcs.ref.head.revision"),
    runId: OtlpSpan.text(span, "cicd.pipeline.run.id", "test.run.id"),
    runAttempt: OtlpSpan.text(span, "cicd.pipeline.run.attempt"),
    jobUrl: OtlpSpan.text(span, "cicd.pipeline.run.url.full", "cicd.pipeline.run.url") ?? gitHubUrl(span),
    framework: OtlpSpan.text(span, "test.framework"),
    frameworkVersion: OtlpSpan.text(span, "test.framework.version"),
    language: OtlpSpan.text(span, "test.language", "telemetry.sdk.language")
  })

/**
 * A text that is equal for spans of one resource that say the same about their run; empty when they leave it to the
 * resource.
 */
export const ownHints = (span: OtlpSpan.OtlpSpan): string => {
  let own = ""
  for (const [key, value] of span.attributes) if (isHint(key)) own += `${key}\0${OtlpSpan.textOf(value)}\0`
  return own
}

const isHint = (key: string): boolean =>
  key.startsWith("cicd.p") ||
  key.startsWith("vcs.") ||
  key.startsWith("test.framework") ||
  key === "test.language" ||
  key === "test.run.id" ||
  key === "telemetry.sdk.language" ||
  key === "mergify.test.job.name"

const conclusionOf = (span: OtlpSpan.OtlpSpan): Report.Case["conclusion"] => {
  const word = OtlpSpan.textOf(span.attributes.get("test.case.result.status"))
  return word ? Outcome.ofCaseStatus(word) : span.status === 2 ? "failed" : "passed"
}

const durationOf = (span: OtlpSpan.OtlpSpan): bigint => {
  const nanoseconds = span.end > span.start ? span.end - span.start : 0n
  return span.scopeName === "mergify-cli" ? nanoseconds / 10n : nanoseconds
}

const exceptionOf = (span: OtlpSpan.OtlpSpan, limits: Limits): Report.Case["exception"] => {
  const text = (key: string) => OtlpSpan.textOf(span.attributes.get(key) ?? span.exception?.get(key))
  const message = text("exception.message") ?? span.statusMessage
  return FailureText.make({ type: text("exception.type"), message, body: text("exception.stacktrace") }, limits)
}

const placeOf = (span: OtlpSpan.OtlpSpan, limits: Limits, ...keys: ReadonlyArray<string>): string | null => {
  const place = OtlpSpan.text(span, ...keys)
  return place === undefined ? null : FailureText.storable(Excerpt.ofUnits(place, limits.pathLength))
}

/** GitHub Actions has no attribute for the page of a run, but all of its parts. */
const gitHubUrl = (span: OtlpSpan.OtlpSpan): string | undefined => {
  const repository = OtlpSpan.text(span, "vcs.repository.url.full")
    ?.replace(/(?<!\/)\/+$/, "")
    .replace(/\.git$/, "")
  const run = OtlpSpan.text(span, "cicd.pipeline.run.id")
  if (repository === undefined || run === undefined) return undefined
  if (!/github/i.test(OtlpSpan.text(span, "cicd.provider.name") ?? "")) return undefined
  const attempt = OtlpSpan.text(span, "cicd.pipeline.run.attempt")
  return `${repository}/actions/runs/${run}${attempt === undefined ? "" : `/attempts/${attempt}`}`
}
