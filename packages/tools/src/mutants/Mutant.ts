/** Mutants: every change of one place of a source that a test should notice. */
import { parseAst } from "rolldown/parseAst"

/** A change of one place: `from` up to `to` of the text becomes `replacement`. */
export interface Mutant {
  readonly path: string
  readonly line: number
  readonly column: number
  readonly from: number
  readonly to: number
  /** The text that is replaced, on one line. */
  readonly original: string
  readonly replacement: string
  /** The line of the source, without the spaces around it. */
  readonly source: string
  readonly site: Site
}

/**
 * The part of a source that a switch can exchange at run time: an expression, a statement, the property of a call with
 * the dot before it, or a literal that is a key.
 */
export interface Site {
  readonly kind: "expression" | "statement" | "property" | "key"
  readonly start: number
  readonly end: number
}

/** A node of the syntax tree, as the parser yields it: which fields it has depends on its type. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

interface Change {
  readonly from: number
  readonly to: number
  readonly replacement: string
  readonly site: Site
}

/** All mutants of a source, in the order of their places. */
export const enumerate = (path: string, text: string): ReadonlyArray<Mutant> => {
  // The tree of a module is a node.
  const tree = parseAst(text, { lang: "ts" }) as unknown as Node
  const starts = lineStarts(text)
  return [...changesIn(tree, text)]
    .toSorted((a, b) => a.from - b.from || a.to - b.to || (a.replacement < b.replacement ? -1 : 1))
    .map(({ from, replacement, site, to }) => {
      const line = starts.findLastIndex((start) => start <= from)
      const start = starts[line] ?? 0
      const source = text.slice(start, starts[line + 1] ?? text.length).trim()
      const original = text.slice(from, to).replaceAll(/\s+/g, " ")
      return { path, line: line + 1, column: from - start + 1, from, to, original, replacement, source, site }
    })
}

/** The text with the change. */
export const apply = ({ from, replacement, to }: Mutant, text: string): string =>
  text.slice(0, from) + replacement + text.slice(to)

const shortened = (part: string): string => (part.length > 70 ? `${part.slice(0, 67)}...` : part)

/** A mutant for people. */
export const describe = ({ column, line, original, path, replacement }: Mutant): string => {
  return `${path}:${line}:${column}: ${shortened(original)} => ${replacement === "" ? "(removed)" : shortened(replacement)}`
}

const lineStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)
]

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value

/** Types have no effect at run time, and imports no alternative. */
const isIgnored = ({ type }: Node): boolean =>
  (type.startsWith("TS") && !expressions.has(type)) || type === "ImportDeclaration" || type === "ExportAllDeclaration"

const expressions = new Set([
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
  "TSInstantiationExpression"
])

function* changesIn(node: Node, text: string, kind: Site["kind"] = "expression"): Generator<Change> {
  if (isIgnored(node)) return
  yield* changesOf(node, text, kind)
  for (const [field, value] of Object.entries(node)) {
    if (field === "typeAnnotation" || field === "typeArguments" || field === "typeParameters") continue
    const inner = field === "key" && node["computed"] !== true ? "key" : "expression"
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* changesIn(child, text, inner)
  }
}

/** The other operators that an operator is replaced with: its boundary and its opposite. */
const operators: Readonly<Record<string, ReadonlyArray<string>>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "+=": ["-="],
  "-=": ["+="]
}

/** Methods with an opposite. A `find` is left: nearly all search by a key that one item has. */
const methods: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  startsWith: "endsWith",
  endsWith: "startsWith",
  findLast: "find"
}

const changesOf = (node: Node, text: string, kind: Site["kind"]): ReadonlyArray<Change> => {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression":
      return operatorChanges(node, text)
    case "UnaryExpression":
      return node["operator"] === "!" ? [change(node, node.start, node.start + 1, "")] : []
    case "Literal":
      return literalChanges(node, kind)
    case "IfStatement":
    case "ConditionalExpression":
      return [...negation(node["test"], text), ...(node.type === "IfStatement" ? removal(node) : [])]
    case "ExpressionStatement":
      return removal(node)
    case "CallExpression":
      return methodChanges(node)
    default:
      return []
  }
}

/** A change of a node that is an expression. */
const change = ({ end, start }: Node, from: number, to: number, replacement: string): Change => ({
  from,
  to,
  replacement,
  site: { kind: "expression", start, end }
})

const operatorChanges = (node: Node, text: string): ReadonlyArray<Change> => {
  const { left, operator, right } = node
  if (!isNode(left) || !isNode(right) || typeof operator !== "string") return []
  const from = text.indexOf(operator, left.end)
  // What is added to a text is not a number.
  const isText = operator === "+" && [left, right].some(isTextual)
  if (from < 0 || from >= right.start || isText) return []
  return (operators[operator] ?? []).map((replacement) => change(node, from, from + operator.length, replacement))
}

const isTextual = ({ type, value }: Node): boolean =>
  type === "TemplateLiteral" || (type === "Literal" && typeof value === "string")

const literalChanges = (node: Node, kind: Site["kind"]): ReadonlyArray<Change> => {
  const { end, start, value } = node
  const replacement = typeof value === "boolean" ? `${!value}` : typeof value === "number" ? `${value + 1}` : null
  return replacement === null ? [] : [{ ...change(node, start, end, replacement), site: { kind, start, end } }]
}

/** A condition that is not itself a comparison or a negation, which have mutants of their own. */
const negation = (test: unknown, text: string): ReadonlyArray<Change> => {
  if (!isNode(test)) return []
  const hasOwn =
    test.type === "LogicalExpression" ||
    (test.type === "BinaryExpression" && typeof test["operator"] === "string" && test["operator"] in operators) ||
    (test.type === "UnaryExpression" && test["operator"] === "!")
  return hasOwn ? [] : [change(test, test.start, test.end, `!(${text.slice(test.start, test.end)})`)]
}

/** A statement that is left out; where the types need one, an empty one stands in its place. */
const removal = ({ end, start }: Node): ReadonlyArray<Change> => [
  { from: start, to: end, replacement: ";", site: { kind: "statement", start, end } }
]

const methodChanges = ({ callee }: Node): ReadonlyArray<Change> => {
  if (!isNode(callee) || callee.type !== "MemberExpression" || callee["computed"] === true) return []
  const { object, property } = callee
  if (!isNode(object) || !isNode(property) || typeof property["name"] !== "string") return []
  const replacement = Object.hasOwn(methods, property["name"]) ? methods[property["name"]] : undefined
  if (replacement === undefined) return []
  const site = { kind: "property", start: object.end, end: property.end } as const
  return [{ from: property.start, to: property.end, replacement, site }]
}
