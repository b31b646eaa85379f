/** Notifiers in the audit log. */
import { type AuditEntry, Channel, type Notifier } from "@lazaret/domain"

/** The fields of a notifier for an entry, without the secret part of its channel. */
export const of = ({ channel, id, owners, schedule, types }: Notifier.Notifier): AuditEntry.Fields => ({
  id,
  channel: Channel.targets(channel).join(", "),
  types: [...types],
  owners: [...owners],
  schedule: schedule._tag
})
