import type { IncomingHttpHeaders } from 'node:http';
import { VerificationError, verifyDelivery, type WaypostEvent } from '../../../receiver/receiver.ts';

export interface ReceivedDelivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export type Verification =
  | { verified: true; event: WaypostEvent; by: readonly ('private key' | 'secret')[] }
  | { verified: false; reason: string };

/** Each webhook has its own secret. The secret of an existing webhook is unknown and not checked. */
export function verify(
  { headers, body }: ReceivedDelivery,
  privateKey: string,
  secrets: ReadonlyMap<string, string>,
): Verification {
  try {
    const event = verifyDelivery({ body, privateKey });
    const secret = secrets.get(event.type);
    if (secret === undefined) return { verified: true, event, by: ['private key'] };
    verifyDelivery({ body, headers, privateKey, secret });
    return { verified: true, event, by: ['private key', 'secret'] };
  } catch (error) {
    if (error instanceof VerificationError) return { verified: false, reason: error.message };
    throw error;
  }
}
