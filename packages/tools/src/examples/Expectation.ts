/** Expectations in example code: `expression // => expected` becomes a call that compares the two. */
import { Equal } from "effect"
import { inspect, isDeepStrictEqual } from "node:util"
import { parseSync, Visitor } from "rolldown/utils"

/** An expectation that did not hold: its line in the transformed code, counted from 1, and both values as text. */
export interface Mismatch {
  readonly file: string
  readonly line: number
  readonly message: string
}

/** The expectations that did not hold since the process started. */
export const mismatches: Array<Mismatch> = []

/**
 * Compares two values deeply and notes the difference, if any, in {@link mismatches}. The transformed examples call it.
 *
 * **Details**
 *
 * Values are equal by Effect's `Equal` (options, results, data) or by Node's strict deep comparison.
 */
export const expect = (actual: unknown, expected: unknown, file: string, line: number): void => {
  if (Equal.equals(actual, expected) || isDeepStrictEqual(actual, expected)) return
  mismatches.push({ file, line, message: `expected ${show(expected)}, got ${show(actual)}` })
}

/**
 * The code with every expectation turned into a call of {@link expect}, line for line.
 *
 * **Details**
 *
 * The expectation belongs to the expression statement, or to the constant of one name, that ends right before it; it may
 * stand on the next line. Its value goes on in the comment lines below that are indented by two spaces or more.
 *
 * **Gotchas**
 *
 * Throws when the code does not parse, and when an expectation follows nothing that has a value: it could never fail.
 */
export const transform = (code: string, file: string, expectModule: string): string => {
  const { comments, errors, program } = parseSync("example.ts", code)
  const error = errors[0]
  if (error !== undefined) throw new Error(error.message)

  const insertions: Array<Insertion> = []
  const subjects: Array<Subject> = []
  new Visitor({
    ExpressionStatement: (node) => subjects.push({ end: node.end, expression: node.expression }),
    VariableDeclaration: (node) => {
      const { id } = node.declarations[0] ?? {}
      if (id?.type === "Identifier" && node.declarations.length === 1) subjects.push({ end: node.end, name: id.name })
    }
  }).visit(program)

  for (const [index, comment] of comments.entries()) {
    if (!isExpectation(comment)) continue
    const subject = subjects.find(({ end }) => end <= comment.start && /^[\s;]*$/.test(code.slice(end, comment.start)))
    if (subject === undefined) throw new Error(`nothing to compare before "//${comment.value}"`)
    const line = code.slice(0, comment.start).split("\n").length
    const tail = `, (${expectedValue(code, comments.slice(index))}), ${JSON.stringify(file)}, ${line})`
    insertions.push(...insertionsFor(subject, tail))
  }
  return `import { expect as __expect } from ${JSON.stringify(expectModule)}; ${apply(code, insertions)}`
}

interface Insertion {
  readonly at: number
  readonly text: string
}

interface Comment {
  readonly type: "Line" | "Block"
  readonly value: string
  readonly start: number
  readonly end: number
}

type Subject =
  | { readonly end: number; readonly expression: { readonly start: number; readonly end: number } }
  | { readonly end: number; readonly name: string }

const show = (value: unknown): string => inspect(value, { depth: 8, sorted: true })

const isExpectation = (comment: Comment): boolean => comment.type === "Line" && /^\s*=>/.test(comment.value)

/** The value that starts in the first comment and goes on in the indented comment lines right below it. */
const expectedValue = (code: string, comments: ReadonlyArray<Comment>): string => {
  const [first, ...rest] = comments
  if (first === undefined) return ""
  const parts = [first.value.replace(/^\s*=>/, "").trim()]
  let end = first.end
  for (const next of rest) {
    const isAdjacent = /^\n[ \t]*$/.test(code.slice(end, next.start))
    if (!isAdjacent || next.type !== "Line" || !/^\s{2,}\S/.test(next.value) || isExpectation(next)) break
    parts.push(next.value.trim())
    end = next.end
  }
  return parts.join(" ")
}

const insertionsFor = (subject: Subject, tail: string): ReadonlyArray<Insertion> =>
  "name" in subject
    ? [{ at: subject.end, text: `; __expect(${subject.name}${tail}` }]
    : [
        { at: subject.expression.start, text: "__expect((" },
        { at: subject.expression.end, text: `)${tail}` }
      ]

const apply = (code: string, insertions: ReadonlyArray<Insertion>): string =>
  insertions
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, text: inserted }) => text.slice(0, at) + inserted + text.slice(at), code)
