/** The kind of a message, from which causes follow, whatever the language of the test. */

/**
 * The kinds of messages.
 *
 * **Details**
 *
 * - `network`: a service, a host or a resource of the machine is missing. `assertion`: the test itself compared something.
 * - `load`: code could not be loaded or does not have a name; it is the same in every attempt. `certain`: the message itself says
 *   that the outcome does not depend on chance (a strict expected failure, a warning about a deprecation).
 * - `contention`: another process, thread or page was quicker: a port in use, a lock, a stale element, a collection that changed under way.
 * - `timeout`: something took too long. `silent`: there is no message. `other`: everything else.
 */
export type Kind = "network" | "assertion" | "load" | "certain" | "contention" | "timeout" | "silent" | "other"

/** The texts by which a kind is known, the first kind that fits. */
const texts: ReadonlyArray<readonly [kind: Kind, pattern: RegExp]> = [
  [
    "contention",
    /\b(?:EADDRINUSE|EBUSY|EAGAIN)\b|\b(?:address|port)\b.{0,20} in use|text file busy|resource temporarily unavailable|ConcurrentModification|changed (?:size )?during iteration|changed by (?:another|worker|thread)|data race|race detected|dead ?lock|(?:database|table) is locked|\block\b.{0,40}(?:not available|not be (?:acquired|obtained)|time(?:d )?out)|could not (?:acquire|obtain) (?:a )?lock|could not serialize|optimistic ?lock|stale ?(?:element|object)|(?:detached from|not attached to) (?:the )?(?:DOM|document|page)|event loop is closed/iu
  ],
  ["certain", /XPASS\(strict\)|DID NOT RAISE|DID NOT WARN|deprecat|(?<!Runtime|Resource)Warning: /iu],
  [
    "network",
    /\b(?:ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|EPIPE|ENOSPC|EMFILE|ENOMEM)\b|socket hang up|connection (?:refused|reset|timed out|aborted)|no route to host|name resolution|could not resolve|unknown ?host|(?:502|503|504) |bad gateway|service unavailable|too many requests|gateway time-?out|TLS handshake|too many connections|database system is|no space left|out of memory|OutOfMemory|cannot allocate memory|disk quota|cannot connect to the docker|read-only file system/iu
  ],
  [
    "load",
    /cannot find (?:module|package)|no module named|ModuleNotFound|cannot import name|ImportError|SyntaxError|unexpected token|has no attribute|is not defined|ClassNotFound|NoClassDefFound|NoSuchMethod|undefined symbol|unexpected keyword argument|missing \d+ required|is not a function/iu
  ],
  [
    "timeout",
    /time(?:d)? ?out|deadline exceeded|took too long|\b(?:within|after|took|for|exceeded)(?: more than| at least)? (?:<\*>|\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?|min|minutes?|milliseconds?)\b)/iu
  ],
  [
    "assertion",
    /assert|expected|expect\(|to equal|toBe|should (?:be|have)|but (?:was|found|got)|snapshot|!==|not equal/iu
  ]
]

/** The number of characters at the start of a message that its kind follows from. */
export const decisive = 500

/** The kind of a message with its exception type. */
export const kindOf = (exceptionType: string | null, message: string | null): Kind => {
  const text = `${exceptionType ?? ""}: ${(message ?? "").slice(0, decisive)}`
  if (text.trim() === ":") return "silent"
  return texts.find(([, pattern]) => pattern.test(text))?.[0] ?? "other"
}

/** Whether a failure has an error of its own: the test or the code itself is wrong, whatever the environment does. */
export const isOwn = (exceptionType: string | null, message: string | null): boolean =>
  !mayBeOutage(kindOf(exceptionType, message))

/** Whether a message of this kind may come back in another outage: others speak of the code, whatever run they were in. */
export const mayBeOutage = (kind: Kind): boolean => kind !== "assertion" && kind !== "certain" && kind !== "load"

/** Whether flakes say messages of this kind, too: others say that code is wrong, which it is in every attempt. */
export const mayBeFlake = (kind: Kind): boolean => kind !== "other" && kind !== "certain" && kind !== "load"

/**
 * The first line of a message, without the place from which a module was imported; null without words.
 *
 * @example
 * ```ts
 * import { FailureMessage } from "@lazaret/domain"
 *
 * FailureMessage.headline("Cannot find module './session' imported from /home/ci/session.test.ts")
 * // => "Cannot find module './session'"
 * ```
 */
export const headline = (message: string | null): string | null => {
  const [line = ""] = (message ?? "").trim().split(/[\r\n]/u, 1)
  const short = line.replace(/^(?:Error: )?(Cannot find (?:module|package) \S+) .*$/u, "$1").trim()
  return short === ""
    ? null
    : short.length > headlineLength
      ? `${short.slice(0, headlineLength).toWellFormed()}…`
      : short
}

const headlineLength = 200
