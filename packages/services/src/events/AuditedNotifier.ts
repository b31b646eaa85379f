/** Notifiers in the audit log. */
import type { AuditEntry, Notifier } from "@lazaret/domain"

/** The fields of a notifier for an entry: the path of an address of Slack is secret. */
export const of = ({ channel, id, owners, schedule, types }: Notifier.Notifier): AuditEntry.Fields => ({
  id,
  channel: channel._tag === "Slack" ? new URL(channel.url).host : channel.to.join(", "),
  types: [...types],
  owners: [...owners],
  schedule: schedule._tag
})
