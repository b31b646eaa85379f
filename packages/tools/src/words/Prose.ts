/** The prose of a file: Markdown as it stands; of TypeScript its comments, texts and markup. */
import { parseSync, Visitor } from "rolldown/utils"
import type { TextFile } from "../Workspace.ts"

/**
 * Yields the prose of a file at its place: every other character is a space, so lines and columns keep their numbers.
 *
 * **Details**
 *
 * A string counts as prose when it holds a space between two words: identifiers, paths and enum values are code.
 */
export const of = (file: TextFile): string => (file.path.endsWith(".md") ? file.text : ofSource(file))

const ofSource = ({ path, text }: TextFile): string => {
  const { comments, program } = parseSync(path, text)
  const spans: Array<Span> = [...comments]
  const addText = (span: Span) => {
    if (/\p{L}[,:;.]? \p{L}/u.test(text.slice(span.start, span.end))) spans.push(span)
  }
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === "string") addText(node)
    },
    TemplateElement: addText,
    JSXText: addText
  }).visit(program)
  return keep(text, spans)
}

interface Span {
  readonly start: number
  readonly end: number
}

const keep = (text: string, spans: ReadonlyArray<Span>): string => {
  const kept = new Uint8Array(text.length)
  for (const { start, end } of spans) kept.fill(1, start, end)
  return text.replace(/[^\n]/g, (character, offset: number) => (kept[offset] === 1 ? character : " "))
}
