/** Answers whose wire types are not in `@lazaret/http` yet, as they were agreed. */

export interface Event {
  readonly id: string
  readonly at: string
  readonly type: string
  readonly actor: string
  readonly test_id: string | null
  readonly test_name: string | null
  readonly branch: string | null
  readonly summary: string
  readonly detail: Readonly<Record<string, unknown>>
}

export interface EventsPage {
  readonly size: number
  readonly per_page: number
  readonly total: number
  readonly events: ReadonlyArray<Event>
}

export interface RepositoriesPage {
  readonly size: number
  readonly per_page: number
  readonly total: number
  readonly repositories: ReadonlyArray<{
    readonly owner: string
    readonly repository: string
    readonly default_branch: string
    readonly created_at: string
  }>
}
