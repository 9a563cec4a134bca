/** Limits how long a client can hold an idle connection. */
export const connectionLimits = {
  /** From the first byte of a request to the last; also applies to a connection that sends nothing. */
  requestTimeout: 30_000,
  /** Longer than the 60 s of common load balancers, which must close first. */
  keepAliveTimeout: 72_000,
};

/** Options of the Node HTTP server. */
export const serverLimits = { headersTimeout: 20_000, connectionsCheckingInterval: 5000 };
