/** Whether If-None-Match contains the ETag. Proxies that compress a response turn it into a weak one (W/). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
