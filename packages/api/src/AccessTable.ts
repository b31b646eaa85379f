/**
 * Which credential reaches which operation (interface 4, 5): the one table behind the enforcement, the security entries
 * of the API description, and the test that tries every route with every credential.
 */
import type { Credential } from "@lazaret/domain"

const every: ReadonlyArray<Credential.CredentialKind> = ["admin", "ci", "platform"]

const administrative: ReadonlyArray<Credential.CredentialKind> = ["admin", "platform"]

const admins: ReadonlyArray<Credential.CredentialKind> = ["admin"]

const keys: ReadonlyArray<Credential.CredentialKind> = ["admin", "ci"]

/**
 * What each operation asks of a credential. Operations that are missing here are open to everyone.
 *
 * **Details**
 *
 * Sections 4.1.1 to 4.1.11 take all three kinds, 4.1.12 takes no CI Application Key (interface 5.2). Uploads take
 * application keys (our choice): a token of the hosting platform must not be needed on a CI machine.
 */
export const demands = {
  searchTests: { kinds: every, permission: "read" },
  getTest: { kinds: every, permission: "read" },
  getTestStatistic: { kinds: every, permission: "read" },
  getHealthTransitions: { kinds: every, permission: "read" },
  explainTest: { kinds: every, permission: "read" },
  listTestFailures: { kinds: every, permission: "read" },
  getTestFailure: { kinds: every, permission: "read" },
  listTestExecutions: { kinds: every, permission: "read" },
  listQuarantines: { kinds: every, permission: "read" },
  createQuarantine: { kinds: every, permission: "write" },
  getQuarantine: { kinds: every, permission: "read" },
  deleteQuarantine: { kinds: every, permission: "write" },
  getRepositoryStatistic: { kinds: administrative, permission: "read" },
  listEvents: { kinds: every, permission: "read" },
  createWebhook: { kinds: admins, permission: "write" },
  listWebhooks: { kinds: admins, permission: "read" },
  deleteWebhook: { kinds: admins, permission: "write" },
  listDeadLetters: { kinds: admins, permission: "read" },
  redeliverDeadLetter: { kinds: admins, permission: "write" },
  checkQuarantines: { kinds: every, permission: "read" },
  getFlakyDetectionContext: { kinds: every, permission: "read" },
  uploadReport: { kinds: keys, permission: "write" },
  uploadTraces: { kinds: keys, permission: "write" },
  uploadTracesByOldPath: { kinds: keys, permission: "write" },
  getQueuesConfiguration: { kinds: administrative, permission: "read" },
  pauseQueue: { kinds: administrative, permission: "write" },
  unpauseQueue: { kinds: administrative, permission: "write" },
  getQueuePause: { kinds: administrative, permission: "read" },
  deleteQueuePause: { kinds: administrative, permission: "write" },
  getQueues: { kinds: administrative, permission: "read" },
  getQueueBranches: { kinds: administrative, permission: "read" },
  getMergeQueueStatus: { kinds: administrative, permission: "read" },
  getMergeQueuePull: { kinds: administrative, permission: "read" },
  getMergeQueueBranches: { kinds: administrative, permission: "read" },
  getMergeQueuePause: { kinds: administrative, permission: "read" },
  pauseMergeQueue: { kinds: administrative, permission: "write" },
  unpauseMergeQueue: { kinds: administrative, permission: "write" },
  recordQueueEvents: { kinds: administrative, permission: "write" },
  putQueuesConfiguration: { kinds: administrative, permission: "write" },
  refoldRepository: { kinds: admins, permission: "write" },
  verifyRepository: { kinds: admins, permission: "write" },
  listRepositories: { kinds: keys, permission: "read" },
  getSettings: { kinds: administrative, permission: "read" },
  changeSettings: { kinds: administrative, permission: "write" },
  listApplicationKeys: { kinds: admins, permission: "read" },
  createApplicationKey: { kinds: admins, permission: "write" },
  revokeApplicationKey: { kinds: admins, permission: "write" },
  runRetention: { kinds: admins, permission: "write", reach: "all owners" },
  getApplication: { kinds: keys, permission: "read" },
  createSignInLink: { kinds: keys, permission: "read" }
} as const satisfies Record<string, Credential.Demand>

/** An operation that asks for a credential. */
export type Operation = keyof typeof demands

/** Whether an operation asks for a credential. */
export const isGuarded = (operation: string): operation is Operation => Object.hasOwn(demands, operation)

/** The credential kinds in the API description, under their names in interface 5.2. */
export const schemes: { readonly [K in Credential.CredentialKind]: Scheme } = {
  admin: {
    key: "AdminApplicationKey",
    name: "Admin Application Key",
    description: "a key of this server that reaches everything of its owner."
  },
  ci: {
    key: "CiApplicationKey",
    name: "CI Application Key",
    description: "a key of this server for CI jobs: tests, quarantines and uploads."
  },
  platform: {
    key: "HostingPlatformToken",
    name: "Hosting Platform Token",
    description: "a token of the platform that hosts the repository; it may here what it may do there."
  }
}

/** How the API description shows a credential kind. */
export interface Scheme {
  readonly key: string
  readonly name: string
  readonly description: string
}
