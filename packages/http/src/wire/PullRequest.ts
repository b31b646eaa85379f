/**
 * Pull requests on the wire (interface 2.2).
 *
 * @since 0.1.0
 */
import { PullRef as Domain } from "@lazaret/domain"

/**
 * A pull request.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PullRef = Domain.PullRef.annotate({ identifier: "PullRef" })
