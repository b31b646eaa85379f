/** The hosting platform of a running server, which can be connected later: every call goes to the one that holds then. */
import {
  type CommitTimes as Times,
  CommitTimes,
  DriveForge,
  Forge,
  ForgeError,
  HostingPlatform,
  IssueTracker,
  PlatformRoles,
  PlatformSetup,
  QueueForge,
  ScratchForge,
  type WorkflowRuns as Runs,
  WorkflowRuns
} from "@lazaret/services"
import { Context, Effect, Layer, Option, Ref } from "effect"

/** A platform; `isPublishing` is whether it has credentials to publish reports with. */
export interface Platform {
  readonly parts: Context.Context<HostingPlatform | Forge>
  readonly isPublishing: boolean
}

/** The platform that is connected now; null without one. */
export class PlatformSwitch extends Context.Service<
  PlatformSwitch,
  {
    readonly get: Effect.Effect<Platform | null>
    readonly isPublishing: Effect.Effect<boolean>
    readonly set: (platform: Platform | null) => Effect.Effect<void>
  }
>()("@lazaret/server/PlatformSwitch") {
  /** Without a platform. */
  static readonly layer = Layer.effect(
    PlatformSwitch,
    Effect.map(Ref.make<Platform | null>(null), (ref) => ({
      get: Ref.get(ref),
      isPublishing: Effect.map(Ref.get(ref), (platform) => platform?.isPublishing === true),
      set: (platform) => Ref.set(ref, platform)
    }))
  )
}

/**
 * The look-ups, the actions and the runs of the platform that is connected when they are called, and the roles of people by
 * their permissions there, if these count.
 */
export const layer = (isGivingRoles: boolean) =>
  Layer.effectContext(
    Effect.map(PlatformSwitch, ({ get }) =>
      Context.make(HostingPlatform, lookups(get)).pipe(
        Context.add(Forge, actions(get)),
        Context.add(QueueForge, queue(get)),
        Context.add(DriveForge, drive(get)),
        Context.add(ScratchForge, scratch(get)),
        Context.add(PlatformSetup, setup(get)),
        Context.add(WorkflowRuns, runs(get)),
        Context.add(IssueTracker, issues(get)),
        Context.add(CommitTimes, times(get)),
        Context.add(PlatformRoles, isGivingRoles ? roles(get) : noRoles)
      )
    )
  )

type Get = PlatformSwitch["Service"]["get"]

const lookups = (get: Get): HostingPlatform["Service"] => {
  const through = <A>(absent: A, ask: (platform: HostingPlatform["Service"]) => Effect.Effect<A>) =>
    Effect.flatMap(get, (now) => (now === null ? Effect.succeed(absent) : ask(Context.get(now.parts, HostingPlatform))))
  return {
    isConnected: Effect.map(get, (platform) => platform !== null),
    permission: (token, ref) => through("none", ({ permission }) => permission(token, ref)),
    pullOf: (ref, commit) => through(Option.none(), ({ pullOf }) => pullOf(ref, commit)),
    file: (ref, path) => through(Option.none(), ({ file }) => file(ref, path))
  }
}

const roles = (get: Get): PlatformRoles => ({
  of: (person, ref) =>
    Effect.flatMap(get, (now) =>
      now === null ? Effect.succeed(null) : Context.get(now.parts, PlatformRoles).of(person, ref)
    )
})

const noRoles: PlatformRoles = { of: () => Effect.succeed(null) }

type Ref = { readonly owner: string; readonly repository: string }

const notConnected = ({ owner, repository }: Ref) =>
  new ForgeError({
    operation: "connect",
    owner,
    repository,
    reason: "not_installed",
    retryAt: null,
    message: "this server is connected to no hosting platform"
  })

