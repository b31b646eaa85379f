/** The manual in short, served by the server itself: a dashboard without internet has it, too. */
import { href } from "../Router.ts"
import * as Keyboard from "../Keyboard.ts"
import { HealthBadge } from "../ui/Health.tsx"
import { PageTitle, Section } from "../ui/Section.tsx"

export const ManualPage = () => (
  <>
    <PageTitle>Manual</PageTitle>
    <Section title="What the words mean">
      <dl class="terms">
        <dt>
          <HealthBadge status="healthy" />
        </dt>
        <dd>The test passes, or its failures were fixed. If it fails, your change is probably the cause.</dd>
        <dt>
          <HealthBadge status="flaky" />
        </dt>
        <dd>The test failed and passed on the same code: a single failure proves nothing.</dd>
        <dt>
          <HealthBadge status="broken" />
        </dt>
        <dd>The test fails on the default branch, and has not passed since.</dd>
        <dt>Quarantine</dt>
        <dd>The test still runs and is still judged, but its failures do not fail a build.</dd>
        <dt>Outage</dt>
        <dd>
          Many tests failed at once that passed before. This says something about the environment, not about the tests.
        </dd>
        <dt>Retested</dt>
        <dd>
          How often reruns have tested the verdict since it changed (<code>health_confidence</code> in the interface). A
          flaky test that is rarely retested is still proven to be flaky.
        </dd>
        <dt>Identity</dt>
        <dd>A test in one pipeline and one job. Each has its own verdict; the test shows the worst.</dd>
      </dl>
    </Section>
    <Section title="Search">
      <p>
        Words may be anywhere in the name, in any order and in upper or lower case. <code>!word</code> leaves tests out;{" "}
        <code>*</code> and <code>?</code> are wildcards. The address contains the whole view, so you can send it to
        somebody.
      </p>
      <p>
        <button type="button" class="button" onClick={Keyboard.showHelp}>
          Show the keys
        </button>
      </p>
    </Section>
    <Section title="Send reports from CI">
      <p>
        <code>lazaret run -- npm test</code> runs the tests, uploads their reports, and passes when every failure is of
        a quarantined test. <code>lazaret ingest reports/</code> uploads alone. Both take the run from the environment
        of the CI system. The command is one file,{" "}
        <a href={href("cli/lazaret.mjs")} data-outside="true">
          lazaret.mjs
        </a>
        , for Node 20 or newer.
      </p>
    </Section>
    <Section title="Show a merge queue">
      <p>
        The tab Queue appears as soon as the server receives events of a queue: from the webhook of GitHub, or at{" "}
        <code>POST /v1/repos/&#123;owner&#125;/&#123;repository&#125;/queue/events</code>.
      </p>
    </Section>
    <Section title="More">
      <p>
        The{" "}
        <a href={href("docs")} data-outside="true">
          reference of the HTTP interface
        </a>{" "}
        has every route. Guides for CI systems, GitHub, production and the rules behind the verdicts are in the folder{" "}
        <code>docs</code> of the source; begin with <code>docs/README.md</code>.
      </p>
    </Section>
  </>
)
