/** YAML documents from people we do not know: bounded in size, depth and aliases, with the line of every node. */
import { Result } from "effect"
import { type Alias, isAlias, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from "yaml"

/** The most aliases that a document may hold. Rules that share settings need a handful; a bomb needs many. */
const mostAliases = 50

/**
 * A fault of a document, and its place: `path` such as `queue_rules[0].batch_size`, `document` for the whole; `line`
 * counted from 1.
 */
export interface Fault {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** A document that has been read: its nodes, not yet their meaning, and the node that each alias stands for. */
export interface YamlDocument {
  readonly root: unknown
  readonly targets: ReadonlyMap<Alias, Node>
  readonly lines: LineCounter
}

/**
 * The document that a text holds, or everything that is wrong with its syntax.
 *
 * **Details**
 *
 * YAML 1.2, one document. Refused are texts of more than `mostCharacters` characters, unknown tags, aliases of nothing,
 * more than {@link mostAliases} aliases, and nesting that the reader cannot follow. Aliases are never expanded here.
 */
export const read = (text: string, mostCharacters: number): Result.Result<YamlDocument, ReadonlyArray<Fault>> => {
  if (text.length > mostCharacters) {
    return refused(`has ${text.length} characters; at most ${mostCharacters} are accepted`)
  }
  // The parser recurses: text that nests too deeply for its stack is refused like any other invalid text.
  const parsed = Result.try(() => readNodes(text))
  return Result.isFailure(parsed) ? refused(tooDeep) : parsed.success
}

/** The node that a node stands for: the target of an alias, else the node itself. */
export const resolve = (document: YamlDocument, node: unknown): unknown =>
  isAlias(node) ? document.targets.get(node) : node

/** Whether a node is absent, empty or `null`. */
export const isNull = (node: unknown): boolean =>
  node === null || node === undefined || (isScalar(node) && node.value === null)

/** The line on which a node starts, counted from 1; 1 where it has none. */
export const lineOf = (document: YamlDocument, node: unknown): number => lineIn(document.lines, node)

const several = "begins another document: only one is accepted in a file"

const tooDeep = "cannot be read: it is nested too deeply"

const lineIn = (lines: LineCounter, node: unknown): number =>
  isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1

const refused = (message: string, line = 1): Result.Result<never, ReadonlyArray<Fault>> =>
  Result.fail([{ path: "document", line, message }])

const readNodes = (text: string): Result.Result<YamlDocument, ReadonlyArray<Fault>> => {
  const lines = new LineCounter()
  // duplicate keys are found by the code that reads a map: the library's own search is quadratic in the number of keys
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: "error"
  })
  const next = document.errors.find(({ code }) => code === "MULTIPLE_DOCS")
  if (next !== undefined) return refused(several, lines.linePos(next.pos[0]).line)
  const problems = [...document.errors, ...document.warnings]
  if (problems.some(({ code }) => code === "RESOURCE_EXHAUSTION")) return refused(tooDeep)
  if (problems.length > 0) {
    const at = (position: number) => lines.linePos(position).line
    return Result.fail(
      problems.slice(0, 20).map(({ message, pos }) => ({ path: "document", line: at(pos[0]), message }))
    )
  }
  return Result.map(readAliases(document, lines), (targets) => ({ root: document.contents, targets, lines }))
}

/** The node that each alias stands for: the last one before it that carries its anchor. */
const readAliases = (
  document: ReturnType<typeof parseDocument>,
  lines: LineCounter
): Result.Result<ReadonlyMap<Alias, Node>, ReadonlyArray<Fault>> => {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  const dangling: Array<Fault> = []
  visit(document, {
    Node: (_key, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node)
        return
      }
      const target = anchors.get(node.source)
      if (target !== undefined) targets.set(node, target)
      else
        dangling.push({
          path: "document",
          line: lineIn(lines, node),
          message: `*${node.source} has no anchor before it`
        })
    }
  })
  if (targets.size > mostAliases) return refused(`has ${targets.size} aliases; at most ${mostAliases} are accepted`)
  return dangling.length > 0 ? Result.fail(dangling.slice(0, 20)) : Result.succeed(targets)
}
