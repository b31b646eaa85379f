/** Whether tests are quarantined and released by themselves. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import * as Session from "../../Session.ts"

interface Props {
  readonly repository: Places.Repository
}

const into = {
  off: "Auto-quarantine is off: only people put tests into quarantine.",
  flaky: "Auto-quarantine is on: flaky tests are quarantined automatically.",
  flaky_and_broken: "Auto-quarantine is on: flaky and broken tests are quarantined automatically."
} as const

/** How recovered tests come out; removal that is not set follows auto-quarantine. */
const outOf = (settings: Wire.RepositorySettings): string => {
  if (!(settings.auto_removal ?? settings.auto_quarantine !== "off")) return "People release them."
  const days = settings.auto_quarantine_policy["removal_days"]
  return `It releases a test ${String(days)} days after the test has recovered.`
}

/** The settings, for a key that may read them. */
export const useAutomation = (repository: Places.Repository) => {
  const session = Session.useSession()
  const isAdmin = session.status === "in" && session.application.scope === "admin"
  return { isAdmin, found: useResource(isAdmin ? Routes.settings(repository) : null) }
}

export const AutomationState = ({ repository }: Props) => {
  const { found, isAdmin } = useAutomation(repository)
  if (!isAdmin) return <p class="muted">Whether auto-quarantine is on is shown to admin keys.</p>
  if (found.status !== "ready") return null
  const settings = found.answer.body
  return (
    <p class="muted">
      {into[settings.auto_quarantine]} {settings.auto_quarantine === "off" ? "" : outOf(settings)}{" "}
      <a href={href(Places.settings(repository))}>Change this</a>
    </p>
  )
}
