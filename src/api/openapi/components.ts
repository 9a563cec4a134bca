import Type from 'typebox';
import { AlertResponse } from '../../events/alerts/alert-routes.ts';
import { newDatapointCounts } from '../../events/catalogue/datapoint-events.ts';
import { commonFields, listingReference } from '../../events/catalogue/event-type.ts';
import { listingStatusMoves } from '../../events/catalogue/listing-events.ts';
import { webhookReference } from '../../events/catalogue/webhook-events.ts';
import { DestinationChange, DestinationResponse } from '../../events/destinations/destination-routes.ts';
import { AttemptResponse, AttemptSummaryResponse, OutcomeResponse } from '../../events/log/attempt.ts';
import { DeliveryResponse, HeldUp } from '../../events/log/delivery.ts';
import { DeliveryDetailsResponse, TestDeliveryResponse } from '../../events/log/delivery-routes.ts';
import { EventDetailsResponse, ListedEventResponse } from '../../events/log/event.ts';
import { DryRunResponse, NewReplay, ReplayResponse } from '../../events/log/replay.ts';
import { ActivityCounts, ActivityResponse, StatisticsResponse } from '../../events/log/statistics.ts';
import { Rotation } from '../../events/signing/keys.ts';
import { NewWebhook, WebhookChange, WebhookResponse } from '../../events/subscriptions/webhook.ts';
import {
  ClientCertificateField,
  ClientCertificateResponse,
  OAuthField,
} from '../../events/subscriptions/webhook-credential-fields.ts';
import { CreatedWebhook } from '../../events/subscriptions/webhook-routes.ts';
import { longListSchema, numberedPageQuery, pageSchema } from '../../http/pagination.ts';
import { TaskResponse } from '../../jobs/tasks/task.ts';
import type { Schema } from '../../json-schema.ts';
import { AuditResponse, KeyResponse, PartnerChange, PartnerResponse } from '../../modules/accounts/index.ts';
import { ListingHealthResponse } from '../../modules/analytics/index.ts';
import {
  BusinessChange,
  BusinessResponse,
  CategoryResponse,
  CollectionChange,
  CollectionResponse,
  NewBusiness,
  NewCollection,
} from '../../modules/catalog/index.ts';
import { DirectoryResponse } from '../../modules/directories/index.ts';
import { DatapointResponse, MaskedDatapoint, ReplyResponse } from '../../modules/feedback/index.ts';
import { ListingResponse, SubmissionResponse } from '../../modules/listings/index.ts';
import {
  Attribute,
  CustomField,
  ImportErrorResponse,
  LocationImportResponse,
  OpeningHours,
  Photo,
  ServiceArea,
  SocialProfile,
  SpecialOpeningHours,
  scopeQuery,
  Utm,
  Video,
} from '../../modules/locations/index.ts';
import { PublicationResponse } from '../../modules/publishing/index.ts';
import type { ShapeChange, VersionChange } from '../versions/version-change.ts';

const byName = {
  Attempt: AttemptResponse,
  AttemptSummary: AttemptSummaryResponse,
  AuditEntry: AuditResponse,
  Business: BusinessResponse,
  BusinessChange,
  Category: CategoryResponse,
  ClientCertificate: ClientCertificateResponse,
  ContentCollection: CollectionResponse,
  ContentCollectionChange: CollectionChange,
  CustomField,
  CreatedWebhook,
  DataPoint: DatapointResponse,
  DataPointFields: MaskedDatapoint,
  Delivery: DeliveryResponse,
  DeliveryWithAttempts: DeliveryDetailsResponse,
  Directory: DirectoryResponse,
  Event: EventDetailsResponse,
  EventListEntry: ListedEventResponse,
  HeldUp,
  Listing: ListingResponse,
  ListingHealth: ListingHealthResponse,
  LocationAttribute: Attribute,
  LocationImport: LocationImportResponse,
  LocationImportError: ImportErrorResponse,
  NewBusiness,
  NewContentCollection: NewCollection,
  NewClientCertificate: ClientCertificateField,
  NewReplay,
  NewWebhook,
  OAuthClient: OAuthField,
  OpeningHours,
  Outcome: OutcomeResponse,
  Photo,
  PrivateKey: KeyResponse,
  Publication: PublicationResponse,
  Replay: ReplayResponse,
  ReplayDryRun: DryRunResponse,
  Reply: ReplyResponse,
  Rotation,
  SalesPartner: PartnerResponse,
  SalesPartnerChange: PartnerChange,
  ServiceArea,
  SocialProfile,
  SpecialOpeningHours,
  Submission: SubmissionResponse,
  Task: TaskResponse,
  Utm,
  Video,
  Webhook: WebhookResponse,
  WebhookActivity: ActivityResponse,
  WebhookAlert: AlertResponse,
  WebhookActivityCounts: ActivityCounts,
  WebhookChange,
  WebhookDestination: DestinationResponse,
  WebhookDestinationChange: DestinationChange,
  WebhookHealth: WebhookResponse.properties.health,
  WebhookStatistics: StatisticsResponse,
  WebhookTestResult: TestDeliveryResponse,
};