const actions = (get: Get): Forge["Service"] => {
  const through = <A>(ref: Ref, act: (forge: Forge["Service"]) => Effect.Effect<A, ForgeError>) =>
    Effect.flatMap(get, (now) => (now === null ? Effect.fail(notConnected(ref)) : act(Context.get(now.parts, Forge))))
  return {
    repository: (ref) => through(ref, ({ repository }) => repository(ref)),
    pullsAt: (ref, commit) => through(ref, ({ pullsAt }) => pullsAt(ref, commit)),
    openPulls: (ref) => through(ref, ({ openPulls }) => openPulls(ref)),
    publish: (ref, report) => through(ref, ({ publish }) => publish(ref, report)),
    notes: (ref, pull, marker) => through(ref, ({ notes }) => notes(ref, pull, marker)),
    createNote: (ref, pull, body) => through(ref, ({ createNote }) => createNote(ref, pull, body)),
    editNote: (ref, pull, note) => through(ref, ({ editNote }) => editNote(ref, pull, note)),
    removeNote: (ref, pull, id) => through(ref, ({ removeNote }) => removeNote(ref, pull, id)),
    rerunFailedJobs: (ref, commit) => through(ref, ({ rerunFailedJobs }) => rerunFailedJobs(ref, commit))
  }
}

/** The merge queue of the platform; GitHub alone has one that can be gated. */
const queue = (get: Get): QueueForge["Service"] => {
  const through = <A>(ref: Ref, act: (forge: QueueForge["Service"]) => Effect.Effect<A, ForgeError>) =>
    Effect.flatMap(get, (now) => {
      const connected = now === null ? Option.none() : Context.getOption(now.parts, QueueForge)
      return Option.isNone(connected) ? Effect.fail(notConnected(ref)) : act(connected.value)
    })
  return {
    pull: (ref, number) => through(ref, ({ pull }) => pull(ref, number)),
    openPulls: (ref, branch) => through(ref, ({ openPulls }) => openPulls(ref, branch)),
    checks: (ref, sha) => through(ref, ({ checks }) => checks(ref, sha)),
    queue: (ref, branch) => through(ref, (connected) => connected.queue(ref, branch)),
    rules: (ref, branch) => through(ref, ({ rules }) => rules(ref, branch)),
    permission: (ref, account) => through(ref, ({ permission }) => permission(ref, account)),
    setCheck: (ref, report) => through(ref, ({ setCheck }) => setCheck(ref, report)),
    sweepAt: (ref) =>
      Effect.orElseSucceed(
        through(ref, ({ sweepAt }) => sweepAt(ref)),
        () => 0
      ),
    tip: (ref, branch, known) => through(ref, ({ tip }) => tip(ref, branch, known)),
    runsInProgress: (ref, sha) => through(ref, ({ runsInProgress }) => runsInProgress(ref, sha)),
    rerun: (ref, of) => through(ref, ({ rerun }) => rerun(ref, of)),
    cancel: (ref, sha) => through(ref, ({ cancel }) => cancel(ref, sha)),
    cancelChecks: (ref, sha, checks) => through(ref, ({ cancelChecks }) => cancelChecks(ref, sha, checks)),
    enqueue: (ref, member) => through(ref, ({ enqueue }) => enqueue(ref, member)),
    dequeue: (ref, number) => through(ref, ({ dequeue }) => dequeue(ref, number))
  }
}

const runs = (get: Get): Runs => {
  const through = <A>(ref: Ref, act: (runs: Runs) => Effect.Effect<A, ForgeError>) =>
    Effect.flatMap(get, (now) => {
      const connected = now === null ? null : Context.get(now.parts, WorkflowRuns)
      return connected === null ? Effect.fail(notConnected(ref)) : act(connected)
    })
  return {
    get: (ref, id) => through(ref, (connected) => connected.get(ref, id)),
    latest: (ref, at) => through(ref, ({ latest }) => latest(ref, at)),
    artifacts: (ref, runId) => through(ref, ({ artifacts }) => artifacts(ref, runId)),
    download: (ref, artifactId) => through(ref, ({ download }) => download(ref, artifactId))
  }
}

