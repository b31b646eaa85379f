/**
 * `npm run traffic [-- --keep folder]`: runs the tests of the adapters of hosting platforms, records every request and
 * answer, and judges them by the whole documents that the platforms publish. Fails at any fault.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as GitLab from "./descriptions/GitLab.ts"
import * as Exchange from "./traffic/Exchange.ts"
import * as GraphQl from "./traffic/GraphQl.ts"
import * as OpenApi from "./traffic/OpenApi.ts"
import * as Published from "./traffic/Published.ts"
import * as Report from "./traffic/Report.ts"
import * as Workspace from "./Workspace.ts"

const { values: options } = parseArgs({
  options: { keep: { type: "string", default: "" }, judge: { type: "boolean" } }
})

const folder = options.keep === "" ? mkdtempSync(join(tmpdir(), "lazaret-traffic-")) : options.keep
mkdirSync(folder, { recursive: true })

/** With `--judge` the exchanges of an earlier run, which `--keep` left, are judged again. */
if (options.judge !== true) {
  const vitest = join(Workspace.root, "node_modules/vitest/vitest.mjs")
  const config = join(import.meta.dirname, "traffic/vitest.config.ts")
  const { status } = spawnSync(process.execPath, [vitest, "run", "--config", config, "--reporter", "dot"], {
    cwd: Workspace.root,
    env: { ...process.env, TRAFFIC_FOLDER: folder },
    stdio: "inherit"
  })
  if (status !== 0) process.exitCode = 1
}

const exchanges = Exchange.read(folder)
if (options.keep === "") rmSync(folder, { recursive: true })

/** Pages that a browser visits, tokens of sign-in, archives, and pushes of git: no document of the platforms has them. */
const isPage = ({ url }: Exchange.Exchange): boolean =>
  /^\/(?:login|settings|organizations|artifacts|store|oauth|\.well-known)\b|\.git\/git-receive-pack$/u.test(url)
const isGitLab = ({ url }: Exchange.Exchange): boolean => url.startsWith("/api/v4/")
const isGraphQl = ({ url }: Exchange.Exchange): boolean => url === "/graphql"
/** GitHub redirects from an earlier name to the id of a repository, which no document has: it is judged as a name. */
const named = (each: Exchange.Exchange): Exchange.Exchange => ({
  ...each,
  url: each.url.replace(/^\/repositories\/(\d+)/u, "/repos/id/$1")
})

const pages = exchanges.filter(isPage)
const rest = exchanges.filter((each) => !isPage(each) && !isGitLab(each) && !isGraphQl(each)).map(named)
const reports = [
  ...Published.names.map((name) => Report.of(`${Published.source} ${name}`, OpenApi.of(Published.gitHub(name)), rest)),
  Report.of("@octokit/graphql-schema", GraphQl.make(), exchanges.filter(isGraphQl)),
  Report.of(
    "GitLab, the table of packages/tools/src/descriptions/GitLab.ts",
    OpenApi.of(Published.fromTable(GitLab.extracted)),
    exchanges.filter(isGitLab)
  )
]

for (const report of reports) console.log(Report.toText(report))
console.log(`${pages.length} exchanges with pages and archives that no document has.`)
const isEmpty = reports.some((report) => report.exchanges === 0)
if (isEmpty) console.log("A platform had no traffic: nothing was judged.")
if (isEmpty || reports.some(({ faults }) => faults.length > 0)) process.exitCode = 1
