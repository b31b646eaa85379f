/** The administrative reach of a caller. */
import { Principal } from "@lazaret/api"
import { Credential, Role } from "@lazaret/domain"
import { Effect } from "effect"

/** The owners whom the caller administers; null: all of them. */
export const administered = Effect.map(Principal, (caller) => Role.administered(Credential.grantsOf(caller)))
