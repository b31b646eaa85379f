/** The pull requests, or the commits, with the outcomes of their jobs: the ways to "is it mine?". */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import { useSettled } from "../../data/Settled.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { changeQuery, href, useQuery } from "../../Router.ts"
import { Pager } from "../../ui/Pager.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { PullSource } from "../../ui/Source.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { CommitLink } from "../../ui/SubjectLink.tsx"
import { Time } from "../../ui/Time.tsx"

type Kind = "pulls" | "commits"

interface Props {
  readonly repository: Places.Repository
  readonly kind: Kind
}

type Row = Wire.ListedCommit

/** The page of the failures: of the pull request where its number is known, else of the commit. */
const subjectOf = ({ commit, pull_request: pull }: Row, kind: Kind): Places.Subject =>
  kind === "pulls" && pull !== null ? { kind: "pull", id: String(pull.number) } : { kind: "commit", id: commit }

const titleOf = ({ branch, pull_request: pull }: Row): string =>
  pull === null ? branch : `#${pull.number} ${pull.title ?? branch}`

const authorOf = ({ pull_request: pull }: Row): string | null => (pull === null ? null : pull.author)

const outcomeOf = ({ failed, failed_jobs, jobs }: Row): string =>
  failed_jobs === 0
    ? `${Format.plural(jobs, "job")} passed`
    : `${failed_jobs} of ${Format.plural(jobs, "job")} failed, ${Format.plural(failed, "failure")}`

const CommitRow = ({ kind, of, repository }: Props & { readonly of: Row }) => (
  <li>
    <span class="row-main">
      <span class="subject">
        <a class="row-link" data-row="true" href={href(Places.failures(repository, subjectOf(of, kind)))}>
          {titleOf(of)}
        </a>
        {of.pull_request === null ? null : <PullSource repository={repository} number={of.pull_request.number} />}
      </span>
      <span class="muted">
        <Time at={of.finished_at} /> · <CommitLink repository={repository} commit={of.commit} />
        {of.pull_request === null ? "" : ` · ${of.branch}`}
        {of.base_branch === null ? "" : ` into ${of.base_branch}`}
        {authorOf(of) === null ? "" : ` · by ${authorOf(of)}`}
        {of.is_fork ? " · fork" : ""}
      </span>
    </span>
    <span class={`badge ${of.conclusion === "failure" ? "broken" : "healthy"}`}>{outcomeOf(of)}</span>
  </li>
)

const Filters = ({ kind, repository }: Props) => {
  const query = useQuery()
  const isFailing = query.get("conclusion") === "failure"
  return (
    <div class="filter-row">
      <input
        type="search"
        aria-label={kind === "pulls" ? "Search pull requests" : "Search commits"}
        placeholder="#42, branch, title, commit or run"
        maxLength={255}
        value={query.get("search") ?? ""}
        onInput={(event) => changeQuery({ search: event.currentTarget.value }, { replace: true })}
      />
      <button
        type="button"
        class="chip"
        aria-pressed={isFailing}
        onClick={() => changeQuery({ conclusion: isFailing ? null : "failure" })}
      >
        Red only
      </button>
      <a href={href(kind === "pulls" ? Places.commits(repository) : Places.pulls(repository))}>
        {kind === "pulls" ? "All commits" : "Pull requests"}
      </a>
    </div>
  )
}

export const CommitsPage = ({ kind, repository }: Props) => {
  const query = useQuery()
  const search = useSettled(query.get("search") ?? "")
  const conclusion = query.get("conclusion")
  const found = useResource(
    Routes.commits(repository, kind, {
      ...(search === "" ? {} : { search }),
      ...(conclusion === "failure" ? { conclusion } : {}),
      cursor: query.get("cursor"),
      per_page: 25
    })
  )
  const isFiltered = search !== "" || conclusion === "failure"
  const noun = kind === "pulls" ? "pull request" : "commit"
  return (
    <>
      <PageTitle>{kind === "pulls" ? "Pull requests" : "Commits"}</PageTitle>
      <Section
        title={found.status === "ready" ? Format.plural(found.answer.body.total, noun) : `Latest ${noun}s`}
        aside="With a job run in the last 30 days; of each job, the latest run counts"
      >
        <Filters kind={kind} repository={repository} />
        <Loaded of={found} lines={8}>
          {(page, { cursors }) =>
            page.commits.length === 0 ? (
              <Empty title={isFiltered ? `No ${noun} matches` : `No ${noun} yet`}>
                {isFiltered
                  ? "Search for a part of the branch or title, the beginning of a commit, a run or a number."
                  : "They appear with the first report of a job that runs for one."}
              </Empty>
            ) : (
              <>
                <ul class="rows">
                  {page.commits.map((each) => (
                    <CommitRow key={each.commit} of={each} kind={kind} repository={repository} />
                  ))}
                </ul>
                <Pager cursors={cursors} />
              </>
            )
          }
        </Loaded>
      </Section>
    </>
  )
}