const { offset, max, count } = pageSchema('entries', Type.Unknown()).properties;
const { countIsExact, after } = longListSchema('entries', Type.Unknown()).properties;
const { page, size } = numberedPageQuery;
const { type: _type, ...webhookSettings } = WebhookChange.properties;

const part = (title: string, description: string, fields: Type.TProperties) =>
  Type.Object(fields, { title, description });

/** Records that others extend, and fields that records have in common. */
const bases = [
  WebhookResponse,
  ActivityCounts,
  OutcomeResponse,
  PartnerResponse,
  DeliveryResponse,
  ListingResponse,
  TaskResponse,
  part('LongListPage', 'Common fields of long lists', { offset, max, count, countIsExact, after }),
  part('ListPage', 'Common fields of lists', { offset, max, count }),
  part('EventFields', 'Fields of every event', commonFields),
  part('ListingEventFields', 'Fields of every event of a listing', listingReference),
  part('ListingStatusFields', 'Previous and new statuses of a listing', listingStatusMoves),
  part('NewDatapointFields', 'New datapoints by type', newDatapointCounts),
  part('WebhookEventFields', 'Fields of every event about a webhook', webhookReference),
  part('WebhookSettingsChange', 'Settings that a webhook and a destination have', webhookSettings),
  part('LocationScope', 'The locations to include', scopeQuery),
  part('NumberedPage', 'The page to return', { page: Type.Optional(page), size: Type.Optional(size) }),
] as object[] as Schema[];

function baseOf(schema: Schema): Schema | undefined {
  return bases.find((base) => isExtension(schema, base));
}

/** Whether a record has all fields of another one, and more. */
function isExtension({ properties = {}, required = [] }: Schema, base: Schema): boolean {
  const fields = Object.entries(base.properties ?? {});
  if (Object.keys(properties).length <= fields.length) return false;
  // Names first: most records differ in them, and comparing schemas took a fifth of the time of a document.
  return (
    fields.every(
      ([name]) =>
        Object.hasOwn(properties, name) && required.includes(name) === (base.required?.includes(name) ?? false),
    ) && fields.every(([name, field]) => JSON.stringify(properties[name]) === JSON.stringify(field))
  );
}

const names = new Map(Object.entries(byName).map(([name, schema]) => [JSON.stringify(schema), name]));
const looked = new WeakMap<object, { name: string | undefined }>();

/** The name of a record for generated clients: its title, or a name from the table above. */
function nameOf(schema: Schema): string | undefined {
  if (schema.title !== undefined) return schema.title;
  // A use can have its own description.
  const { description: _, ...undescribed } = schema;
  const known = looked.get(schema) ?? {
    name: names.get(JSON.stringify(schema)) ?? names.get(JSON.stringify(undescribed)),
  };
  looked.set(schema, known);
  return known.name;
}

/** The entries of the changelog that concern one version. */
interface EntriesSeen {
  /** Entries after the version, newest first. */
  later: readonly VersionChange[];
  /** Entries that apply only to partners with a plan feature. */
  planDependent: readonly VersionChange[];
}

const largeRecord = 6;

/** Fields that records have in common, written once. */
const commonParts: Record<string, readonly string[]> = {
  AssetFields: ['AssetUpload', 'NewSocialTemplate'],
  BusinessFields: ['NewBusiness', 'BusinessChange'],
  DataPointFilterFields: ['DataPointFilter', 'NewDataPointFilter'],
  DataPointContent: ['DataPoint', 'DataPointFields'],
  LocationFields: ['Location', 'SoldLocation'],
  LocationChangeFields: ['LocationChange', 'LocationChanges'],
  ProductPlanFields: ['NewProductPlan', 'ProductPlanChange'],
  SocialPostContent: ['NewSocialPost', 'NewSocialTemplateContent'],
  StoreFinderFields: ['StoreFinder', 'StoreFinderSettings', 'NewStoreFinder'],
  UserFields: ['NewUser', 'UserChange'],
};

/** Named schemas are written once and referenced. */
export class Components {
  readonly schemas: Record<string, Schema> = {};
  readonly #entries: EntriesSeen;

  constructor(entries: EntriesSeen) {
    this.#entries = entries;
  }

