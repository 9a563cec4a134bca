import tagging from '@openstreetmap/id-tagging-schema/dist/fields.min.json' with { type: 'json' };
import Type, { type Static } from 'typebox';
import { Id } from '../../http/ids.ts';
import { deletableField, deletableFields } from '../../http/validation.ts';

const DirectoryType = Type.String({
  pattern: '^[A-Z][A-Z0-9_]{0,49}$',
  description: 'Directory type in upper case, such as GOOGLE',
});

export const Url = Type.String({ maxLength: 2048, description: 'http or https URL' });

/** OpenStreetMap names in upper case. */
export const paymentOptions = tagging.payment_multi.options.map((name) => name.toUpperCase());

export const Attribute = Type.Object({
  key: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.:-]{0,99}$', description: 'Attribute name, such as wheelchair' }),
  value: Type.Unsafe<boolean | number | string | string[]>({
    type: ['boolean', 'number', 'string', 'array'],
    items: { type: 'string', maxLength: 255 },
    maxItems: 50,
    maxLength: 1000,
    description: 'Boolean, number, string or array of strings',
  }),
});
export type Attribute = Static<typeof Attribute>;

export const ServiceArea = Type.Object({
  name: Type.String({ pattern: '\\S', maxLength: 200, description: 'Name of the area, such as Köln' }),
  placeId: Type.Optional(Type.String({ maxLength: 255, description: 'Place id of a map service' })),
});

/** Accepted host names by network. */
export const socialNetworks: Readonly<Record<string, readonly string[]>> = {
  FACEBOOK: ['facebook.com', 'fb.com'],
  INSTAGRAM: ['instagram.com'],
  LINKEDIN: ['linkedin.com'],
  PINTEREST: ['pinterest.com'],
  SNAPCHAT: ['snapchat.com'],
  TIKTOK: ['tiktok.com'],
  X: ['x.com', 'twitter.com'],
  XING: ['xing.com'],
  YOUTUBE: ['youtube.com', 'youtu.be'],
};

export const SocialProfile = Type.Object({
  type: Type.Enum(Object.keys(socialNetworks), { description: 'Social network' }),
  url: Url,
});

export const Photo = Type.Object({
  url: Url,
  type: Type.Optional(
    Type.Enum(['MAIN', 'LOGO', 'PHOTO'], { description: 'At most one MAIN and one LOGO. Default: PHOTO' }),
  ),
  description: Type.Optional(Type.String({ maxLength: 255 })),
});

export const Video = Type.Object({ url: Url, description: Type.Optional(Type.String({ maxLength: 255 })) });

export const Utm = Type.Object({
  type: DirectoryType,
  parameters: Type.String({
    pattern: '^[^\\s#?]+$',
    maxLength: 1000,
    description: 'Query parameters added to the website, such as utm_source=google&utm_medium=organic',
  }),
});

export const CustomField = Type.Object({
  name: Type.String({ pattern: '\\S', maxLength: 100 }),
  value: Type.String({ maxLength: 2000 }),
});

/** A new name creates a label, which is public unless adminOnly is set. */
export const LabelReference = Type.Unsafe<number | string | { id?: number; name?: string; adminOnly?: boolean }>({
  type: ['integer', 'string', 'object'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: '\\S',
  maxLength: 100,
  properties: { id: Id, name: { type: 'string', pattern: '\\S', maxLength: 100 }, adminOnly: { type: 'boolean' } },
  minProperties: 1,
  description: 'Label id, label name, or an object with id or name',
});
export type LabelReference = Static<typeof LabelReference>;

const Translation = Type.Object({
  title: Type.Optional(Type.String({ maxLength: 140 })),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
});

const serviceFields = {
  identifier: Type.Optional(
    Type.String({ pattern: '\\S', maxLength: 100, description: 'Your own identifier, unique within the location' }),
  ),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  category: Type.Optional(Id),
  price: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'In minor units: 5000 means 50.00' }),
  ),
  currency: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{3}$', description: 'Three-letter currency code, such as EUR' }),
  ),
  googleService: Type.Optional(Type.String({ maxLength: 255, description: 'Id of the related service at Google' })),
  translations: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-zA-Z]{2,3}([-_][a-zA-Z0-9]{2,8})*$' }), Translation, {
      description: 'By language code',
    }),
  ),
};
const serviceTitle = Type.String({ pattern: '\\S', maxLength: 140 });

/** With an id, or a known identifier or title, an existing service: absent fields are unchanged, null deletes. */
export const ServiceItemInput = Type.Object(
  {
    id: Type.Optional(Id),
    title: deletableField(serviceTitle),
    ...deletableFields(serviceFields),
  },
  { title: 'ServiceItemInput', 'x-resource': 'ServiceItem' },
);
export type ServiceItemInput = Static<typeof ServiceItemInput>;

export const ServiceItem = Type.Object(
  { id: Id, title: serviceTitle, ...serviceFields },
  { title: 'ServiceItem', 'x-resource': 'ServiceItem' },
);
export type ServiceItem = Static<typeof ServiceItem>;
