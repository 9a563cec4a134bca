import Type from 'typebox';
import { commonFields } from '../../events/catalogue/field-shapes.ts';
import { AttemptResponse, AttemptSummaryResponse } from '../../events/log/attempt.ts';
import { DeliveryResponse } from '../../events/log/delivery.ts';
import { DeliveryDetailsResponse } from '../../events/log/delivery-routes.ts';
import { EventDetailsResponse, ListedEventResponse } from '../../events/log/event.ts';
import { DryRunResponse, NewReplay, ReplayResponse } from '../../events/log/replay.ts';
import { ActivityResponse, StatisticsResponse } from '../../events/log/statistics.ts';
import { TestDeliveryResponse } from '../../events/log/test-delivery-routes.ts';
import { NewWebhook, WebhookChange, WebhookResponse } from '../../events/subscriptions/webhook.ts';
import { longListSchema } from '../../http/long-list.ts';
import { pageSchema } from '../../http/pagination.ts';
import { TaskResponse } from '../../jobs/tasks/task.ts';
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
import type { Schema } from './route-record.ts';

const byName = {
  Attempt: AttemptResponse,
  AttemptSummary: AttemptSummaryResponse,
  AuditEntry: AuditResponse,
  Business: BusinessResponse,
  BusinessChange,
  Category: CategoryResponse,
  ContentCollection: CollectionResponse,
  ContentCollectionChange: CollectionChange,
  CustomField,
  DataPoint: DatapointResponse,
  DataPointFields: MaskedDatapoint,
  Delivery: DeliveryResponse,
  DeliveryWithAttempts: DeliveryDetailsResponse,
  Directory: DirectoryResponse,
  Event: EventDetailsResponse,
  EventListEntry: ListedEventResponse,
  Listing: ListingResponse,
  ListingHealth: ListingHealthResponse,
  LocationAttribute: Attribute,
  LocationImport: LocationImportResponse,
  LocationImportError: ImportErrorResponse,
  NewBusiness,
  NewContentCollection: NewCollection,
  NewReplay,
  NewWebhook,
  OpeningHours,
  Photo,
  PrivateKey: KeyResponse,
  Publication: PublicationResponse,
  Replay: ReplayResponse,
  ReplayDryRun: DryRunResponse,
  Reply: ReplyResponse,
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
  WebhookChange,
  WebhookStatistics: StatisticsResponse,
  WebhookTestResult: TestDeliveryResponse,
};

const eventFields = Type.Object(commonFields, { title: 'EventFields', description: 'Fields of every event' });
const { offset, max, count } = pageSchema('entries', Type.Unknown()).properties;
const listPage = Type.Object({ offset, max, count }, { title: 'ListPage', description: 'Common fields of lists' });

const { countIsExact, after } = longListSchema('entries', Type.Unknown()).properties;
const longListPage = Type.Object(
  { offset, max, count, countIsExact, after },
  { title: 'LongListPage', description: 'Common fields of long lists' },
);

const locationScope = Type.Object(scopeQuery, {
  title: 'LocationScope',
  description: 'The locations to include',
});

/** Records that others extend. */
const bases = [
  WebhookResponse,
  PartnerResponse,
  DeliveryResponse,
  TaskResponse,
  longListPage,
  listPage,
  eventFields,
  locationScope,
] as object[] as Schema[];

/** The record that a schema extends. */
export function baseOf(schema: Schema): Schema | undefined {
  return bases.find((base) => isExtension(schema, base));
}

/** Whether a record has all fields of another one, and more. */
export function isExtension({ properties = {}, required = [] }: Schema, base: Schema): boolean {
  const fields = Object.entries(base.properties ?? {});
  if (Object.keys(properties).length <= fields.length) return false;
  return fields.every(
    ([name, field]) =>
      Object.hasOwn(properties, name) &&
      required.includes(name) === (base.required?.includes(name) ?? false) &&
      JSON.stringify(properties[name]) === JSON.stringify(field),
  );
}

const names = new Map(Object.entries(byName).map(([name, schema]) => [JSON.stringify(schema), name]));
const looked = new WeakMap<object, { name: string | undefined }>();

/** The name of a record for generated clients: its title, or a name from the table above. */
export function nameOf(schema: Schema): string | undefined {
  if (schema.title !== undefined) return schema.title;
  // A use can have its own description.
  const { description: _, ...undescribed } = schema;
  const known = looked.get(schema) ?? {
    name: names.get(JSON.stringify(schema)) ?? names.get(JSON.stringify(undescribed)),
  };
  looked.set(schema, known);
  return known.name;
}
