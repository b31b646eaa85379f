/**
 * Stable identifiers of tests.
 *
 * A test id names the *test*, not where it ran: it is derived from the test name alone, so that it is the same in every
 * repository, pipeline and job, and on every machine.
 */
import { Schema } from "effect"
import { parse, v5 } from "uuid"

/** The namespace of test ids. It never changes: an id that is stored in a dashboard link must still resolve. */
export const namespace = "5b1f8f6e-2d0a-5c0e-9d43-6a1b7d0f7c21"

/** Schema of a test id: a version 5 UUID in lower case (interface 2.3). */
export const TestId = Schema.String.check(Schema.isUUID(5))

/** A test id (interface 2.3). */
export type TestId = typeof TestId.Type

/**
 * The id of the test with this name.
 *
 * @example
 * ```ts
 * import { TestId } from "@lazaret/domain"
 *
 * TestId.of("suite > adds") === TestId.of("suite > adds") // => true
 * ```
 */
export const of = (testName: string): TestId => v5(utf8.encode(testName), namespaceBytes)

/** Read once: the library would read the text at every call. */
const namespaceBytes = parse(namespace)

/** The library takes longer for the bytes of a text than for their hash. */
const utf8 = new TextEncoder()
