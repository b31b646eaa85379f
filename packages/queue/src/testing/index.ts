/** Generators and a simulated platform for property tests of merge queues. */
export * from "./queues.ts"
export * from "./forge.ts"
export * from "./machine.ts"
