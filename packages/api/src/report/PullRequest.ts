/** Pull requests on the wire (interface 2.2). */
import { PullRef as Domain } from "@lazaret/domain"

/** A pull request. */
export const PullRef = Domain.PullRef.annotate({ identifier: "PullRef" })
