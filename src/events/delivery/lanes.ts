/**
 * First attempts, retries and replays are read apart, so none waits behind another. Deliveries that a user asked for go
 * out at once, also while the breaker is open.
 */
export const lanes = { first: 0, retry: 1, replay: 2, requested: 3 } as const;
export type Lane = (typeof lanes)[keyof typeof lanes];
