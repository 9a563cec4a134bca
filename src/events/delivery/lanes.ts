/**
 * First attempts, retries and replays are read separately, so none waits behind another. Deliveries requested by a user
 * are sent even while the breaker is open.
 */
export const lanes = { first: 0, retry: 1, replay: 2, requested: 3 } as const;
export type Lane = (typeof lanes)[keyof typeof lanes];
