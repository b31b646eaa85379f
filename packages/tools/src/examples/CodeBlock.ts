/** TypeScript code blocks in docstrings and in Markdown. */
import { parseSync } from "rolldown/utils"
import type { TextFile } from "../Workspace.ts"

/** A code block: where its first line of code stands, the code, and whether it runs or is only type-checked. */
export interface CodeBlock {
  readonly path: string
  readonly line: number
  readonly code: string
  readonly runs: boolean
}

/**
 * The blocks of a Markdown file that are marked `ts`, in the order of the text.
 *
 * **Details**
 *
 * A block marked `ts no-run` is type-checked but not run, for code that would start a server. Every other mark is no
 * example of ours: a block in another language, or `typescript` for a fragment.
 */
export const ofMarkdown = (file: TextFile): ReadonlyArray<CodeBlock> => scan(file.path, 1, file.text.split("\n"))

/** The blocks marked `ts` in the docstrings of a source file, in the order of the text. */
export const ofSource = (file: TextFile): ReadonlyArray<CodeBlock> =>
  parseSync(file.path, file.text)
    .comments.filter((comment) => comment.type === "Block" && comment.value.startsWith("*"))
    .flatMap((comment) => {
      const line = file.text.slice(0, comment.start).split("\n").length
      const text = comment.value.split("\n").map((each) => each.replace(/^\s*\* ?/, ""))
      return scan(file.path, line, text)
    })

interface Fence {
  readonly ticks: string
  readonly indent: number
  readonly info: string
  readonly line: number
}

const scan = (path: string, firstLine: number, lines: ReadonlyArray<string>): ReadonlyArray<CodeBlock> => {
  const blocks: Array<CodeBlock> = []
  let fence: Fence | undefined
  let code: Array<string> = []
  for (const [index, text] of lines.entries()) {
    if (fence === undefined) {
      fence = opening(text, firstLine + index + 1)
      code = []
    } else if (closes(fence, text)) {
      blocks.push(...blockOf(path, fence, code))
      fence = undefined
    } else {
      code.push(text.slice(Math.min(fence.indent, text.search(/\S|$/))))
    }
  }
  return blocks
}

const opening = (text: string, line: number): Fence | undefined => {
  const [, indent, ticks, info] = /^(\s*)(`{3,})([^`]*)$/.exec(text) ?? []
  if (indent === undefined || ticks === undefined || info === undefined) return undefined
  return { ticks, indent: indent.length, info: info.trim(), line }
}

const closes = (fence: Fence, text: string): boolean =>
  /^`+$/.test(text.trim()) && text.trim().length >= fence.ticks.length

const blockOf = (path: string, { info, line }: Fence, code: ReadonlyArray<string>): ReadonlyArray<CodeBlock> =>
  info === "ts" || info === "ts no-run" ? [{ path, line, code: code.join("\n"), runs: info === "ts" }] : []
