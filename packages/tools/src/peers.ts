/**
 * `npm run peers`: installs the packages as others do, next to the lowest and the highest version of Effect that they allow,
 * and runs examples against each. Without a registry it says so and counts as nothing.
 */
import * as Peers from "./peers/Peers.ts"
import * as Totals from "./check/Totals.ts"

const highest = Peers.highest()
if (highest === null) {
  console.log("!!! SKIPPED: the registry does not answer, so no other version of Effect was tried !!!")
} else {
  const tarballs = Peers.pack()
  const checks = Peers.versions(tarballs, highest).map((version) => Peers.check(tarballs, version))
  for (const { lines } of checks) for (const line of lines) console.log(line)
  const totals = checks.map(({ isWell }) => Totals.one(isWell)).reduce(Totals.combine, Totals.none)
  console.log(Totals.toLine(totals))
  process.exitCode = totals.failed === 0 ? 0 : 1
}
