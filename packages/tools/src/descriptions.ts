/**
 * `npm run descriptions`: writes the fixtures of the simulated forges from the descriptions that the platforms publish.
 *
 * The package of GitHub's description has 404 MB, so it is not a dependency: it is fetched into a temporary folder. Run this
 * again after a change of the lists below.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Extract from "./descriptions/Extract.ts"
import * as GitLab from "./descriptions/GitLab.ts"
import { isObject, type JsonObject } from "./descriptions/Json.ts"
import * as Workspace from "./Workspace.ts"

interface Source {
  readonly fixture: string
  readonly package: string
  readonly file: string
  readonly extract: (description: JsonObject, names: ReadonlyArray<string>) => Extract.Extracted
  readonly names: ReadonlyArray<string>
}

const sources: ReadonlyArray<Source> = [
  {
    fixture: "github.json",
    package: "@octokit/openapi@23.0.2",
    file: "generated/api.github.com.json",
    extract: Extract.operations,
    names: [
      "apps/get-authenticated",
      "apps/create-from-manifest",
      "apps/get-repo-installation",
      "apps/create-installation-access-token",
      "apps/list-webhook-deliveries",
      "apps/redeliver-webhook-delivery",
      "users/get-authenticated",
      "repos/get",
      "repos/get-branch",
      "repos/get-content",
      "repos/create-or-update-file-contents",
      "repos/get-collaborator-permission-level",
      "git/get-ref",
      "git/create-ref",
      "git/update-ref",
      "git/delete-ref",
      "git/list-matching-refs",
      "git/create-tree",
      "git/create-commit",
      "repos/merge",
      "repos/list-pull-requests-associated-with-commit",
      "pulls/get",
      "pulls/list",
      "pulls/create",
      "pulls/update",
      "pulls/merge",
      "pulls/list-commits",
      "checks/create",
      "checks/update",
      "checks/list-for-ref",
      "issues/list-comments",
      "issues/create-comment",
      "issues/update-comment",
      "issues/delete-comment",
      "issues/list-for-repo",
      "issues/get",
      "issues/create",
      "issues/update",
      "issues/check-user-can-be-assigned",
      "git/get-commit",
      "repos/create-commit-status",
      "repos/list-commit-statuses-for-ref",
      "actions/list-workflow-runs-for-repo",
      "actions/get-workflow-run",
      "actions/re-run-workflow-failed-jobs",
      "actions/re-run-workflow",
      "actions/cancel-workflow-run",
      "repos/get-branch-rules",
      "repos/compare-commits",
      "actions/list-workflow-run-artifacts",
      "actions/download-artifact"
    ]
  },
  {
    fixture: "github-deliveries.json",
    package: "@octokit/openapi-webhooks@12.1.0",
    file: "generated/api.github.com.json",
    extract: Extract.deliveries,
    names: [
      "ping",
      "push",
      "check-run-requested-action",
      "check-run-rerequested",
      "pull-request-opened",
      "pull-request-synchronize",
      "pull-request-closed",
      "pull-request-reopened",
      "pull-request-labeled",
      "pull-request-unlabeled",
      "issue-comment-created",
      "issue-comment-edited",
      "workflow-run-completed",
      "installation-created",
      "installation-deleted",
      "installation-suspend",
      "installation-unsuspend",
      "repository-renamed",
      "repository-transferred",
      "repository-archived",
      "repository-unarchived",
      "status",
      "pull-request-enqueued",
      "pull-request-dequeued",
      "merge-group-checks-requested",
      "merge-group-destroyed"
    ]
  }
]

const write = (fixture: string, source: string, extracted: Extract.Extracted) => {
  const text = JSON.stringify({ source, ...extracted })
  writeFileSync(join(Workspace.root, "packages/forge-simulated/fixtures", fixture), `${text}\n`)
  console.log(`${fixture}: ${Object.keys(extracted.operations).length} entries, ${Math.round(text.length / 1000)} kB`)
}

write("gitlab.json", "packages/tools/src/descriptions/GitLab.ts", GitLab.extracted)

// With `--gitlab` only the description that needs no network is written.
if (process.argv.includes("--gitlab")) process.exit(0)

const folder = mkdtempSync(join(tmpdir(), "descriptions-"))

for (const { extract, file, fixture, names, package: source } of sources) {
  const [tarball = ""] = execFileSync("npm", ["pack", "--silent", source], { cwd: folder, encoding: "utf8" }).split(
    "\n"
  )
  execFileSync("tar", ["-xzf", tarball, `package/${file}`], { cwd: folder })
  const description: unknown = JSON.parse(readFileSync(join(folder, "package", file), "utf8"))
  // The file is JSON, and its top is an object.
  const extracted = extract(isObject(description as JsonObject) ? (description as JsonObject) : {}, names)
  write(fixture, `${source}, ${file}, MIT License, GitHub`, extracted)
}

rmSync(folder, { recursive: true })
