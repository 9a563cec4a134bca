/** Returns the result of work, or of onTimeout if the time limit expires first. Does not cancel work. */
export async function withTimeout<T, Timeout>(
  limitMs: number,
  work: Promise<T>,
  onTimeout: () => Timeout,
): Promise<T | Timeout> {
  const expired = Promise.withResolvers<void>();
  const timer = setTimeout(expired.resolve, limitMs);
  return Promise.race([work, expired.promise.then(onTimeout)]).finally(() => clearTimeout(timer));
}
