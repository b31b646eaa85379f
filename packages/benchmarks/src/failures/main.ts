/** `npm run train:failures [-- --history=FOLDER]`: learns the numbers of the verdict on a failure and writes them. */
import { readFileSync, writeFileSync } from "node:fs"
import * as History from "./History.ts"
import { replay } from "./Replay.ts"
import { settings } from "./Training.ts"
import * as WeightsFile from "./WeightsFile.ts"

const folder = History.folderOf(process.argv.slice(2))
const runs = History.read(folder)

if (runs === null) {
  console.error(
    `The folder ${folder} has no file *.jsonl.gz. Name another one: npm run train:failures -- --history=FOLDER`
  )
  process.exitCode = 1
} else {
  const text = WeightsFile.textOf(runs, await replay(runs), settings)
  const isNew = readFileSync(WeightsFile.path, "utf8") !== text
  if (isNew) writeFileSync(WeightsFile.path, text)
  console.log(text)
  console.log(isNew ? `written to ${WeightsFile.path}` : "nothing changed")
}
