/**
 * The removal of secrets from text that leaves the service: messages of failures in comments, checks and notifications.
 *
 * Tests print what they were given, and a comment on a pull request is public. A secret that is removed by mistake costs a
 * word; one that is left costs the secret.
 */
import { Result } from "effect"

/** The text in place of a secret: the mask that GitHub and GitLab write. */
export const mask = "***"

/** Removes secrets from a text. */
export interface Redact {
  (text: string): string
}

/**
 * The forms of secrets that are known. Each pattern matches one from its first character on, also when its end was cut.
 *
 * **Details**
 *
 * The groups `before` and `after` are kept. Repetitions are bounded or have no overlap, so that the time is linear in the
 * length of the text.
 */
const shapes: ReadonlyArray<RegExp> = [
  // Keys in PEM, also with escaped line breaks.
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|$)/gu,
  // GitHub, GitLab.
  /gh[pousr]_[A-Za-z0-9_.-]{10,}/gu,
  /github_pat_\w{10,}/gu,
  /gl(?:pat|dt|rt|rtr|ptt|cbt|oas|ft|imt|agent|soat|ffct|wt)-[\w.-]{10,}/gu,
  // JSON web tokens, also unsigned ones.
  /eyJ[\w-]{6,1000}\.[\w-]{4,}(?:\.[\w-]*){0,3}/gu,
  // AWS.
  /A(?:KIA|SIA|BIA|CCA|ROA|IDA|GPA)[A-Z0-9]{12,}/gu,
  // Slack.
  /xox[a-z](?:-|\.)[\w.-]{8,}/gu,
  /xapp-[\w-]{8,}/gu,
  /(?<before>hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/+-]{8,}/gu,
  // Keys of other providers, recognised by their prefixes.
  /(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{8,}/gu,
  /whsec_[A-Za-z0-9+/=]{8,}/gu,
  /sk-(?:proj|svcacct|admin|ant|or)-[\w-]{16,}/gu,
  // Not the end of "task-…" and the like.
  /(?<![A-Za-z])sk-[A-Za-z0-9]{20,}/gu,
  /AIza[\w-]{20,}/gu,
  /ya29\.[\w.-]{10,}/gu,
  /GOCSPX-[\w-]{10,}/gu,
  /npm_[A-Za-z0-9]{20,}/gu,
  /pypi-[\w-]{16,}/gu,
  /rubygems_[0-9a-f]{16,}/gu,
  /dckr_(?:pat|oat)_[\w-]{10,}/gu,
  /hf_[A-Za-z0-9]{20,}/gu,
  /do[opr]_v1_[0-9a-f]{16,}/gu,
  /hv[sbr]\.[\w-]{20,}/gu,
  /SG\.[\w-]{10,}\.[\w-]{10,}/gu,
  /shp(?:at|ca|pa|ss)_[0-9a-fA-F]{16,}/gu,
  /SK[0-9a-f]{32}/gu,
  /lzr_[\w-]{10,}/gu,
  // Credentials in an address: a user with a password, or a long user alone.
  /(?<before>[a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s/"'<>@:]{0,200}:[^\s/"'<>]{1,400}|[^\s/"'<>@:]{16,400})(?<after>@)/giu,
  // The value of a header.
  /(?<before>(?:bearer|basic)\s{1,3})[\w.~+/=-]{8,}/giu,
  /(?<before>authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[a-z]{2,20}\s{1,3})?)[\w.~+/=:-]{8,}/giu,
  /(?<before>cookie["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"'][^\n\r"']{6,}/giu,
  // The value of a variable or field whose name suggests a secret; the value may look like another name.
  /(?<before>(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|credentials?|[a-z0-9]{2}[_-]token|connection[_-]?string|sig(?:nature)?(?==))(?:[_-][a-z0-9_-]{1,40})?["']?\s{0,3}(?:=>|[:=])\s{0,3}["']?)(?!\*\*\*)[^\s"',;&<>(){}[\]]{8,}(?:["']?\s{0,3}(?:=>|[:=])\s{0,3}["']?[^\s"',;&<>(){}[\]]{8,})*/giu
]

/** Masks that a CI job has announced: the value of `::add-mask::` is secret wherever it stands. */
const announced = /::add-mask::([^\r\n]{4,})/gu

/** Removes secrets of the known shapes from a text. */
export const redact: Redact = (text) => withoutShapes(withoutAnnounced(text), shapes)

/**
 * {@link redact}, and in addition whatever some patterns of regular expressions match; a failure lists the patterns that
 * are no regular expressions.
 *
 * @example
 * ```ts
 * import { Redaction } from "@lazaret/domain"
 * import { Result } from "effect"
 *
 * const redact = Result.getOrThrow(Redaction.withPatterns(["ACME-[0-9]{6}"]))
 * redact("no user ACME-123456 at https://ada:pass@example.com") // => "no user *** at https://***@example.com"
 * Result.isFailure(Redaction.withPatterns(["("])) // => true
 * ```
 */
export const withPatterns = (patterns: ReadonlyArray<string>): Result.Result<Redact, ReadonlyArray<string>> => {
  const compiled = patterns.map((pattern) =>
    Result.mapError(
      Result.try(() => new RegExp(pattern, "gu")),
      () => pattern
    )
  )
  const wrong = compiled.filter(Result.isFailure).map(({ failure }) => failure)
  if (wrong.length > 0) return Result.fail(wrong)
  const own = compiled.filter(Result.isSuccess).map(({ success }) => success)
  return Result.succeed((text) => withoutShapes(redact(text), own))
}

const withoutShapes = (text: string, patterns: ReadonlyArray<RegExp>): string =>
  patterns.reduce((rest, pattern) => rest.replace(pattern, masked), text)

/** The groups of a match are the last argument of a replacer, an object where the pattern names groups. */
const masked = (found: string, ...rest: ReadonlyArray<unknown>): string => {
  const groups = rest.at(-1)
  if (found === "" || typeof groups !== "object" || groups === null) return found === "" ? "" : mask
  const { after = "", before = "" } = groups as { readonly before?: string; readonly after?: string }
  return `${before}${mask}${after}`
}

const withoutAnnounced = (text: string): string => {
  const values = [...text.matchAll(announced)]
    .map(([, value = ""]) => value.trim())
    .filter((value) => value.length >= 4)
  return [...new Set(values)]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, value) => rest.replaceAll(value, mask), text)
}
