/** A command that sends a first report; it works where it is pasted, once the server and a key are named. */
import type * as Places from "../Places.ts"
import { base } from "../Base.ts"
import { Copy } from "./Copy.tsx"

const commandFor = ({ owner, repository }: Places.Repository): string =>
  [
    `export LAZARET_URL=${location.origin}${base.replace(/\/$/u, "")} LAZARET_TOKEN=your-key`,
    `echo '<testsuite><testcase name="first test"/></testsuite>' > first.xml`,
    `lazaret ingest --repo ${owner}/${repository} --pipeline CI --job unit --commit first first.xml`
  ].join("\n")

export const FirstReport = ({ repository }: { readonly repository: Places.Repository }) => (
  <>
    <Copy label="Commands for a first report" text={commandFor(repository)} />
    <p class="hint">
      Replace <code>your-key</code> by an application key. In CI no further flag is needed:{" "}
      <code>lazaret ingest reports/</code> takes the run from the environment.
    </p>
  </>
)
