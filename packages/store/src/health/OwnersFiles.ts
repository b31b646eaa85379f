/** Uploaded CODEOWNERS over a driver. */
import { Effect, Option } from "effect"
import type { Driver } from "../Driver.ts"
import { OwnersStore } from "./OwnersStore.ts"
import { ownersFiles } from "../Rows.ts"

/** The port of uploaded CODEOWNERS. */
export const make = (driver: Driver["Service"]): OwnersStore["Service"] =>
  OwnersStore.of({
    get: (ref) =>
      driver.read("OwnersStore.get", ref, (view) =>
        Effect.map(view.select(ownersFiles, { where: [], order: [] }), ([row]) => Option.fromUndefinedOr(row))
      ),
    put: (ref, file) =>
      driver.transact("OwnersStore.put", ref, file.uploadedAt, (transaction) => transaction.put(ownersFiles, [file])),
    remove: (ref) =>
      driver.transact("OwnersStore.remove", ref, null, (transaction) =>
        Effect.map(transaction.remove(ownersFiles, []), (removed) => removed > 0)
      )
  })
