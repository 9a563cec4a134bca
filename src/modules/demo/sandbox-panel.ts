import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Id } from '../../http/ids.ts';
import { Problem } from '../../problems.ts';
import { hasUnrelatedPartners } from '../accounts/index.ts';
import {
  directoryList,
  type SandboxAccess,
  SandboxControl,
  SandboxError,
  type SandboxStatus,
} from '../directories/index.ts';

export const NewReview = Type.Object({
  listingId: Id,
  rating: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5, description: 'Stars, if the directory supports ratings' }),
  ),
  text: Type.String({ minLength: 1, maxLength: 5000, examples: ['The best flat white in town.'] }),
  author: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['Maria K.'] })),
});

export const ListingDrift = Type.Object({
  listingId: Id,
  field: Type.Optional(
    Type.String({ maxLength: 50, description: 'Default: a random field', examples: ['phone', 'openingHours'] }),
  ),
});

export const Outage = Type.Object({
  seconds: Type.Integer({ minimum: 1, maximum: 3600, default: 60, description: 'Duration' }),
  listingId: Type.Optional({ ...Id, description: 'Listing to check during the outage' }),
});

const types = directoryList.map(({ type }) => type);
export const directoryParams = Type.Object({ type: Type.Enum(types) });

const SandboxDirectory = Type.Object({
  type: Type.String({ examples: ['GOOGLE'] }),
  name: Type.String({ examples: ['Google'] }),
  listings: Type.Integer({ description: 'Number of listings' }),
  dataPoints: Type.Integer({ description: 'Number of reviews, questions and other datapoints' }),
  requests: Type.Integer({ description: 'Requests received since the sandbox started' }),
  isDown: Type.Boolean(),
  downUntil: Type.Optional(Type.String()),
});

export const SandboxResponse = Type.Object({
  life: Type.Boolean({ description: 'Whether customer activity is simulated' }),
  directories: Type.Array(SandboxDirectory),
});

export function sandboxResponse({ life, directories }: SandboxStatus): Static<typeof SandboxResponse> {
  const nameOf = (type: string) => directoryList.find((known) => known.type === type)?.name ?? type;
  return {
    life,
    directories: directories.map(({ type, listings, dataPoints, requests, trouble }) => ({
      type,
      name: nameOf(type),
      listings,
      dataPoints,
      requests,
      isDown: trouble !== undefined,
      ...(trouble?.until !== undefined && { downUntil: trouble.until }),
    })),
  };
}

/** Directories and the demo receiver are shared: only a partner with all others as its descendants may change them. */
export async function requireSolePartner(sql: Sql, { partnerId }: Caller, subject: string): Promise<void> {
  if (!(await hasUnrelatedPartners(sql, partnerId))) return;
  throw new Problem('FORBIDDEN', {
    message:
      `${subject} is shared with partners that do not belong to yours. ` +
      'Ask the operator to run "waypost sandbox" on the server.',
  });
}

/** Converts a SandboxError to a Problem. */
export async function withSandbox<T>(
  sandbox: SandboxAccess | undefined,
  work: (control: SandboxControl) => Promise<T>,
): Promise<T> {
  if (!sandbox) {
    throw new Problem('CONFLICT', {
      message: 'The sandbox network is not running. Start Waypost with "npm start" and set WAYPOST_SANDBOX to on.',
    });
  }
  return work(new SandboxControl(sandbox)).catch((error: unknown) => {
    if (error instanceof SandboxError) throw new Problem('USER_ERROR', { message: error.message });
    throw error;
  });
}
