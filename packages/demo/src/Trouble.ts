/** The messages of the failing tests of the demonstration, as their frameworks write them. */
import type { Kind, Member } from "./Cast.ts"

/** Why a test fails: its own bug, bad luck with time, or a database that is down. */
export type Cause = "bug" | "luck" | "outage"

/** The texts of a failure. */
export interface Trouble {
  readonly type: string
  readonly message: string
  readonly trace: string
}

/**
 * The exception of a test that fails.
 *
 * `waited` goes into the message of bad luck: the number differs each time, the failure is the same.
 */
export const make = (member: Member, cause: Cause, waited: number): Trouble => {
  const [type, message] = texts[cause](member.kind, waited)
  return { type, message, trace: traces[member.kind](member, `${type}: ${message}`) }
}

const texts: { readonly [C in Cause]: (kind: Kind, waited: number) => readonly [type: string, message: string] } = {
  bug: (kind) =>
    kind === "unit"
      ? ["AssertionError", "assert Decimal('19.99') == Decimal('20.00')"]
      : kind === "integration"
        ? ["org.opentest4j.AssertionFailedError", "expected: <3> but was: <2>"]
        : ["Error", "expect(locator).toHaveText(expected) failed"],
  luck: (kind, waited) =>
    kind === "unit"
      ? ["TimeoutError", `the worker queue was not empty after ${waited} ms`]
      : kind === "integration"
        ? ["java.util.concurrent.TimeoutException", `no event within ${waited} ms`]
        : ["TimeoutError", `locator.click: Timeout ${waited}ms exceeded`],
  outage: () => ["java.net.ConnectException", "Connection refused: db.internal:5432"]
}

const traces: { readonly [K in Kind]: (member: Member, first: string) => string } = {
  unit: ({ file, name }, first) =>
    `${file}:42: in ${name}\n    check(subject)\nwidgets/core.py:118: in check\nE   ${first}`,
  integration: ({ classname, name }, first) =>
    `${first}\n\tat ${classname}.${name}(${classname.slice(classname.lastIndexOf(".") + 1)}.java:57)\n` +
    "\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)",
  browser: ({ file }, first) => `${first}\n    at ${file}:31:18`
}
