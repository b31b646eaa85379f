/** The verdict on a failure against one-line rules, on real history. */
import { writeFileSync } from "node:fs"
import * as History from "./failures/History.ts"
import * as Online from "./failures/Online.ts"
import { replay } from "./failures/Replay.ts"
import * as Report from "./failures/Report.ts"
import * as Generated from "./generated/Section.ts"
import type { Lines } from "./Section.ts"

/**
 * Replays history and prints the table of rules.
 *
 * **Details**
 *
 * `--history=FOLDER` names the folder (`*.jsonl.gz`), `--from=DATE` the first day of the table (2024-01-01, the first that
 * nothing was learned from), `--predictions=FILE` a file that gets one line for each failure of the history, from that day
 * on when it is named. `--generated` judges generated repositories instead (`generated/Section.ts`).
 */
export const failures: Lines = {
  name: "failures",
  lines: async function* (options) {
    if (options.includes("--generated")) {
      yield* Generated.lines(options)
      return
    }
    const folder = History.folderOf(options)
    const runs = History.read(folder)
    if (runs === null) {
      yield `!!! SKIPPED: the folder ${folder} has no file *.jsonl.gz. Name another one: --history=FOLDER !!!`
      return
    }
    const from = History.option(options, "from")
    const replayed = Online.judge(await replay(runs))
    const file = History.option(options, "predictions")
    if (file !== undefined) {
      const lines = Report.predictions(replayed.filter(({ at }) => at >= (from ?? "")))
      writeFileSync(file, lines.map((line) => `${line}\n`).join(""))
      yield `${lines.length} predictions in ${file}`
    }
    yield* Report.table(replayed, { from: from ?? "2024-01-01", until: "9999" })
  }
}
