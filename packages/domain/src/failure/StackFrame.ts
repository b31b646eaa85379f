/** The place in own code at which a failure happened, read from its stack trace. */
import type { ExceptionReport } from "../report/Execution.ts"

/** The test that failed, as far as it is known: its own frames say nothing about a cause that it shares with others. */
export interface FailedTest {
  readonly testName: string
  readonly filepath: string | null
}

/** How much is read of the start and of the end of a trace, and of a line, and how long a place is, in characters. */
export const bounds = { trace: 4096, line: 500, place: 120 } as const

/**
 * The innermost frame of own code outside of the test itself, null where the trace has none: text that is equal for equal places.
 *
 * **Details**
 *
 * Reads the traces of JavaScript, the JVM, .NET, Python, Go, Ruby, PHP and Rust. Frames of runtimes, of test runners and of packages that
 * are installed are not own code. Lines, columns, checkout folders and numbers of closures play no part. At most {@link bounds} characters.
 *
 * @example
 * ```ts
 * import { StackFrame } from "@lazaret/domain"
 *
 * const stacktrace = "TimeoutError: no answer\n    at node:internal/timers:1:2\n    at Client.connect (/ci/app/net/client.ts:40:9)"
 * StackFrame.placeOf({ type: null, message: null, stacktrace }, { testName: "a > b", filepath: null }) // => "net/client.ts:Client.connect"
 * ```
 */
export const placeOf = ({ stacktrace }: ExceptionReport, test: FailedTest): string | null => {
  if (stacktrace === null) return null
  const frames = framesOf(linesOf(stacktrace)).filter((frame) => !isForeign(frame) && !isOfTest(frame, test))
  const last = frames.at(-1)
  const frame = last?.isLastInnermost === true ? last : frames[0]
  return frame === undefined ? null : textOf(frame).slice(0, bounds.place).toWellFormed()
}

/** A frame: a file, a function, or both; `isLastInnermost`: traces of its language end with the innermost frame. */
interface Frame {
  readonly file: string
  readonly name: string
  readonly isLastInnermost: boolean
}

const linesOf = (trace: string): ReadonlyArray<string> => {
  const { trace: most } = bounds
  const read = trace.length <= 2 * most ? trace : `${trace.slice(0, most)}\n${trace.slice(-most)}`
  return read.split(/\r?\n/u).map((line) => line.slice(0, bounds.line))
}

const framesOf = (lines: ReadonlyArray<string>): ReadonlyArray<Frame> =>
  lines.flatMap((line, index) => {
    for (const { isLastInnermost = false, pattern } of notations) {
      const found = pattern.exec(line)?.groups
      if (found === undefined) continue
      const { file = "", name = functionBefore(lines[index - 1] ?? "", file) } = found
      return [{ file: pathOf(file), name: nameOf(name), isLastInnermost }]
    }
    return []
  })

/** The first that matches a line reads it. */
const notations: ReadonlyArray<{ readonly pattern: RegExp; readonly isLastInnermost?: true }> = [
  { pattern: /^\s*File "(?<file>[^"]+)", line \d+, in (?<name>\S+)/u, isLastInnermost: true },
  { pattern: /^(?<file>[^\s:"'()]+\.py):\d+: (?:in (?<name>\S+)|\w)/u, isLastInnermost: true },
  // .NET
  { pattern: /^\s*at (?<name>[\w.`<>+[\],|$]+)\([^()]*\) in (?<file>.+):line \d+$/u },
  // the JVM
  {
    pattern:
      /^\s*at (?:[\w.@-]+\/+)*(?<name>[\w$.<>/-]+)\((?:[\w$-]+\.(?:java|kt|scala|groovy)(?::\d+)?|Native Method|Unknown Source)\)/u
  },
  { pattern: /^\s*at (?:async )?(?<name>[^()]+) \((?<file>[^()]+?):\d+(?::\d+)?\)$/u },
  // JavaScript without a function, and Rust
  { pattern: /^\s*(?:at|❯) (?:async )?(?<file>[^()\s]+):\d+:\d+$/u },
  { pattern: /^\s*(?:❯ )(?<name>\S+) (?<file>[^()\s]+):\d+:\d+$/u },
  { pattern: /^\t(?<file>\S+\.go):\d+(?: \+0x[0-9a-f]+)?$/u },
  { pattern: /^\s*(?:from |# )?(?<file>[^\s:]+\.rb):\d+:in [`'](?<name>[^`']+)'/u },
  { pattern: /^\s*(?:#\d+ )?(?<file>[^\s:()]+\.php)[:(]\d+\)?(?:: (?<name>[^\s()]+)\()?/u }
]

/** The function of a frame of Go or Rust, which is on the line before the file. */
const functionBefore = (line: string, file: string): string =>
  file.endsWith(".go")
    ? (/^(?<name>[\w./*()-]+)\(/u.exec(line)?.groups?.["name"]?.split("/").at(-1) ?? "")
    : file.endsWith(".rs")
      ? (/^\s*\d+: (?<name>[\w:<>{}]+)/u.exec(line)?.groups?.["name"] ?? "")
      : ""

const pathOf = (file: string): string =>
  file
    .replace(/^(?:file:\/\/|webpack:\/\/)/u, "")
    .replace(/[?#].*$/u, "")
    .replaceAll("\\", "/")

/** The name without what changes from build to build: numbers of closures, generics, hashes. */
const nameOf = (name: string): string =>
  name
    .replace(/^(?:async |new |Object\.|Proxy\.)/u, "")
    .replace(/::h[0-9a-f]{16}$/u, "")
    .replace(/\$\$?(?:Lambda|lambda)\b.*$/u, "")
    .replace(/\$\d+(?=$|\.)/gu, "")
    .replace(/`\d+|<anonymous>|<lambda>|\{\{closure\}\}|\.func\d+(?:\.\d+)*$/gu, "")
    .replace(/[:.]+$/u, "")

const installed =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|lib\/python[\d.]*|gems|vendor|pkg\/mod|rustc|\.cargo|\.rustup|go\/src)\/|^node:|^<|^internal\/|\/usr\/(?:lib|local\/go|share)\//u

const runtimes =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|org\.(?:junit|testng|gradle|apache\.maven|mockito|hamcrest|assertj|codehaus\.groovy)|junit|System|Microsoft|Xunit|NUnit|runtime|testing|core|std|alloc)(?:\.|::)/u

const isForeign = ({ file, name }: Frame): boolean => installed.test(file) || runtimes.test(name)

/** Whether a frame is in the file, or in the class, of the test. */
const isOfTest = ({ file, name }: Frame, { filepath, testName }: FailedTest): boolean => {
  if (file === "") return testName.startsWith(name.slice(0, Math.max(0, name.lastIndexOf("."))))
  const own = (filepath ?? "").replaceAll("\\", "/")
  if (own !== "" && (file === own || file.endsWith(`/${own}`) || own.endsWith(`/${file}`))) return true
  const tail = tailOf(file, 2)
  return testName.includes(tail) || dotted(testName).includes(dotted(tail.replace(/\.\w+$/u, "")))
}

const dotted = (text: string): string => text.replaceAll("/", ".")

const tailOf = (path: string, parts: number): string =>
  path
    .split("/")
    .filter((part) => part !== "")
    .slice(-parts)
    .join("/")

const textOf = ({ file, name }: Frame): string => {
  if (file === "") return name.split(".").slice(-3).join(".")
  return name === "" ? tailOf(file, 2) : `${tailOf(file, 2)}:${name}`
}
