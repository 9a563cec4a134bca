/** The order of service: first tries, later tries and replays are read apart, so none waits behind another. */
export const lanes = { first: 0, retry: 1, replay: 2 } as const;
export type Lane = (typeof lanes)[keyof typeof lanes];
