/** The repositories that the key reaches: how each is, and when it was heard of last. */
import type { Wire } from "@lazaret/api"
import { useEffect } from "preact/hooks"
import { useEverything } from "../../data/Everything.ts"
import { useLazyResource } from "../../data/Lazily.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { changeQuery, href, navigate, useQuery } from "../../Router.ts"
import { HealthShape } from "../../ui/Health.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"

type Repository = Wire.RepositoriesPage["repositories"][number]

const rowsOf = (page: Wire.RepositoriesPage): ReadonlyArray<Repository> => page.repositories

const Counts = ({ of: { quarantines, tests } }: { readonly of: Wire.RepositorySummary }) => {
  const all = tests.broken + tests.flaky + tests.healthy
  return (
    <>
      {(["broken", "flaky"] as const).map((status) => (
        <span key={status} class={tests[status] === 0 ? "muted tally" : "tally"}>
          <HealthShape status={status} /> {Format.number(tests[status])} {status}
        </span>
      ))}
      <span class="muted tally">{Format.number(quarantines)} quarantined</span>
      <span class="muted tally">{Format.plural(all, "test")}</span>
    </>
  )
}

const Row = ({ of: each }: { readonly of: Repository }) => {
  const { element, resource } = useLazyResource(Routes.summary(each))
  const summary = resource.status === "ready" ? resource.answer.body : null
  return (
    <li class="repository">
      <a class="row-link" data-row="true" href={href(Places.overview(each))}>
        <span class="muted">{each.owner} /</span> {each.repository}
      </a>
      <span ref={element} class="tallies">
        {summary === null ? null : <Counts of={summary} />}
      </span>
      <span class="muted last-upload">
        {summary === null ? null : summary.last_upload_at === null ? (
          "no upload"
        ) : (
          <>
            last upload <Time at={summary.last_upload_at} />
          </>
        )}
      </span>
    </li>
  )
}

const Nothing = () => (
  <Empty title="No repository has sent a report yet">
    <p>Try an invented history of two months, which ends with a link to its page:</p>
    <pre tabIndex={0}>lazaret demo</pre>
    <p>Or open the page of your repository, /owner/repository: it has the commands for a first report.</p>
  </Empty>
)

const Search = ({ found, of: all }: { readonly of: number; readonly found: number }) => {
  const query = useQuery()
  return (
    <div class="field search">
      <label for="search">Search</label>
      <input
        id="search"
        type="search"
        autocomplete="off"
        spellcheck={false}
        data-search="true"
        placeholder="part of a name, in any case"
        value={query.get("search") ?? ""}
        onInput={(event) => changeQuery({ search: event.currentTarget.value }, { replace: true })}
      />
      <p class="hint" aria-live="polite">
        {found === all
          ? Format.plural(all, "repository", "repositories")
          : `${Format.number(found)} of ${Format.number(all)}`}
      </p>
    </div>
  )
}

/** How many repositories can be seen without a search. */
const few = 6

export const RepositoriesPage = () => {
  const query = useQuery()
  const { resource } = useEverything(Routes.repositories({ per_page: 100 }), rowsOf)
  const all = resource.status === "ready" ? resource.answer.body.rows : []
  // A user with one repository is forwarded to it, unless the link asks for all of them.
  const only = all.length === 1 && !query.has("all") ? all[0] : undefined
  useEffect(() => {
    if (only !== undefined) navigate(Places.overview(only), { replace: true })
  }, [only])
  const text = (query.get("search") ?? "").toLowerCase()
  const found = all.filter((each) => `${each.owner}/${each.repository}`.toLowerCase().includes(text))
  return (
    <>
      <PageTitle>Repositories</PageTitle>
      <Section title="With test reports">
        <Loaded of={resource} lines={6}>
          {({ isComplete }) =>
            all.length === 0 ? (
              <Nothing />
            ) : (
              <>
                {all.length > few || text !== "" ? <Search of={all.length} found={found.length} /> : null}
                {found.length === 0 ? (
                  <Empty title="No repository matches">Search for a shorter part of its name.</Empty>
                ) : null}
                <ul class="rows">
                  {found.map((each) => (
                    <Row key={`${each.owner}/${each.repository}`} of={each} />
                  ))}
                </ul>
                {isComplete ? null : <p class="hint">The first {Format.number(all.length)} are shown.</p>}
              </>
            )
          }
        </Loaded>
      </Section>
    </>
  )
}
