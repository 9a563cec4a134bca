import { type OpenApiDocument, successOf } from '../../src/api/openapi/openapi-document.ts';
import type { TestPartner } from './api.ts';
import { picture, uploadFile } from './assets.ts';
import type { ExampleWorld } from './example-world.ts';
import { ListingScene } from './listings.ts';
import { activate } from './locations.ts';
import { enableCollections } from './product-plans.ts';
import { SocialScene } from './social-posts.ts';
import { addUser, type TestUser } from './users.ts';

// Tests read responses of any shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type ApiResponse = any;

/** Method and path: `PATCH /api/labels/{id}`. */
type OperationKey = string;

interface RequestOptions {
  media: string;
  body: unknown;
  headers: Record<string, string> | undefined;
}

const webhooks = '/api/sales-partners/webhooks';
/** Records that jobs and directories create: only the partner of the world has them. */
const createdByJobs =
  /^\w+ \/api\/(data-?points\/\{|data-points$|listings|directory-business-pages|deliveries|home|dashboard|sandbox\/(reviews|listing-changes)|sales-partners\/webhooks\/(alerts|\{id\}\/(test|resume|retry-failed|replay)))/;

/** Records that are not created where they are listed. */
const creators: Readonly<Record<string, string>> = {
  '/api/datapoints/filters': '/api/data-points/filters',
  '/api/tasks': '/api/locations/data-download',
};

const destinations = `${webhooks}/destinations`;
const destination = `?pushUrl=${encodeURIComponent('https://crm.example/waypost')}`;

/** Required query parameters. */
const queries: Readonly<Record<OperationKey, string>> = {
  'GET /api/categories': '?query=bakery',
  'GET /api/dashboard/insights-data': '?type=GOOGLE',
  'GET /api/near-me-check/categories': '?query=bakery',
  'GET /api/home/suggestions/locations': '?type=CONNECT_INSTAGRAM',
  'GET /api/home/tasks/locations': '?type=DATAPOINT_UNREPLIED',
  [`PATCH ${destinations}`]: destination,
  [`DELETE ${destinations}`]: destination,
  [`POST ${destinations}/rotate-secret`]: destination,
};

/** Sends the request examples of a document with the ids of existing records. */
export class ExampleRequests {
  readonly #document: OpenApiDocument;
  readonly #world: ExampleWorld;
  readonly #social: SocialScene;
  readonly #listings: ListingScene;
  readonly #used = new Set<unknown>();
  readonly #users = new Map<TestPartner, TestUser>();

  constructor(document: OpenApiDocument, world: ExampleWorld) {
    this.#document = document;
    this.#world = world;
    this.#social = new SocialScene(world);
    this.#listings = new ListingScene(world);
  }

  /** Operations with JSON responses: reads first, deletions last. */
  get operations(): OperationKey[] {
    const keys = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => successOf(operation, this.#document)?.content['application/json'])
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    const order = (key: OperationKey) => (key.startsWith('GET ') ? 0 : key.startsWith('DELETE ') ? 2 : 1);
    return keys.sort((a, b) => order(a) - order(b));
  }

  hasBody = (key: OperationKey): boolean => this.#operation(key)?.requestBody !== undefined;

  #operation(key: OperationKey) {
    const [method = '', path = ''] = key.split(' ');
    return this.#document.paths[path]?.[method.toLowerCase()];
  }

  /** The first example of an operation. */
  exampleOf(key: OperationKey): { media: string; value: unknown } | undefined {
    const content = this.#operation(key)?.requestBody?.content ?? {};
    for (const [media, { examples }] of Object.entries(content)) {
      if (examples?.example) return { media, value: examples.example.value };
    }
    return undefined;
  }

  /** Creates a record of every kind that is read, so that no list is empty. */
  async prepare(): Promise<void> {
    const { partner } = this.#world;
    for (const key of this.operations.filter((one) => /^GET .*\{\w+\}$/.test(one))) {
      await this.#urlOf(partner, key);
    }
    const contentLists = 'PUT /api/locations/{id}/content-lists';
    await this.#sendTo(partner, contentLists, await this.#urlOf(partner, contentLists));
    await this.#user(partner);
    await this.#world.runJobs();
    await this.#world.deliver();
  }

  /** Sends the example. Changes use a new partner without other records. */
  async send(key: OperationKey, headers?: Record<string, string>): Promise<ApiResponse> {
    const partner = await this.#partnerFor(key);
    if (key === 'PUT /api/locations/{id}/suggestions') return this.#decideSuggestion(partner, key);
    return this.#sendTo(partner, key, await this.#urlOf(partner, key), headers);
  }

  /** The request of an operation that changes nothing, to be sent several times. */
  async repeatable(key: OperationKey): Promise<() => Promise<ApiResponse>> {
    const partner = await this.#partnerFor(key);
    const url = await this.#urlOf(partner, key);
    return () => this.#sendTo(partner, key, url);
  }

  async #partnerFor(key: OperationKey): Promise<TestPartner> {
    const { owner, partner, api } = this.#world;
    // The sandbox is shared by all partners: only the top partner can control it.
    if (/\/api\/sandbox\/(directories|receiver)/.test(key)) return owner;
    if (key.startsWith('GET ') || createdByJobs.test(key)) return partner;
    const other = await api.addPartner(owner);
    if (key.includes('content')) await enableCollections(api, other);
    return other;
  }

  async #sendTo(
    partner: TestPartner,
    key: OperationKey,
    url: string,
    headers?: Record<string, string>,
  ): Promise<ApiResponse> {
    const [, path = ''] = key.split(' ');
    const { media, value } = this.exampleOf(key) ?? { media: 'application/json', value: undefined };
    const request = await this.#withRecords(partner, path, value);
    return { request, ...(await this.#call(partner, key, url, { media, body: request, headers })) };
  }

  async #call(partner: TestPartner, key: OperationKey, url: string, { media, body, headers }: RequestOptions) {
    const [method = '', path = ''] = key.split(' ');
    if (media === 'multipart/form-data') {
      const { file, ...fields } = body as Record<string, string>;
      return uploadFile(partner, { name: `${file}`, bytes: await picture() }, fields);
    }
    if (path === '/api/users/login') {
      const { email, password } = body as { email: string; password: string };
      await addUser(this.#world.api, partner, { role: 'ADMIN', name: 'Maria Keller', email, password });
    }
    if (path === '/api/users/me' || path === '/api/users/logout') {
      return (await this.#user(partner)).call(method, url, undefined, headers);
    }
    const query = media === 'text/csv' ? `?businessId=${await this.#newBusiness(partner)}` : (queries[key] ?? '');
    const isPublic = path === '/api/report' || path.startsWith('/api/near-me-check');
    const keys = isPublic ? { privateKey: undefined, publicKey: partner.partner.publicKey } : {};
    return partner.call(method, `${url}${query}`, body, {
      ...(body !== undefined && { 'content-type': media }),
      ...keys,
      ...headers,
    });
  }

  /** The path with a record for each parameter. */
  async #urlOf(partner: TestPartner, key: OperationKey): Promise<string> {
    const [, path = ''] = key.split(' ');
    if (queries[key] === destination) await this.#created(partner, `POST ${webhooks}`, webhooks);
    let [template, url] = ['', ''];
    for (const segment of path.split('/').slice(1)) {
      const [, parameter] = /^\{(\w+)\}$/.exec(segment) ?? [];
      const value = parameter ? await this.#record(partner, template, url, parameter, key) : segment;
      template += `/${segment}`;
      url += `/${value}`;
    }
    return url;
  }

  async #record(partner: TestPartner, collection: string, url: string, parameter: string, key: OperationKey) {
    switch (collection) {
      case '/api/event-types':
        return 'LOCATION_CREATED';
      case '/api/sandbox/directories':
        return 'YELP';
      case '/api/sandbox/receiver':
        return 'crm';
      case '/api/salespartners':
        if (key.endsWith('/switch-private-key')) await this.#rotateKey(partner);
        return partner.partner.id;
      case '/api/sales-partners':
        return partner.partner.id;
      case '/api/categories':
        return 660800505;
      case '/api/directories':
        return 'GOOGLE';
      case '/api/dashboard/listing-health':
        return (await this.#listed(partner, '/api/locations'))[0].id;
      case '/api/report':
        return this.#report(partner);
      case '/api/deliveries':
        return key.endsWith('/discard') ? this.#retriedDelivery(partner) : this.#failedDelivery(partner);
      case '/api/data-points':
        return this.#newDatapoint(partner);
      case '/api/social-posts':
        return this.#newPost(partner, key);
      case '/api/data-points/{id}/replies':
        return this.#newReply(partner, key, url);
      default: {
        const isOfWorld = partner === this.#world.partner;
        if (isOfWorld && collection === webhooks && /replay|re(sume|try)/.test(key))
          return this.#failingWebhook(partner);
        const [listed] = isOfWorld ? await this.#listed(partner, url) : [];
        if (listed && !key.endsWith('/cancel')) return listed[parameter] ?? listed.id;
        if (collection === `${webhooks}/{id}/replays`) return this.#newReplay(partner, url);
        const path = creators[collection] ?? collection;
        const id = await this.#created(partner, `POST ${path}`, creators[collection] ?? url, parameter);
        // Only an active location can be closed.
        if (key === 'POST /api/locations/{id}/status') await activate(this.#world.api, partner, id);
        return id;
      }
    }
  }

  async #listed(partner: TestPartner, url: string): Promise<ApiResponse[]> {
    const { code, body } = await partner.call('GET', url);
    if (code !== 200) throw new Error(`${url}: ${JSON.stringify(body)}`);
    const { response } = body;
    return [response, ...Object.values(response), ...Object.values(response.inbox ?? {})].find(Array.isArray) ?? [];
  }

  /** The id of the record that the example of a POST creates. */
  async #created(partner: TestPartner, key: OperationKey, url: string, parameter = 'id') {
    const { code, body } = await this.#sendTo(partner, key, url);
    if (code !== 200) throw new Error(`${key}: ${JSON.stringify(body)}`);
    return body.response[parameter] ?? body.response.id;
  }

  async #newBusiness(partner: TestPartner): Promise<number> {
    const [first] = await this.#listed(partner, '/api/businesses');
    return first?.id ?? this.#created(partner, 'POST /api/businesses', '/api/businesses');
  }

  async #user(partner: TestPartner): Promise<TestUser> {
    const existing = this.#users.get(partner);
    const user = existing ?? (await addUser(this.#world.api, partner, { role: 'ADMIN', name: 'Maria Keller' }));
    this.#users.set(partner, user);
    return user;
  }

  /** Id and token of a new report. */
  async #report(partner: TestPartner): Promise<string> {
    const { id, token } = (await this.#sendTo(partner, 'POST /api/report', '/api/report')).body.response;
    await this.#world.runJobs();
    return `${id}?token=${token}`;
  }

  async #failingWebhook(partner: TestPartner): Promise<number> {
    return (await this.#listed(partner, webhooks)).find(({ pushUrl }) => pushUrl.endsWith('/legacy-erp')).id;
  }

  async #failedDelivery(partner: TestPartner): Promise<string> {
    return (await this.#listed(partner, `${webhooks}/${await this.#failingWebhook(partner)}/deliveries`))[0].id;
  }

  async #retriedDelivery(partner: TestPartner): Promise<string> {
    const webhook = `${webhooks}/${await this.#failingWebhook(partner)}`;
    await partner.call('PATCH', webhook, { retrySchedule: [3600] });
    await partner.call('POST', '/api/event-types/LOCATION_CREATED/emit', {});
    await this.#world.deliver();
    await partner.call('PATCH', webhook, { retrySchedule: null });
    return (await this.#listed(partner, `${webhook}/deliveries?states=RETRYING`))[0].id;
  }

  /** A review that no other operation uses. */
  async #newDatapoint(partner: TestPartner): Promise<number> {
    const reviews = await this.#listed(partner, '/api/data-points?types=REVIEW&hasReply=false&hasText=true&max=100');
    const next = reviews.find(
      ({ id, locationId, supportsReply }) => locationId && supportsReply && !this.#used.has(id),
    );
    this.#used.add(next.id);
    return next.id;
  }

  /** A reply of a location manager needs approval. */
  async #newReply(partner: TestPartner, key: OperationKey, url: string): Promise<number> {
    if (!key.endsWith('/approve')) return this.#created(partner, 'POST /api/data-points/{id}/replies', url);
    const locationIds = (await this.#listed(partner, '/api/locations')).map(({ id }) => id);
    const author = await addUser(this.#world.api, partner, {
      role: 'LOCATION_MANAGER',
      locationIds,
    });
    const { value } = this.exampleOf('POST /api/data-points/{id}/replies') ?? {};
    const { body } = await author.call('POST', url, value);
    if (!body.response) throw new Error(JSON.stringify(body));
    return body.response.id;
  }

  async #newReplay(partner: TestPartner, url: string): Promise<number> {
    const { value } = this.exampleOf(`POST ${webhooks}/{id}/replay`) ?? {};
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await partner.call('POST', url.replace(/s$/, ''), { ...(value as object), since, dryRun: false });
    return body.response.id;
  }

  async #rotateKey(partner: TestPartner): Promise<void> {
    const path = `/api/salespartners/${partner.partner.id}/rotate-private-key`;
    await this.#sendTo(partner, 'POST /api/salespartners/{id}/rotate-private-key', path);
  }

  /** A post of a location manager needs approval. */
  async #newPost(partner: TestPartner, key: OperationKey): Promise<number> {
    if (key.startsWith('GET ')) return (await this.#listed(partner, '/api/social-posts?status=ACTIVE'))[0].id;
    const needsApproval = /\/(approve|reject)$/.test(key);
    const locationIds = await this.#locations(partner);
    const author = await addUser(this.#world.api, partner, {
      role: needsApproval ? 'LOCATION_MANAGER' : 'ADMIN',
      ...(needsApproval && { locationIds, features: ['SOCIAL_POST_WRITE'] }),
    });
    const { value } = this.exampleOf('POST /api/social-posts') ?? {};
    return (await this.#social.create(author, { ...(value as object), locationIds })).id;
  }

  /** Two locations, new ones if the partner has none. */
  async #locations(partner: TestPartner): Promise<number[]> {
    const listed = await this.#listed(partner, '/api/locations');
    if (listed.length > 1) return listed.slice(0, 2).map(({ id }) => id);
    const businessId = await this.#newBusiness(partner);
    const locations = [
      await this.#social.addLinkedLocation(partner, { businessId }),
      await this.#social.addLinkedLocation(partner, { businessId }),
    ];
    return locations.map(({ locationId }) => locationId);
  }

  async #withRecords(partner: TestPartner, path: string, value: unknown): Promise<unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const replaced: Record<string, unknown> = {};
    for (const [field, inner] of Object.entries(value))
      replaced[field] = await this.#withRecord(partner, path, field, inner);
    return replaced;
  }

  async #withRecord(partner: TestPartner, path: string, field: string, value: unknown): Promise<unknown> {
    switch (field) {
      case 'businessId':
        return this.#newBusiness(partner);
      case 'businessIds':
        return [await this.#newBusiness(partner)];
      case 'locationIds':
        return this.#locations(partner);
      case 'ids':
        if (path === '/api/locations') return this.#locations(partner);
        return [await this.#newDatapoint(partner), await this.#newDatapoint(partner)];
      case 'listingId':
        return (await this.#listed(partner, '/api/listings'))[0].id;
      default:
        return this.#withRecords(partner, path, value);
    }
  }

  /** Creates a suggestion by changing the phone number at the directory. */
  async #decideSuggestion(partner: TestPartner, key: OperationKey): Promise<ApiResponse> {
    const scene = this.#listings;
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const { listingId } = await scene.listing(partner, id, 'BING');
    await scene.control.changeListing('BING', listingId, { profile: { phone: '+492211111122' } });
    await scene.sync(partner, id);
    const path = `/api/locations/${id}/suggestions`;
    const { suggestions } = (await partner.call('GET', path)).body.response;
    const decisions = (this.exampleOf(key)?.value ?? []) as object[];
    const decided = decisions.map((decision, index) => ({ ...decision, id: suggestions[index].id }));
    return { request: decided, ...(await partner.call('PUT', path, decided)) };
  }
}
