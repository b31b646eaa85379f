/**
 * The manifest for Kubernetes, checked without a cluster: by the validators of the Kubernetes API, which know what is required, and by its
 * types, which know no misspelt field.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Settings } from "@lazaret/server"
import { Deployment, type IDeployment } from "kubernetes-models/apps/v1"
import { Ingress } from "kubernetes-models/networking.k8s.io/v1"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1"
import { Service } from "kubernetes-models/v1"
import { parseAllDocuments } from "yaml"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const documents = parseAllDocuments(readFileSync(new URL("../kubernetes/lazaret.yaml", import.meta.url), "utf8")).map(
  (document) => document.toJS()
)

const models = {
  "apps/v1": { Deployment },
  v1: { Service },
  "policy/v1": { PodDisruptionBudget },
  "networking.k8s.io/v1": { Ingress }
} as const

const deployment: IDeployment = documents[0]

/** The complaints of the compiler about documents that are literals of the types of the Kubernetes API. */
const complaintsAbout = (objects: ReadonlyArray<{ readonly apiVersion: string; readonly kind: string }>): string => {
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true })
  const folder = mkdtempSync(join(root, "node_modules/.cache/manifest-"))
  const lines = objects.map(
    (each) =>
      `export const ${each.kind}: import("kubernetes-models/${each.apiVersion}").I${each.kind} = ${JSON.stringify(each)}`
  )
  writeFileSync(join(folder, "manifest.ts"), lines.join("\n"))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""]
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...options, join(folder, "manifest.ts")], {
    encoding: "utf8"
  })
  rmSync(folder, { recursive: true })
  assert.strictEqual(status === 0, stdout === "", stdout)
  return stdout
}

describe("the manifest for Kubernetes", () => {
  it("every object has what its kind requires", () => {
    const kinds = documents.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
    const known = Object.entries(models).flatMap(([version, each]) =>
      Object.entries(each).map(([kind, model]) => ({ name: `${version} ${kind}`, model }))
    )
    assert.sameMembers(
      kinds,
      known.map(({ name }) => name)
    )
    for (const { model, name } of known) {
      const object = documents[kinds.indexOf(name)]
      new model(object).validate()
      assert.throws(() => new model({ ...object, spec: "none" }).validate())
    }
  })

  it("no field is misspelt, and none has a value of another type", () => {
    assert.strictEqual(complaintsAbout(documents), "")
    const misspelt = { ...documents[1], spec: { ...documents[1].spec, selectors: {} } }
    assert.match(complaintsAbout([misspelt]), /selectors/u)
  }, 60_000)

  it("the service, the budget and the ingress lead to the pods", () => {
    const labels = deployment.spec?.template.metadata?.labels
    assert.deepStrictEqual(deployment.spec?.selector.matchLabels, labels)
    const [, service, budget, ingress] = documents
    assert.deepStrictEqual(service.spec.selector, labels)
    assert.deepStrictEqual(budget.spec.selector.matchLabels, labels)
    const [{ backend }] = ingress.spec.rules[0].http.paths
    assert.deepStrictEqual([backend.service.name, backend.service.port.name], [service.metadata.name, "http"])
  })

  it("a pod has longer to stop than the server takes", () => {
    const { shutdownSeconds } = Settings.defaults
    const { containers, terminationGracePeriodSeconds = 0 } = deployment.spec?.template.spec ?? { containers: [] }
    const drain = containers[0]?.env?.find(({ name }) => name === "LAZARET_DRAIN_SECONDS")?.value
    assert.isAbove(terminationGracePeriodSeconds ?? 0, Number(drain) + shutdownSeconds)
  })
})
