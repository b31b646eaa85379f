/** Retention on the wire (beyond the interface). */
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

const count = (description: string) => Schema.Int.annotate({ description })

/** The result of a run of retention. */
export const Retained = Schema.Struct({
  days: count("For how many days results are kept."),
  horizon: Timestamp.annotate({
    description: "Results that finished before it are deleted; repositories whose search looks back further keep more."
  }),
  repositories: count("How many repositories there are."),
  failed: count("How many of them failed; the log of the server says why."),
  reports: count("Reports that were forgotten as a whole."),
  identities: count("Tests, each in one job, that were forgotten."),
  events: count("Events of the log that were dropped."),
  weeks_prepared: count("Weeks for which room was made ahead."),
  weeks_released: count("Weeks whose disk space was freed."),
  weeks_rewritten: count("Weeks that were rewritten in the order in which they are read.")
}).annotate({ identifier: "Retained", description: "What was dropped. Zeros when nothing was too old any more." })
