import type { LookupAddress } from 'node:dns';
import resolver from 'node:dns/promises';
import { setTimeout as wait } from 'node:timers/promises';

// Two tries of a usual resolver configuration; a name server that needs longer is as good as none.
const patienceMs = 10_000;
const inFlight = new Map<string, Promise<LookupAddress[]>>();

/**
 * Looks a name up the way the operating system does (hosts file, search domains).
 * A look-up cannot be cancelled and holds one of few threads: whoever asks for a name meanwhile shares it,
 * so a name that hangs holds one thread however many deliveries are waiting for it.
 */
export async function lookUpName(name: string): Promise<LookupAddress[] | { unresolved: string }> {
  const patience = new AbortController();
  const answer = sharedLookup(name).then(
    (addresses) => (addresses.length > 0 ? addresses : { unresolved: `The name ${name} has no address.` }),
    (error: NodeJS.ErrnoException) => ({ unresolved: inWords(name, error) }),
  );
  const late = wait(
    patienceMs,
    { unresolved: `The look-up of ${name} took longer than ${patienceMs / 1000} s.` },
    {
      signal: patience.signal,
      ref: false,
    },
  );
  late.catch(() => {});
  try {
    return await Promise.race([answer, late]);
  } finally {
    patience.abort();
  }
}

function sharedLookup(name: string): Promise<LookupAddress[]> {
  const running = inFlight.get(name);
  if (running) return running;
  const started = resolver.lookup(name, { all: true }).finally(() => inFlight.delete(name));
  inFlight.set(name, started);
  return started;
}

function inWords(name: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOTFOUND') return `The name ${name} does not exist in DNS.`;
  if (error.code === 'EAI_AGAIN') return `The name servers gave no answer for ${name}.`;
  return `The name ${name} could not be looked up (${error.code ?? error.message}).`;
}
