/** One test: how it is, how it was, why, and what to do about it. */
import type { Wire } from "@lazaret/api"
import { useEffect, useMemo } from "preact/hooks"
import { isLoading, useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Owners from "../../Owners.ts"
import * as Places from "../../Places.ts"
import * as Session from "../../Session.ts"
import { changeQuery, href, useQuery } from "../../Router.ts"
import { BadgeOffer } from "../../ui/BadgeOffer.tsx"
import { HealthBadge } from "../../ui/Health.tsx"
import { PageTitle } from "../../ui/Section.tsx"
import { Empty, Failed, PageSkeleton } from "../../ui/States.tsx"
import { CommitLink, PullLink } from "../../ui/SubjectLink.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { FileLink } from "../../ui/Source.tsx"
import { Since, Time, useNow } from "../../ui/Time.tsx"
import { adviceFor } from "./test/Advice.ts"
import { failedElsewhere } from "./test/BranchFailure.tsx"
import { Elsewhere } from "./test/Elsewhere.tsx"
import { History } from "./test/History.tsx"
import { Identities } from "./test/Identities.tsx"
import { LastFailure } from "./test/LastFailure.tsx"
import { LatestRuns } from "./test/LatestRuns.tsx"
import { OtherNames } from "./test/OtherNames.tsx"
import { CauseOf, causesOf } from "./test/CauseOf.tsx"
import { ChangeOf } from "./test/ChangeOf.tsx"
import { QuarantineOf, quarantinesOf } from "./test/QuarantineOf.tsx"
import { Removal } from "./test/Removal.tsx"
import { StressRuns } from "./test/StressRuns.tsx"
import { Why } from "./test/Why.tsx"

const windows = [1, 7, 30, 90] as const

const day = 86_400_000

const fiveMinutes = 300_000

/** The window that the page shows; it moves every five minutes, so that answers can be kept in between. */
const useBounds = () => {
  const asked = Number(useQuery().get("days"))
  const days = windows.find((each) => each === asked) ?? 30
  const end = Math.ceil(useNow() / fiveMinutes) * fiveMinutes
  const bounds = useMemo(
    () => ({ start: new Date(end - days * day).toISOString(), end: new Date(end).toISOString() }),
    [end, days]
  )
  return { days, bounds }
}

const WindowChoice = ({ days }: { readonly days: number }) => (
  <div class="choice-values" role="group" aria-label="Time shown">
    {windows.map((each) => (
      <button
        key={each}
        type="button"
        aria-pressed={each === days}
        onClick={() => changeQuery({ days: each === 30 ? null : String(each) }, { replace: true })}
      >
        {Format.plural(each, "day")}
      </button>
    ))}
  </div>
)

/** The owners as a fact; null without a CODEOWNERS. */
const ownersOf = (of: Wire.TestOwners) => {
  const phrase = Owners.phraseOf(Owners.namesOf(of))
  return of.owners.length > 0 ? <strong>{phrase}</strong> : of.source === null ? null : phrase
}

const IssueLink = ({ of: { is_open, issue, url } }: { readonly of: Wire.IssueList["issues"][number] }) => (
  <a href={url} rel="noreferrer" target="_blank">
    {is_open ? "open" : "closed"} issue {/^\d+$/u.test(issue) ? `#${issue}` : issue}
  </a>
)

const Facts = (props: {
  readonly details: Wire.TestDetails
  readonly repository: Places.Repository
  readonly owners: Wire.TestOwners | null
  readonly issue: Wire.IssueList["issues"][number] | null
}) => {
  const { details, issue, repository } = props
  const framework = [details.test_framework, details.test_framework_version].filter((each) => each !== null).join(" ")
  const path = details.test_filepath
  const facts = [
    path === null ? null : (
      <FileLink repository={repository} path={path} commit={details.first_failure_commit} line={null} />
    ),
    details.test_function_name,
    framework === "" ? null : framework,
    details.test_programming_language,
    // The owners are last: they may load later and must not shift the others.
    props.owners === null ? null : ownersOf(props.owners),
    issue === null ? null : <IssueLink of={issue} />
  ].filter((each) => each !== null)
  // Without facts the line is empty, because the owners may still be loading.
  return (
    <p class="muted facts">
      {facts.map((each, index) => (
        <span key={index}>{each}</span>
      ))}
    </p>
  )
}

/** Since when the worst identity has its status, where it is not healthy. */
const sinceOf = (why: Wire.ExplainedTest | null): string | null =>
  why === null || why.health_status === "healthy" ? null : (why.identities[0]?.since ?? null)

interface SummaryProps {
  readonly of: Wire.TestDetails
  readonly repository: Places.Repository
  readonly why: Wire.ExplainedTest | null
}

/**
 * How often it fails: the row of a broken test, with the commit that began it, the runs of other branches where it failed only
 * there, else the share of 30 days.
 */
const Rate = ({ of: test, repository, why }: SummaryProps) => {
  const worst = why?.identities[0]
  const row = worst?.health_status === "broken" ? worst.failing : null
  const elsewhere = why === null || test.last_failure_at !== null ? 0 : failedElsewhere(why).length
  if (elsewhere > 0) return <span>failed in {Format.plural(elsewhere, "run")} of other branches</span>
  return row === null || row === undefined ? (
    <span>fails in {Format.percent(test.failure_ratio)} of its runs of 30 days</span>
  ) : (
    <span>
      {row.failures === 1 ? "1 failure" : `${Format.number(row.failures)} failures in a row`} since commit{" "}
      <CommitLink repository={repository} commit={row.commit} />
    </span>
  )
}

/** The facts that one has to know first: since when, how often, and with whose change it began. */
const Summary = (props: SummaryProps) => {
  const { of: test, repository, why } = props
  const since = sinceOf(why)
  const pull = test.health_status === "healthy" ? null : test.first_failure_pull
  return (
    <>
      {since === null ? null : (
        <strong>
          <Since at={since} />
        </strong>
      )}
      <Rate {...props} />
      <span class="muted">
        last run {test.last_conclusion}
        {test.last_failure_at === null ? (
          ", never failed on the default branch"
        ) : (
          <>
            , last failure <Time at={test.last_failure_at} />
          </>
        )}
      </span>
      {pull === null ? null : (
        <span class="muted">
          first failed with <PullLink repository={repository} of={pull} /> by {pull.user.login}
        </span>
      )}
    </>
  )
}

const NoSuchTest = ({ repository }: { readonly repository: Places.Repository }) => (
  <Empty title="No such test">
    There is no test at this address. It may belong to another repository, or its results were deleted.{" "}
    <a href={href(Places.tests(repository))}>
      Find it by its name in {repository.owner}/{repository.repository}
    </a>
  </Empty>
)

/** A test that has run on other branches only. */
const Unmerged = ({ of, repository }: { readonly of: Wire.ExplainedTest; readonly repository: Places.Repository }) => (
  <>
    <p>
      <TestName name={of.test_name} /> has no health yet.
    </p>
    <Elsewhere of={of.elsewhere} repository={repository} />
  </>
)

export const TestPage = ({
  repository,
  testId
}: {
  readonly repository: Places.Repository
  readonly testId: string
}) => {
  const session = Session.useSession()
  const isAdmin = session.status === "in" && session.application.scope === "admin"
  const details = useResource(Routes.test(repository, testId))
  const explanation = useResource(Routes.explain(repository, testId))
  const { bounds, days } = useBounds()
  const name = details.status === "ready" ? details.answer.body.test_name : null
  // The name of the test is the title, so that users find it among several tabs.
  useEffect(() => {
    if (name !== null) document.title = `${name} · ${repository.owner}/${repository.repository} · Lazaret`
  }, [name])
  const failures = useResource(Routes.failures(repository, testId))
  const first = failures.status === "ready" ? failures.answer.body.failures[0] : undefined
  const failure = useResource(first === undefined ? null : Routes.failure(repository, testId, first.id))
  const quarantines = useResource(quarantinesOf(repository, testId))
  const causes = useResource(causesOf(repository, testId))
  const change = useResource(Routes.testChange(repository, testId))
  const owned = useResource(Routes.owners(repository, testId))
  const owners = owned.status === "ready" ? owned.answer.body : null
  const issues = useResource(Routes.issues(repository, { test_id: testId }))
  const issue = issues.status === "ready" ? (issues.answer.body.issues[0] ?? null) : null
  const isWaiting = isLoading([details, explanation, failures, quarantines, causes, change])
  // Render the visible part at once: a page that fills piece by piece shifts its layout.
  if (details.status === "loading" || isWaiting || (first !== undefined && failure.status === "loading")) {
    return <PageSkeleton />
  }
  if (details.status === "failed") {
    return (
      <>
        <PageTitle>Test</PageTitle>
        {details.failure.status === 404 || details.failure.status === 422 ? (
          explanation.status === "ready" ? (
            <>
              <Unmerged repository={repository} of={explanation.answer.body} />
              <StressRuns repository={repository} testId={testId} />
            </>
          ) : (
            <NoSuchTest repository={repository} />
          )
        ) : (
          <Failed failure={details.failure} retry={details.retry} />
        )}
      </>
    )
  }
  const test = details.answer.body
  const why = explanation.status === "ready" ? explanation.answer.body : null
  const held = quarantines.status === "ready" ? quarantines.answer.body.quarantined_tests : []
  return (
    <>
      <div class="test-head">
        <PageTitle>
          <TestName name={test.test_name} />
        </PageTitle>
        <div class="test-status">
          <HealthBadge status={test.health_status} />
          <Summary of={test} repository={repository} why={why} />
        </div>
        <p>
          <strong>What to do:</strong> {adviceFor(test.health_status, held)}
        </p>
        <CauseOf repository={repository} testId={testId} />
        {change.status === "ready" && test.health_status !== "healthy" ? <ChangeOf of={change.answer.body} /> : null}
        <Facts details={test} repository={repository} owners={owners} issue={issue} />
      </div>
      <QuarantineOf repository={repository} test={test} />
      <LastFailure repository={repository} testId={testId} explanation={why} />
      <LatestRuns repository={repository} explanation={explanation} />
      <Why explanation={explanation} repository={repository} />
      {why === null ? null : <Elsewhere of={why.elsewhere} repository={repository} />}
      <History repository={repository} testId={testId} bounds={bounds} choice={<WindowChoice days={days} />} />
      <Identities repository={repository} testId={testId} bounds={bounds} explanation={explanation} />
      <StressRuns repository={repository} testId={testId} />
      <OtherNames repository={repository} test={test} />
      <BadgeOffer repository={repository} testId={testId} />
      {isAdmin ? <Removal repository={repository} test={test} /> : null}
    </>
  )
}
