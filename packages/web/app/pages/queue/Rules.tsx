/** The rules of the merge queue, in the order in which they are processed. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"

type Rule = Wire.QueuesConfiguration["configuration"][number]

const Line = ({ of: { config, name } }: { readonly of: Rule }) => (
  <tr>
    <th scope="row">{name}</th>
    <td class="number">{Format.number(config.priority)}</td>
    <td class="number">{Format.number(config.batch_size)}</td>
    <td>{Format.duration(config.batch_max_wait_time)}</td>
    <td>{config.merge_method}</td>
    <td>{config.checks_timeout === null ? "none" : Format.duration(config.checks_timeout)}</td>
  </tr>
)

export const Rules = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource(Routes.queueRules(repository))
  return (
    <Section title="Rules">
      {found.status === "failed" && found.failure.status === 422 ? (
        <div class="state failed">
          <p class="state-title">The configuration file has faults</p>
          <ul>
            {(found.failure.faults ?? []).map(({ location, message }) => (
              <li key={`${location} ${message}`}>
                <code>{location}</code> {message}
              </li>
            ))}
          </ul>
          <p>Correct the file in the repository, and send it again.</p>
        </div>
      ) : (
        <Loaded of={found}>
          {({ configuration }) =>
            configuration.length === 0 ? (
              <Empty title="No rules are known">
                Send the configuration file of the repository: <code>PUT …/queues/configuration</code>.
              </Empty>
            ) : (
              <div class="table-wrap" tabIndex={0} role="group" aria-label="Rules, in the order of processing">
                <table class="rules">
                  <thead>
                    <tr>
                      <th>Rule</th>
                      <th class="number">Priority</th>
                      <th class="number">Batch size</th>
                      <th>Waits for a batch</th>
                      <th>Merges by</th>
                      <th>Checks time out</th>
                    </tr>
                  </thead>
                  <tbody>
                    {configuration.map((rule) => (
                      <Line key={rule.name} of={rule} />
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      )}
    </Section>
  )
}
