/** The operations on pins of the names in tokens of CI systems (beyond the interface). */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import * as Problem from "../definition/Problem.ts"
import { OriginPinsList } from "./OriginPin.ts"

const listPins = HttpApiEndpoint.get("listPins", "/v1/pins", {
  success: OriginPinsList,
  error: Problem.Unavailable
}).pipe(
  Operation.demands(Access.adminKey("read")),
  Operation.documented({
    summary: "List pins",
    description:
      "Lists the numbers by which the issuers of tokens know the owners and repositories that upload without a key, oldest first. An admin " +
      "of one owner sees those of this owner."
  })
)

const removePin = HttpApiEndpoint.delete("removePin", "/v1/pins/:pin_id", {
  params: { pin_id: Parameter.uuid("The id of a pin.") },
  success: HttpApiSchema.NoContent.annotate({ description: "The pin has been removed." }),
  error: [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.adminKey("write")),
  Operation.documented({
    summary: "Remove a pin",
    description:
      "Removes a pin: the next token of the name makes a new one. Needed when an owner or a repository was deleted and registered again at the " +
      "hosting platform."
  })
)

/** The group of the operations on pins. */
export class PinsApi extends Operation.guarded(
  "pins",
  { description: "What the names in tokens of CI systems stand for." },
  listPins,
  removePin
) {}
