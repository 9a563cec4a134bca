/** The result of the work, or of `late` after the time limit. The work itself goes on. */
export async function within<T, Late>(limitMs: number, work: Promise<T>, late: () => Late): Promise<T | Late> {
  const expired = Promise.withResolvers<void>();
  const timer = setTimeout(expired.resolve, limitMs);
  return Promise.race([work, expired.promise.then(late)]).finally(() => clearTimeout(timer));
}