const setup = (get: Get): PlatformSetup["Service"] => {
  const through = <A, E>(absent: Effect.Effect<A, E>, ask: (setup: PlatformSetup["Service"]) => Effect.Effect<A, E>) =>
    Effect.flatMap(get, (now) => {
      const connected = now === null ? Option.none() : Context.getOption(now.parts, PlatformSetup)
      return Option.isNone(connected) ? absent : ask(connected.value)
    })
  return {
    platform: through(Effect.succeed(null), ({ platform }) => platform),
    read: (ref) => through(Effect.succeed(PlatformSetup.none), ({ read }) => read(ref)),
    forget: (ref) => through(Effect.void, ({ forget }) => forget(ref)),
    commitOf: (ref) => through<string, ForgeError>(Effect.fail(notConnected(ref)), ({ commitOf }) => commitOf(ref)),
    isShown: (ref, commit, name) =>
      through<boolean, ForgeError>(Effect.fail(notConnected(ref)), ({ isShown }) => isShown(ref, commit, name))
  }
}

const noTracker = ({ owner, repository }: Ref) =>
  new ForgeError({
    operation: "issues",
    owner,
    repository,
    reason: "not_installed",
    retryAt: null,
    message: "this server writes issues at GitHub alone, and is connected to another platform"
  })

/** GitHub alone is an issue tracker so far. */
const issues = (get: Get): IssueTracker["Service"] => {
  const through = <A>(ref: Ref, act: (tracker: IssueTracker["Service"]) => Effect.Effect<A, ForgeError>) =>
    Effect.flatMap(get, (now) => {
      if (now === null) return Effect.fail(notConnected(ref))
      const connected = Context.getOption(now.parts, IssueTracker)
      return Option.isNone(connected) ? Effect.fail(noTracker(ref)) : act(connected.value)
    })
  return {
    list: (ref, marker) => through(ref, ({ list }) => list(ref, marker)),
    get: (ref, id) => through(ref, (connected) => connected.get(ref, id)),
    create: (ref, draft) => through(ref, ({ create }) => create(ref, draft)),
    edit: (ref, id, edit) => through(ref, (connected) => connected.edit(ref, id, edit))
  }
}

const times = (get: Get): Times => ({
  of: (ref, commit) =>
    Effect.flatMap(get, (now) => {
      const connected = now === null ? null : Context.get(now.parts, CommitTimes)
      return connected === null ? Effect.succeedNone : connected.of(ref, commit)
    })
})

/** The part of the platform that is connected now; absent where it does not have it. */
const partOf = <Id, Part>(get: Get, key: Context.Key<Id, Part>) =>
  Effect.map(get, (now) => (now === null ? Option.none<Part>() : Context.getOption(now.parts, key)))

const throughPart =
  <Id, Part>(get: Get, key: Context.Key<Id, Part>) =>
  <A>(ref: Ref, act: (part: Part) => Effect.Effect<A, ForgeError>): Effect.Effect<A, ForgeError> =>
    Effect.flatMap(partOf(get, key), (part) => (Option.isNone(part) ? Effect.fail(notConnected(ref)) : act(part.value)))

/** A platform can be driven only with credentials. */
const drive = (get: Get): DriveForge["Service"] => {
  const through = throughPart(get, DriveForge)
  return {
    host: Effect.flatMap(get, (now) =>
      now === null || !now.isPublishing
        ? Effect.succeed(null)
        : Option.match(Context.getOption(now.parts, DriveForge), {
            onNone: () => Effect.succeed(null),
            onSome: ({ host }) => host
          })
    ),
    describe: (ref, number) => through(ref, ({ describe }) => describe(ref, number)),
    build: (ref, asked) => through(ref, ({ build }) => build(ref, asked)),
    publish: (ref, branch) => through(ref, ({ publish }) => publish(ref, branch)),
    branches: (ref, prefix) => through(ref, ({ branches }) => branches(ref, prefix)),
    discard: (ref, branch) => through(ref, ({ discard }) => discard(ref, branch)),
    land: (ref, move) => through(ref, ({ land }) => land(ref, move)),
    merge: (ref, asked) => through(ref, ({ merge }) => merge(ref, asked)),
    close: (ref, number) => through(ref, ({ close }) => close(ref, number))
  }
}

const scratch = (get: Get): ScratchForge["Service"] => {
  const through = throughPart(get, ScratchForge)
  return {
    first: (ref) => through(ref, ({ first }) => first(ref)),
    commit: (ref, made) => through(ref, ({ commit }) => commit(ref, made)),
    openPull: (ref, pull) => through(ref, ({ openPull }) => openPull(ref, pull))
  }
}
