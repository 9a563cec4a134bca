import type { OpenApiDocument } from '../../src/api/openapi/openapi-document.ts';
import type { TestPartner } from './api.ts';
import { picture, sendFile } from './assets.ts';
import { FeedbackScene } from './feedback.ts';
import { ListingScene } from './listings.ts';
import { activate } from './places.ts';
import { giveCollections } from './product-plans.ts';
import type { SandboxScene } from './sandbox-scene.ts';
import { SocialScene } from './social-posts.ts';
import { addUser } from './users.ts';

// Tests look into answers of every shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;

/** Method and path: `PATCH /api/labels/{id}`. */
type OperationKey = string;

/** Sends the request examples of a document, with the ids of real records in place of the ids of the example. */
export class ExampleRequests {
  readonly #document: OpenApiDocument;
  readonly #social: SocialScene;
  readonly #feedback: FeedbackScene;
  readonly #listings: ListingScene;
  readonly #owner: TestPartner;

  constructor(document: OpenApiDocument, scene: SandboxScene, owner: TestPartner) {
    this.#document = document;
    this.#social = new SocialScene(scene);
    this.#feedback = new FeedbackScene(scene);
    this.#listings = new ListingScene(scene);
    this.#owner = owner;
  }

  /** Every operation with a request body. */
  get operations(): OperationKey[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { requestBody }]) => requestBody)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
  }

  /** The first example of an operation. */
  exampleOf(key: OperationKey): { media: string; value: unknown } | undefined {
    const [method = '', path = ''] = key.split(' ');
    const content = this.#document.paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {};
    for (const [media, { examples }] of Object.entries(content)) {
      if (examples?.example) return { media, value: examples.example.value };
    }
    return undefined;
  }

  /** Sends the example as a partner without other records. */
  async send(key: OperationKey): Promise<Answer> {
    // The sandbox serves all partners: only the partner above all others can control it.
    const partner = key.includes('/api/sandbox/') ? this.#owner : await this.#social.api.addPartner(this.#owner);
    if (key.includes('content')) await giveCollections(this.#social.api, partner);
    if (key === 'PUT /api/locations/{id}/suggestions') return this.#decideSuggestion(partner, key);
    const [, path = ''] = key.split(' ');
    return this.#sendTo(partner, key, await this.#urlOf(partner, path));
  }

  async #sendTo(partner: TestPartner, key: OperationKey, url: string): Promise<Answer> {
    const [method = '', path = ''] = key.split(' ');
    const { media, value } = this.exampleOf(key) ?? { media: 'application/json', value: undefined };
    const body = await this.#withRecords(partner, path, value);
    if (media === 'multipart/form-data') {
      const { file, ...fields } = body as Record<string, string>;
      return sendFile(partner, { name: `${file}`, bytes: await picture() }, fields);
    }
    if (path === '/api/users/login') {
      const { email, password } = body as { email: string; password: string };
      await addUser(this.#social.api, partner, { role: 'ADMIN', email, password });
    }
    const query = media === 'text/csv' ? `?businessId=${await this.#newBusiness(partner)}` : '';
    const keys = path === '/api/report' ? { privateKey: undefined, publicKey: partner.partner.publicKey } : {};
    return partner.call(method, `${url}${query}`, body, { 'content-type': media, ...keys });
  }

  /** The path with a record for each parameter. */
  async #urlOf(partner: TestPartner, path: string): Promise<string> {
    let [template, url] = ['', ''];
    for (const segment of path.split('/').slice(1)) {
      const [, parameter] = /^\{(\w+)\}$/.exec(segment) ?? [];
      const value = parameter ? await this.#newRecord(partner, template, url, parameter, path) : segment;
      template += `/${segment}`;
      url += `/${value}`;
    }
    return url;
  }

  async #newRecord(partner: TestPartner, collection: string, url: string, parameter: string, path: string) {
    switch (collection) {
      case '/api/event-types':
        return 'LOCATION_CREATED';
      case '/api/sandbox/directories':
        return 'YELP';
      case '/api/sandbox/receiver':
        await this.#social.control.setReceiver('crm', 'accept');
        return 'crm';
      case '/api/salespartners':
      case '/api/sales-partners':
        return partner.partner.id;
      case '/api/listings':
        return this.#newListing(partner);
      case '/api/data-points':
        return this.#newDatapoint(partner);
      case '/api/social-posts':
        return this.#newPost(partner, path.endsWith('/reject'));
      case '/api/datapoints/filters':
        return this.#created(partner, 'POST /api/data-points/filters', '/api/data-points/filters', parameter);
      default: {
        const id = await this.#created(partner, `POST ${collection}`, url, parameter);
        // Only an active location can be closed.
        if (path === '/api/locations/{id}/status') await activate(this.#social.api, partner, id);
        return id;
      }
    }
  }

  /** The id of the record that the example of a POST creates. */
  async #created(partner: TestPartner, key: OperationKey, url: string, parameter = 'id') {
    const { code, body } = await this.#sendTo(partner, key, url);
    if (code !== 200) throw new Error(`${key}: ${JSON.stringify(body)}`);
    return body.response[parameter] ?? body.response.id;
  }

  async #newBusiness(partner: TestPartner): Promise<number> {
    const { body } = await partner.call('GET', '/api/businesses');
    return body.response.businesses[0]?.id ?? this.#created(partner, 'POST /api/businesses', '/api/businesses');
  }

  /** A listing that is in sync. */
  async #newListing(partner: TestPartner): Promise<number> {
    const { id } = await this.#listings.addLocation(partner, ['GOLOCAL']);
    await this.#listings.sync(partner, id);
    return (await this.#listings.listing(partner, id, 'GOLOCAL')).id;
  }

  async #newDatapoint(partner: TestPartner): Promise<number> {
    return this.#feedback.addDatapoint(await this.#feedback.addPlace(partner), { day: 1, rating: 5 }, partner);
  }

  /** A post of a location manager needs approval. */
  async #newPost(partner: TestPartner, needsApproval: boolean): Promise<number> {
    const locationIds = await this.#newLocations(partner);
    const author = await addUser(this.#social.api, partner, {
      role: needsApproval ? 'LOCATION_MANAGER' : 'ADMIN',
      ...(needsApproval && { locationIds, features: ['SOCIAL_POST_WRITE'] }),
    });
    const { value } = this.exampleOf('POST /api/social-posts') ?? {};
    return (await this.#social.create(author, { ...(value as object), locationIds })).id;
  }

  async #newLocations(partner: TestPartner): Promise<number[]> {
    const businessId = await this.#newBusiness(partner);
    const places = [
      await this.#social.addPlace(partner, { businessId }),
      await this.#social.addPlace(partner, { businessId }),
    ];
    return places.map(({ locationId }) => locationId);
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
        return this.#newLocations(partner);
      case 'ids':
        if (path === '/api/locations') return this.#newLocations(partner);
        return [await this.#newDatapoint(partner), await this.#newDatapoint(partner)];
      case 'listingId':
        return this.#newListing(partner);
      default:
        return this.#withRecords(partner, path, value);
    }
  }

  /** A directory changes the phone number by itself, which is suggested. */
  async #decideSuggestion(partner: TestPartner, key: OperationKey): Promise<Answer> {
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
    return partner.call('PUT', path, decided);
  }
}
