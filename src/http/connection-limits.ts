/** Time limits of connections to a server: no client can hold one open without using it. */
export const connectionLimits = {
  /** From the first byte of a request to its last; also for a connection that sends nothing at all. */
  requestTimeout: 30_000,
  /** An idle connection is closed after this. Longer than the 60 s of common load balancers, which must close first. */
  keepAliveTimeout: 72_000,
};

/** Limits that Node takes when the server is created. */
export const serverLimits = { headersTimeout: 20_000, connectionsCheckingInterval: 5000 };
