import type { RecordSchema, Shape } from './shape.ts';

/** How one kind of record looked before. Both directions are pure; `upgrade` gets what an old client sent. */
export interface ShapeChange {
  /** The `x-resource` of the schemas that it concerns, such as Location. */
  readonly resource: string;
  /** Fields of old, and what took their place. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Fields that kept their name and are given otherwise today. */
  readonly reshaped?: Readonly<Record<string, Reshaped>>;
  /** Fields of today that a client of old may send and that are left out, because they would mean something else. */
  readonly notYet?: readonly string[];
  /** Where in a request of then a field of today stood, for errors; `replaced` alone only knows other names. */
  pathThen?(today: string): string;
  /** Whether a record that says something in the old way and in the new says the same. It contradicts itself otherwise. */
  agrees?(old: Shape): boolean;
  /** Of a record as it was sent: what cannot be kept of it today, as a sentence for the warnings. */
  lostBy?(old: Shape): string | undefined;
  upgrade?(old: Shape): Shape;
  downgrade?(today: Shape): Shape;
  /** The schema that the record had, from the one it has today. */
  describe?(today: RecordSchema): RecordSchema;
}

/** In words, both as the end of a sentence: "Giving labels as texts is deprecated: use objects {id, name}". */
export interface Reshaped {
  readonly before: string;
  readonly now: string;
  isOld(value: unknown, shape: Shape): boolean;
}

/** How a call behaved before: its parameters, or an answer as a whole. */
export interface CallChange {
  /** As routes are named, such as `GET /api/locations/:id`. */
  readonly call: string;
  /** Query parameters of old, and what took their place. */
  readonly replaced?: Readonly<Record<string, string>>;
  upgradeQuery?(old: Shape): Shape;
  upgradeBody?(old: Shape): Shape;
  downgradeResponse?(today: Shape): Shape;
  /** The schemas that query and answer had, from those they have today. */
  describeQuery?(today: RecordSchema): RecordSchema;
  describeResponse?(today: RecordSchema): RecordSchema;
  /** What holds for a client of old and not for one of today; handlers look for it. */
  readonly granted?: Grant;
}

export type Grant =
  | 'UNCAPPED_LOCATIONS'
  | 'UNCAPPED_DATAPOINTS'
  | 'OPEN_NOW_ALWAYS'
  | 'FIELDS_IN_SYNC_COUNTED'
  | 'SUGGESTIONS_IN_LOCATIONS'
  | 'DEPRECATED_CATEGORIES'
  | 'DATE_START_PUBLISHES'
  | 'ONLY_UNREAD_OR_ALL'
  | 'PENDING_IS_INACTIVE'
  | 'ONLY_ADMINS_CREATE_LABELS'
  | 'SERVICES_BY_IDENTIFIER';

/** An entry of the change record. */
export interface VersionChange {
  /** Eight digits. */
  readonly version: string;
  readonly kind: 'BREAKING' | 'ADDITIVE' | 'INTERNAL';
  /** For those who write clients: what it was, what it is, and what to do. */
  readonly description: string;
  /** What it touches, in words: paths, fields. */
  readonly touches: readonly string[];
  /** What one of the partner's product plans must have; to partners without it the entry has not come yet. */
  readonly onlyWith?: string;
  readonly shapes?: readonly ShapeChange[];
  readonly calls?: readonly CallChange[];
}

/** Who is answered, as far as the change record asks. */
export interface Client {
  readonly version: string;
  /** What the partner's product plans have between them. */
  readonly planFeatures: readonly string[];
}

/** Whether an entry has not come yet for a client. */
export const isBefore = ({ version, planFeatures }: Client, entry: Pick<VersionChange, 'version' | 'onlyWith'>) =>
  version < entry.version || (entry.onlyWith !== undefined && !planFeatures.includes(entry.onlyWith));
