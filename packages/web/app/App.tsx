/** The page that is shown, by the address. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect } from "preact/hooks"
import * as Places from "./Places.ts"
import { AdminPage } from "./pages/access/AdminPage.tsx"
import { BranchTestsPage } from "./pages/health/BranchTestsPage.tsx"
import { CausesPage } from "./pages/insight/CausesPage.tsx"
import { MissingPage } from "./pages/insight/MissingPage.tsx"
import { CostPage } from "./pages/insight/CostPage.tsx"
import { CommitsPage } from "./pages/failure/CommitsPage.tsx"
import { FailuresPage } from "./pages/failure/FailuresPage.tsx"
import { nameOf } from "./pages/failure/Words.ts"
import { ManualPage } from "./pages/ManualPage.tsx"
import { OutagesPage } from "./pages/health/OutagesPage.tsx"
import { OverviewPage } from "./pages/health/OverviewPage.tsx"
import { QuarantinePage } from "./pages/quarantine/QuarantinePage.tsx"
import { QueuePage } from "./pages/queue/QueuePage.tsx"
import { RepositoriesPage } from "./pages/repository/RepositoriesPage.tsx"
import { SettingsPage } from "./pages/repository/SettingsPage.tsx"
import { SlowerPage } from "./pages/insight/SlowerPage.tsx"
import { SignInPage } from "./pages/access/SignInPage.tsx"
import { TestPage } from "./pages/health/TestPage.tsx"
import { TestsPage } from "./pages/health/TestsPage.tsx"
import { comesBack, href, usePlace } from "./Router.ts"
import * as Session from "./Session.ts"
import { Layout } from "./ui/Layout.tsx"
import { OfRepository } from "./ui/Repository.tsx"
import { PageTitle } from "./ui/Section.tsx"
import { Empty, Failed, Loading } from "./ui/States.tsx"

const Unknown = () => (
  <>
    <PageTitle>No such page</PageTitle>
    <Empty title="There is no page at this address">
      <a href={href(Places.repositories)}>To the repositories</a>
    </Empty>
  </>
)

const Content = ({ page }: { readonly page: Places.Page }) => {
  switch (page.name) {
    case "repositories":
      return <RepositoriesPage />
    case "admin":
      return <AdminPage />
    case "overview":
      return <OverviewPage key={Places.overview(page.repository)} repository={page.repository} />
    case "pulls":
      return <CommitsPage key={Places.pulls(page.repository)} kind="pulls" repository={page.repository} />
    case "commits":
      return <CommitsPage key={Places.commits(page.repository)} kind="commits" repository={page.repository} />
    case "tests":
      return <TestsPage key={Places.tests(page.repository)} repository={page.repository} />
    case "test":
      return <TestPage key={Places.test(page.repository, page.testId)} {...page} />
    case "failures":
      return <FailuresPage key={Places.failures(page.repository, page.subject)} {...page} />
    case "causes":
      return <CausesPage key={Places.causes(page.repository)} repository={page.repository} />
    case "slower":
      return <SlowerPage key={Places.slower(page.repository)} repository={page.repository} />
    case "missing":
      return <MissingPage key={Places.missing(page.repository)} repository={page.repository} />
    case "cost":
      return <CostPage key={Places.cost(page.repository)} repository={page.repository} />
    case "quarantine":
      return <QuarantinePage key={Places.quarantine(page.repository)} repository={page.repository} />
    case "queue":
      return <QueuePage key={Places.queue(page.repository)} repository={page.repository} />
    case "outages":
      return <OutagesPage key={Places.outages(page.repository)} repository={page.repository} />
    case "elsewhere":
      return <BranchTestsPage key={Places.elsewhere(page.repository)} repository={page.repository} />
    case "settings":
      return <SettingsPage key={Places.settings(page.repository)} repository={page.repository} />
    case "manual":
      return <ManualPage />
    default:
      return <Unknown />
  }
}

/** A page of a repository is shown when the repository exists. */
const Gate = ({ children, page }: { readonly page: Places.Page; readonly children: ComponentChildren }) =>
  "repository" in page ? <OfRepository repository={page.repository}>{children}</OfRepository> : <>{children}</>

const titles: { readonly [name in Places.Page["name"]]: string } = {
  repositories: "Repositories",
  signIn: "Sign in",
  admin: "Administration",
  manual: "Manual",
  overview: "Overview",
  pulls: "Pull requests",
  commits: "Commits",
  tests: "Tests",
  test: "Test",
  failures: "Failures",
  causes: "Causes",
  cost: "Cost",
  slower: "What became slower",
  missing: "Missing",
  quarantine: "Quarantine",
  queue: "Queue",
  settings: "Settings",
  outages: "Outages",
  elsewhere: "Tests of other branches",
  unknown: "No such page"
}

const titleOf = (page: Places.Page): string => {
  const where = "repository" in page ? [`${page.repository.owner}/${page.repository.repository}`] : []
  const what = page.name === "failures" ? `Failures of ${nameOf(page.subject)}` : titles[page.name]
  return [what, ...where, "Lazaret"].join(" · ")
}

export const App = () => {
  const { path } = usePlace()
  const session = Session.useSession()
  const page = Places.pageOf(path)
  const isSigningIn = page.name === "signIn"

  useEffect(() => {
    // A link that signs in is used before anything else is asked.
    if (!isSigningIn) void Session.check()
  }, [])

  // Set the title before the effects of the page run: they may set a better one.
  useLayoutEffect(() => {
    document.title = titleOf(page)
  }, [path, session.status])

  useEffect(() => {
    if (comesBack()) return
    document.querySelector<HTMLElement>("#page-title")?.focus({ preventScroll: true })
  }, [path, session.status])

  if (isSigningIn || session.status === "out") {
    return (
      <Layout page={{ name: "signIn" }}>
        <SignInPage />
      </Layout>
    )
  }
  return (
    <Layout page={page}>
      {session.status === "unknown" ? (
        <Loading lines={6} />
      ) : session.status === "unreachable" ? (
        <Failed failure={session.failure} retry={() => void Session.check()} />
      ) : (
        <Gate page={page}>
          <Content page={page} />
        </Gate>
      )}
    </Layout>
  )
}
