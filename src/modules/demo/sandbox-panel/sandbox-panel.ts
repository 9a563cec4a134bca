import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { directoryList, type SandboxStatus } from '../../directories/index.ts';

export const NewReview = Type.Object({
  listingId: Id,
  rating: Type.Optional(Type.Integer({ minimum: 1, maximum: 5, description: 'Stars, where the directory has them' })),
  text: Type.String({ minLength: 1, maxLength: 5000, examples: ['The best flat white in town.'] }),
  author: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['Maria K.'] })),
});

export const ListingDrift = Type.Object({
  listingId: Id,
  field: Type.Optional(
    Type.String({ maxLength: 50, description: 'By chance unless it is given', examples: ['phone', 'openingHours'] }),
  ),
});

export const Outage = Type.Object({
  seconds: Type.Integer({ minimum: 1, maximum: 3600, default: 60, description: 'For how long' }),
  listingId: Type.Optional({ ...Id, description: 'A listing to look at meanwhile, to see what comes of it' }),
});

const types = directoryList.map(({ type }) => type);
export const directoryParams = Type.Object({ type: Type.Enum(types) });

const SandboxDirectory = Type.Object({
  type: Type.String({ examples: ['GOOGLE'] }),
  name: Type.String({ examples: ['Google'] }),
  listings: Type.Integer({ description: 'Pages that it has' }),
  dataPoints: Type.Integer({ description: 'Reviews, questions and so on that it has' }),
  requests: Type.Integer({ description: 'How often it was asked since it started' }),
  isDown: Type.Boolean(),
  downUntil: Type.Optional(Type.String()),
});

export const SandboxAnswer = Type.Object({
  life: Type.Boolean({ description: 'Whether things happen there by themselves' }),
  directories: Type.Array(SandboxDirectory),
});

export function sandboxAnswer({ life, directories }: SandboxStatus): Static<typeof SandboxAnswer> {
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
