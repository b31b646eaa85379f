/** Whether tests are quarantined and released by themselves. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
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

/** When it acts, and when its quarantines end. */
const planOf = ({
  auto_quarantine: setting,
  auto_quarantine_policy: policy,
  quarantine
}: Wire.RepositorySettings): string => {
  if (setting === "off") return ""
  const days = quarantine["expiry_days"]
  const end = days === 0 ? "never by themselves" : `after ${Format.plural(days ?? 0, "day")}`
  return (
    "The tests of each upload are evaluated after it, and all tests every hour; in 24 hours at most " +
    `${Format.plural(policy["budget"] ?? 0, "test")}, or ${Format.percent(policy["budget_share"] ?? 0)} of the active ones if that is more. ` +
    `Quarantines end ${end}. `
  )
}

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
      {into[settings.auto_quarantine]} {planOf(settings)}
      {settings.auto_quarantine === "off" ? "" : outOf(settings)}{" "}
      <a href={href(Places.settings(repository))}>Change this</a>
    </p>
  )
}
