/** Pins on the wire. */
import type { Schemas } from "@lazaret/api"
import type { OriginPin } from "@lazaret/domain"

/** The list of pins. */
export const listOf = (pins: ReadonlyArray<OriginPin.OriginPin>): typeof Schemas.OriginPinsList.Type => ({
  size: pins.length,
  pins: pins.map(of)
})

const of = (pin: OriginPin.OriginPin): typeof Schemas.OriginPin.Type => ({
  id: pin.id,
  issuer: pin.issuer,
  owner: pin.owner,
  repository: pin.repository,
  platform_id: pin.platformId,
  created_at: pin.createdAt
})
