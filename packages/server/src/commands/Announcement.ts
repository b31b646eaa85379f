/** The text that `lazaret serve` prints: the address of the server, the place of its data, and commands to try next. */
import { join, resolve, sep } from "node:path"
import { Shell } from "@lazaret/cli"
import { Redacted } from "effect"
import type { AdminKey } from "../access/AdminKey.ts"
import type { Settings } from "../Settings.ts"
import type { Storage } from "../Storage.ts"
import { version } from "../Version.ts"

/** The lines that show a new key, which is shown only then; no lines for other keys. */
export const ofKey = (key: AdminKey): ReadonlyArray<string> =>
  key._tag === "Made"
    ? [`The first admin key, shown only this once and kept in ${key.path}:`, "", `  ${Redacted.value(key.secret)}`, ""]
    : []

/** The lines about a server that listens at `url`; `code` is for one sign-in to its dashboard. */
export const ofServer = (url: string, settings: Settings, key: AdminKey, code: string): ReadonlyArray<string> => [
  `Lazaret ${version} is ready at ${url}`,
  "",
  `  dashboard  ${settings.publicUrl ?? url}/sign-in#${code}`,
  "             this link signs you in once, within 15 minutes",
  `  data       ${placeOf(settings.storage)}`,
  `  admin key  ${key._tag === "Environment" ? "the value of LAZARET_ADMIN_KEY" : `in ${key.path}`}`,
  `  interface  ${url}/openapi.json`,
  ...(settings.publicUrl === null ? [] : [`  links      begin with ${settings.publicUrl}`]),
  "",
  "Try next, in another terminal:",
  "",
  ...commands(url, key).map((command) => `  ${command}`),
  ""
]

/** Without the user and the password of a database. */
const placeOf = (storage: Storage): string => {
  switch (storage._tag) {
    case "Memory":
      return "in memory only: it is lost when this server stops"
    case "Embedded":
      return `in ${join(storage.folder, "postgres")}, in its own PostgreSQL`
    case "Postgres":
      return `in ${databaseOf(new URL(Redacted.value(storage.url)))}`
  }
}

const databaseOf = ({ host, pathname, searchParams }: URL): string =>
  `the database ${decodeURIComponent(pathname.slice(1))} at ${searchParams.get("host") ?? host}`

/** The folder of the clone that this program runs from; null for an installed package, which has its command in the PATH. */
const clone = import.meta.dirname.split(sep).includes("node_modules")
  ? null
  : resolve(import.meta.dirname, "../../../..")

/** A small report that exists. */
const report = clone === null ? "reports/junit.xml" : Shell.quoted(join(clone, "examples/run-the-server/report.xml"))

const commands = (url: string, key: AdminKey): ReadonlyArray<string> => [
  ...(clone === null ? [] : [`export PATH=${Shell.quoted(join(clone, "node_modules/.bin"))}:"$PATH"`]),
  ...(url === "http://127.0.0.1:4180" ? [] : [`export LAZARET_URL=${url}`]),
  key._tag === "Environment" ? "export LAZARET_TOKEN=…" : Shell.exportKey(resolve(key.path)),
  "lazaret demo",
  `curl -H "Authorization: Bearer $LAZARET_TOKEN" "${url}/v1/ci/acme/repositories/demo/search/tests?per_page=5"`,
  `lazaret ingest --repo acme/widgets --pipeline CI --job unit --branch main --commit 4f1c ${report}`
]
