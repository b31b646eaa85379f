import { Instant, Quarantine, QuarantineLife, Repository } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const whole = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

describe("QuarantineLife.holdsAt", () => {
  const queue = "gh-readonly-queue/release/1/pr-7-0a1b"

  it("a record of a branch holds there, case and all, and one without a branch everywhere", () => {
    const table: ReadonlyArray<readonly [record: string | null, branch: string, holds: boolean]> = [
      [null, "main", true],
      ["main", "main", true],
      ["main", "Main", false],
      ["main", "main2", false],
      ["*", "main", true],
      ["release/*", "release/1.2", true],
      ["release/*", "main", false],
      ["release/?", "release/1.2", false],
      ["release/*", "release/*", true],
      ["release/*", queue, false],
      [queue, queue, true]
    ]
    for (const [branch, on, holds] of table) {
      const record = { branch, scope: "every_run" } as const
      assert.strictEqual(QuarantineLife.holdsAt(record, Repository.placeOf(on)), holds, `${branch} on ${on}`)
    }
  })

  it("a record of merge queues holds in their runs alone, and those name their base where they can", () => {
    const table: ReadonlyArray<readonly [record: string | null, branch: string, head: string, holds: boolean]> = [
      [null, "main", "main", false],
      [null, "main", "topic", false],
      [null, queue, queue, true],
      [null, "main", "mergify/merge-queue/0a1b", true],
      ["main", "main", "mergify/merge-queue/0a1b", true],
      ["release/*", queue, queue, true],
      ["main", queue, queue, false],
      ["main", "trunk-merge/pr-7/0a1b", "trunk-merge/pr-7/0a1b", false]
    ]
    for (const [branch, on, head, holds] of table) {
      const record = { branch, scope: "merge_queue" } as const
      assert.strictEqual(QuarantineLife.holdsAt(record, Repository.placeOf(on, head)), holds, `${branch} on ${head}`)
    }
  })
})

describe("QuarantineLife.of", () => {
  it.prop(
    "a reminder is before the end, after the life was given, and as early as the policy says where that is possible",
    [whole(1000), Schema.NullOr(whole(100)), whole(30)],
    ([at, days, reminderDays]) => {
      const expiresAt = days === null ? null : at + (days + 1) * Instant.day
      const { remindAt } = QuarantineLife.of({ ...QuarantineLife.unlimited, expiresAt }, at, { reminderDays })
      if (expiresAt === null || reminderDays === 0) assert.isNull(remindAt)
      else assert.strictEqual(remindAt, Math.max(at, expiresAt - reminderDays * Instant.day))
      assert.isTrue(remindAt === null || expiresAt === null || remindAt < expiresAt)
    }
  )

  it.prop(
    "a record is active until its end or its removal, and never again",
    [Schema.NullOr(whole(100)), whole(200)],
    ([days, now]) => {
      const record = { removedAt: null, expiresAt: days === null ? null : days * Instant.day }
      const isActive = Quarantine.isActive(record, now * Instant.day)
      assert.strictEqual(isActive, days === null || now < days)
      assert.isTrue(isActive || !Quarantine.isActive(record, (now + 1) * Instant.day))
      assert.isFalse(Quarantine.isActive({ ...record, removedAt: 0 }, now))
    }
  )

  it("a quarantine ends by itself only where the policy says after how many days", () => {
    assert.deepStrictEqual(QuarantineLife.initial(5, Quarantine.defaults), QuarantineLife.unlimited)
    const limited = QuarantineLife.initial(5, { ...Quarantine.defaults, expiryDays: 10 })
    assert.deepStrictEqual([limited.expiresAt, limited.remindAt], [5 + 10 * Instant.day, 5 + 7 * Instant.day])
  })
})

describe("QuarantineLife.Ticket", () => {
  it("a ticket is a link that a browser may open, and nothing that runs in the page", () => {
    const isTicket = Schema.is(QuarantineLife.Ticket)
    assert.isTrue(isTicket("https://github.com/acme/widgets/issues/12"))
    for (const text of ["", "issue 12", "javascript:alert(1)", "https://a:b@example.com", "https://example.com/\n"]) {
      assert.isFalse(isTicket(text), text)
    }
  })
})
