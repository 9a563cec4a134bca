import { Resolver } from 'node:dns/promises';

const timeoutMs = 2000;
const rememberedMs = 5000;
// Anything else, also a refusal, is a response.
const silent = new Set([
  'ECONNREFUSED',
  'ETIMEOUT',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
]);

let checked: { at: number; isDown: Promise<boolean> } | undefined;

/** Whether the name servers of this machine respond to nothing: then a failed look-up says nothing about the name. */
export function isResolverDown(): Promise<boolean> {
  const now = performance.now();
  if (!checked || now - checked.at > rememberedMs) checked = { at: now, isDown: asksInVain() };
  return checked.isDown;
}

/** Every recursive name server knows the root. */
async function asksInVain(): Promise<boolean> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  try {
    await resolver.resolveNs('.');
    return false;
  } catch (error) {
    return silent.has((error as NodeJS.ErrnoException).code ?? '');
  }
}
