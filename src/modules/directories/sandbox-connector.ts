import { randomUUID } from 'node:crypto';
import {
  type DataPointSource,
  type DirectoryConnector,
  type DirectoryFault,
  type DirectoryPost,
  type DirectoryResult,
  type IdempotencyKey,
  isFault,
  type ListingProfile,
} from './connector.ts';
import type { DirectoryHttp, HttpRequest, HttpResponse } from './directory-http.ts';
import { type SandboxAccess, unknownSandbox } from './sandbox-control.ts';
import * as responses from './sandbox-responses.ts';

/** What a connector needs to send requests to its directory. */
export interface ConnectorParts {
  http: DirectoryHttp;
  /** Sends a request under the client policy of the directory. */
  execute: <T>(send: () => DirectoryResult<T>) => DirectoryResult<T>;
  sandbox: SandboxAccess;
}

interface SandboxConnectorParts extends ConnectorParts {
  /** First path segment of the directory in the sandbox network. */
  path: string;
}

type Read<T> = (body: unknown) => T | undefined;

const maxPages = 1_000;

export class SandboxConnector implements DirectoryConnector {
  readonly #parts: SandboxConnectorParts;

  constructor(parts: SandboxConnectorParts) {
    this.#parts = parts;
  }

  search = (profile: ListingProfile) =>
    this.#request({ method: 'POST', path: '/search', body: { profile } }, responses.readResults);

  read = (externalId: string) => this.#find(pagePath(externalId), responses.readPage);

  resolve = (url: string) => this.#find(`/pages?${new URLSearchParams({ url })}`, responses.readPage);

  readReview = (externalId: string) => this.#find(`${pagePath(externalId)}/review`, responses.readReview);

  submit(profile: ListingProfile, externalId: string | undefined, idempotency?: IdempotencyKey) {
    const request: Request =
      externalId === undefined
        ? { method: 'POST', path: '/pages', body: { profile } }
        : { method: 'PUT', path: pagePath(externalId), body: { profile } };
    return this.#request(request, responses.readSubmission, idempotency);
  }

  remove = (externalId: string) =>
    this.#request({ method: 'DELETE', path: pagePath(externalId) }, responses.readRemoval);

  claim = (externalId: string) =>
    this.#request({ method: 'POST', path: `${pagePath(externalId)}/claim` }, responses.readClaim);

  readDataPoints(source: DataPointSource, cursor: string | undefined) {
    const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor })}`;
    return this.#get(`${sourcePath(source)}/data-points${query}`, responses.readStream);
  }

  /** A partial list is a fault: callers treat missing ids as deleted. */
  async readDataPointIds(source: DataPointSource): DirectoryResult<{ externalId: string; replyIds: string[] }[]> {
    const found = new Map<string, string[]>();
    let behind = '';
    for (let page = 0; page < maxPages; page += 1) {
      const query = new URLSearchParams({ behind });
      const part = await this.#get(`${sourcePath(source)}/data-point-ids?${query}`, responses.readIds);
      if (isFault(part)) return part;
      for (const { externalId, replyIds } of part.ids) found.set(externalId, replyIds);
      if (part.next === undefined) {
        if (found.size !== part.total) break;
        return [...found].map(([externalId, replyIds]) => ({ externalId, replyIds }));
      }
      if (part.next <= behind) break;
      behind = part.next;
    }
    return { fault: 'unavailable', detail: 'The list of datapoint ids is incomplete.' };
  }

  reply(dataPointId: string, text: string, idempotency?: IdempotencyKey) {
    const path = `/data-points/${encodeURIComponent(dataPointId)}/replies`;
    return this.#request({ method: 'POST', path, body: { text } }, responses.readReply, idempotency);
  }

  readBrandPages = (businessName: string) =>
    this.#get(`/brand-pages?${new URLSearchParams({ name: businessName })}`, responses.readBrandPages);

  readInsights(externalId: string, fromDay: string, toDay: string) {
    const query = new URLSearchParams({ from: fromDay, to: toDay });
    return this.#get(`${pagePath(externalId)}/insights?${query}`, responses.readCounts);
  }

  readKeywords = (externalId: string, month: string) =>
    this.#get(`${pagePath(externalId)}/keywords?${new URLSearchParams({ month })}`, responses.readKeywordList);

  publishPost(externalId: string, post: DirectoryPost, idempotency?: IdempotencyKey) {
    const path = `${pagePath(externalId)}/posts`;
    return this.#request({ method: 'POST', path, body: post }, responses.readPost, idempotency);
  }

  findPost = ({ key }: IdempotencyKey) =>
    this.#find(`/posts?${new URLSearchParams({ idempotencyKey: key })}`, responses.readPost);

  withdrawPost = (postId: string) =>
    this.#request({ method: 'DELETE', path: `/posts/${encodeURIComponent(postId)}` }, responses.readWithdrawal);

  #get = <T>(path: string, read: Read<T>) => this.#request({ method: 'GET', path }, read);

  async #request<T>(request: Request, read: Read<T>, idempotency?: IdempotencyKey): DirectoryResult<T> {
    const response = await this.#send(request, idempotency);
    return isFault(response) ? response : this.#parse(response, read);
  }

  /** Undefined if the directory responds with 404. */
  async #find<T>(path: string, read: Read<T>): DirectoryResult<T | undefined> {
    const response = await this.#send({ method: 'GET', path });
    if (isFault(response)) return response;
    return response.status === 404 ? undefined : this.#parse(response, read);
  }

  /** Writes carry an idempotency key, so that an attempt whose response was lost can be repeated. */
  async #send(request: Request, idempotency?: IdempotencyKey): Promise<HttpResponse | DirectoryFault> {
    const { path, sandbox, http, execute } = this.#parts;
    if (sandbox.isKnown?.() === false) return { fault: 'unavailable', detail: unknownSandbox };
    const key = idempotency?.key ?? randomUUID();
    return execute<HttpResponse>(async () => {
      const response = await http.exchange({
        ...request,
        origin: sandbox.url(),
        path: `/${path}${request.path}`,
        headers: { 'x-sandbox-key': sandbox.key, ...(request.method !== 'GET' && { 'idempotency-key': key }) },
      });
      if (isFault(response)) return response;
      return isExpected(response) ? response : http.invalidResponse(response.status);
    });
  }

  #parse<T>({ status, body }: HttpResponse, read: Read<T>): T | DirectoryFault {
    const { http } = this.#parts;
    if (status === 200) return read(body) ?? http.invalidResponse(status);
    const messages = responses.readMessages(body);
    return messages ? { fault: 'refused', messages } : http.invalidResponse(status);
  }
}

type Request = Pick<HttpRequest, 'method' | 'path' | 'body'>;

/** A rejected sandbox key (401) is a fault of the installation, not a decision of the directory. */
const isExpected = ({ status, body }: HttpResponse) =>
  typeof body === 'object' && body !== null && status !== 401 && (status === 200 || status >= 400);

const pagePath = (externalId: string) => `/pages/${encodeURIComponent(externalId)}`;

const sourcePath = (source: DataPointSource) =>
  'listing' in source ? pagePath(source.listing) : `/brand-pages/${encodeURIComponent(source.brandPage)}`;