  /** Replaces named schemas with references. */
  refer(schema: Schema): Schema {
    if (schema.enum && schema.title) return this.#referToEnum(schema.title, schema);
    if (schema.properties && Array.isArray(schema.type)) {
      const record = { ...schema, type: 'object' };
      return nameOf(record) ? { anyOf: [this.refer(record), { type: 'null' }] } : this.#inner(schema);
    }
    const name = schema.properties && nameOf(schema);
    if (name === undefined) return this.#inner(schema);
    if (!Object.hasOwn(this.schemas, name)) {
      // Set before the recursion, for recursive schemas.
      this.schemas[name] = {};
      this.schemas[name] = this.#inner(this.#atVersion(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A large record that extends another one references it. */
  joinLargeRecords(): void {
    const isLarge = ({ properties = {} }: Schema) => Object.keys(properties).length >= largeRecord;
    const large = Object.entries(this.schemas).filter(([, schema]) => isLarge(schema));
    for (const [name, schema] of large) {
      const base = large.find(([, other]) => isExtension(schema, other));
      if (!base) continue;
      const reference = { $ref: `#/components/schemas/${base[0]}` };
      this.schemas[name] = { allOf: [reference, without(schema, base[1])] };
    }
  }

  /** Writes the fields of `commonParts` once. A record that requires a field of the part says so itself. */
  joinCommonParts(): void {
    for (const [name, users] of Object.entries(commonParts)) {
      const records = users.map((user) => this.schemas[user]).filter((schema) => schema !== undefined);
      const [first, ...others] = records;
      if (!first?.properties || others.length === 0) continue;
      const isCommon = ([field, schema]: [string, Schema]) =>
        others.every(({ properties }) => JSON.stringify(properties?.[field]) === JSON.stringify(schema));
      const properties = Object.fromEntries(Object.entries(first.properties).filter(isCommon));
      this.schemas[name] = { type: 'object', properties };
      const reference = { $ref: `#/components/schemas/${name}` };
      for (const user of users) {
        const schema = this.schemas[user];
        if (!schema) continue;
        const own = without(schema, { properties });
        const hasOwn = Object.keys(own.properties ?? {}).length > 0;
        const { required } = schema;
        // Required fields of the part are listed beside `allOf`, where generators look for them.
        this.schemas[user] =
          hasOwn || required
            ? { allOf: hasOwn ? [reference, own] : [reference], ...(required && { required }) }
            : reference;
      }
    }
  }

  /** The description and default stay with the use. */
  #referToEnum(name: string, { description, default: preset, title: _, ...values }: Schema): Schema {
    const { schemas } = this;
    const own = { ...(description && { description }), ...(preset !== undefined && { default: preset }) };
    const kept = schemas[name]?.enum ?? values.enum;
    // A use with other values, such as null, is inlined.
    if (JSON.stringify(kept) !== JSON.stringify(values.enum)) return typed({ ...values, ...own });
    schemas[name] ??= typed(values);
    return { $ref: `#/components/schemas/${name}`, ...own };
  }

  #atVersion(current: Schema): Schema {
    const { later, planDependent } = this.#entries;
    const changesIn = (entries: readonly VersionChange[]): ShapeChange[] =>
      entries.flatMap(({ shapes = [] }) => shapes.filter(({ resource }) => resource === current['x-resource']));
    let schema = current;
    for (const { describe } of changesIn(planDependent)) if (describe) schema = either(schema, describe(schema));
    for (const { describe } of changesIn(later)) if (describe) schema = describe(schema);
    return schema;
  }

  /** Without the title (the name), the examples (next to the schema), and conditions, which linters do not understand. */
  #inner(schema: Schema): Schema {
    const base = baseOf(schema);
    if (base) return { allOf: [this.refer(base), this.#inner(without(schema, base))] };
    const {
      properties,
      items,
      anyOf,
      patternProperties,
      title: _,
      examples: __,
      if: ___,
      else: ____,
      ...rest
    } = schema;
    return {
      ...typed(rest),
      ...(properties && { properties: this.#each(properties) }),
      ...(items && { items: this.refer(items) }),
      ...(anyOf && { anyOf: anyOf.map((choice) => this.refer(choice)) }),
      ...(patternProperties && { patternProperties: this.#each(patternProperties) }),
    };
  }

  #each(schemas: Record<string, Schema>): Record<string, Schema> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.refer(schema)]));
  }
}

/** The additional fields of an extended record. */
function without(schema: Schema, base: Schema): Schema {
  const isOwn = (name: string) => !Object.hasOwn(base.properties ?? {}, name);
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => isOwn(name));
  const required = schema.required?.filter(isOwn) ?? [];
  const { required: _, ...rest } = schema;
  return { ...rest, ...(required.length > 0 && { required }), properties: Object.fromEntries(own) };
}

/** Tools need the type beside the values of an enum. */
function typed(schema: Schema): Schema {
  if (schema.type !== undefined || schema.enum === undefined) return schema;
  const types = [...new Set(schema.enum.map(typeOf))];
  return { type: types.length === 1 ? (types[0] as string) : types, ...schema };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The union of two schemas; fields are required only if both require them. */
function either(one: Schema, other: Schema): Schema {
  return {
    ...one,
    properties: { ...other.properties, ...one.properties },
    ...(one.required && { required: one.required.filter((name) => other.required?.includes(name)) }),
  };
}
