/** `npm run examples`: runs the code of docstrings, of the README and of the documentation. */
import { join } from "node:path"
import * as CodeBlock from "./examples/CodeBlock.ts"
import * as Examples from "./examples/Examples.ts"
import * as Workspace from "./Workspace.ts"

const sources = Workspace.files(["packages/*/src/**/*.ts"])
const pages = Workspace.files(["*.md", "{docs,examples}/**/*.md", "packages/*/README.md"])
const blocks = [...pages.flatMap(CodeBlock.ofMarkdown), ...sources.flatMap(CodeBlock.ofSource)]

// An example that ends the process must not end it as a success.
process.on("exit", () => {
  if (!finished) process.exitCode = 1
})
let finished = false

const failures = await Examples.run(blocks, join(Workspace.root, ".cache/examples"))
finished = true

for (const { line, message, path } of failures) console.error(`${path}:${line} ${message}`)
console.log(`${blocks.length} examples, ${failures.length} failures`)
// Not `exitCode`: an example may have left a timer or a connection open.
process.exit(failures.length === 0 ? 0 : 1)
