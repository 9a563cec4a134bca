import { randomUUID } from 'node:crypto';
import type { ClientPolicy } from './client-policy.ts';
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
import type { SandboxAccess } from './sandbox-control.ts';
import * as responses from './sandbox-responses.ts';

export interface SandboxConnectorParts {
  /** The directory's path in the sandbox network. */
  path: string;
  access: SandboxAccess;
  http: DirectoryHttp;
  clientPolicy: ClientPolicy;
}

type Read<T> = (body: unknown) => T | undefined;

const mostPages = 1_000;

/** A directory of the sandbox network. */
export class SandboxConnector implements DirectoryConnector {
  readonly #parts: SandboxConnectorParts;

  constructor(parts: SandboxConnectorParts) {
    this.#parts = parts;
  }

  search(profile: ListingProfile) {
    return this.#ask({ method: 'POST', path: '/search', body: { profile } }, responses.readResults);
  }

  read(externalId: string) {
    return this.#find(`/pages/${encodeURIComponent(externalId)}`, responses.readPage);
  }

  resolve(url: string) {
    return this.#find(`/pages?${new URLSearchParams({ url })}`, responses.readPage);
  }

  readReview(externalId: string) {
    return this.#find(`/pages/${encodeURIComponent(externalId)}/review`, responses.readReview);
  }

  submit(profile: ListingProfile, externalId: string | undefined, once?: IdempotencyKey) {
    const request: Request =
      externalId === undefined
        ? { method: 'POST', path: '/pages', body: { profile } }
        : { method: 'PUT', path: `/pages/${encodeURIComponent(externalId)}`, body: { profile } };
    return this.#ask(request, responses.readSubmission, once);
  }

  remove(externalId: string) {
    return this.#ask({ method: 'DELETE', path: `/pages/${encodeURIComponent(externalId)}` }, responses.readRemoval);
  }

  claim(externalId: string) {
    return this.#ask({ method: 'POST', path: `/pages/${encodeURIComponent(externalId)}/claim` }, responses.readClaim);
  }

  readDataPoints(place: DataPointSource, cursor: string | undefined) {
    const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor })}`;
    return this.#ask({ method: 'GET', path: `${pathOf(place)}/data-points${query}` }, responses.readStream);
  }

  /** Complete, or a fault: a list that ends early would make what is missing look as if it had vanished. */
  async readDataPointIds(place: DataPointSource): DirectoryResult<{ externalId: string; replyIds: string[] }[]> {
    const found = new Map<string, string[]>();
    let behind = '';
    for (let page = 0; page < mostPages; page += 1) {
      const path = `${pathOf(place)}/data-point-ids?${new URLSearchParams({ behind })}`;
      const part = await this.#ask({ method: 'GET', path }, responses.readIds);
      if (isFault(part)) return part;
      for (const { externalId, replyIds } of part.ids) found.set(externalId, replyIds);
      if (part.next === undefined) {
        if (found.size !== part.total) break;
        return [...found].map(([externalId, replyIds]) => ({ externalId, replyIds }));
      }
      if (part.next <= behind) break;
      behind = part.next;
    }
    return { fault: 'unavailable', detail: 'The list of datapoints does not come to an end that adds up.' };
  }

  reply(dataPointId: string, text: string, once?: IdempotencyKey) {
    const path = `/data-points/${encodeURIComponent(dataPointId)}/replies`;
    return this.#ask({ method: 'POST', path, body: { text } }, responses.readReply, once);
  }

  readBrandPages(businessName: string) {
    const query = new URLSearchParams({ name: businessName });
    return this.#ask({ method: 'GET', path: `/brand-pages?${query}` }, responses.readBrandPages);
  }

  readInsights(externalId: string, fromDay: string, toDay: string) {
    const query = new URLSearchParams({ from: fromDay, to: toDay });
    return this.#ask(
      { method: 'GET', path: `/pages/${encodeURIComponent(externalId)}/insights?${query}` },
      responses.readCounts,
    );
  }

  readKeywords(externalId: string, month: string) {
    const query = new URLSearchParams({ month });
    const path = `/pages/${encodeURIComponent(externalId)}/keywords?${query}`;
    return this.#ask({ method: 'GET', path }, responses.readKeywordList);
  }

  publishPost(externalId: string, post: DirectoryPost, once?: IdempotencyKey) {
    const path = `/pages/${encodeURIComponent(externalId)}/posts`;
    return this.#ask({ method: 'POST', path, body: post }, responses.readPost, once);
  }

  withdrawPost(postId: string) {
    return this.#ask({ method: 'DELETE', path: `/posts/${encodeURIComponent(postId)}` }, responses.readWithdrawal);
  }

  async #ask<T>(request: Request, read: Read<T>, once?: IdempotencyKey): DirectoryResult<T> {
    const answer = await this.#send(request, once);
    return isFault(answer) ? answer : this.#understand(answer, read);
  }

  /** Nothing when it is not there. */
  async #find<T>(path: string, read: Read<T>): DirectoryResult<T | undefined> {
    const answer = await this.#send({ method: 'GET', path });
    if (isFault(answer)) return answer;
    return answer.status === 404 ? undefined : this.#understand(answer, read);
  }

  /** Whatever changes something carries a key, so that a try whose answer got lost can be repeated. */
  #send(request: Request, once?: IdempotencyKey): Promise<HttpResponse | DirectoryFault> {
    const { path, access, http, clientPolicy } = this.#parts;
    const key = once?.key ?? randomUUID();
    return clientPolicy.ask<HttpResponse>(async () => {
      const answer = await http.exchange({
        ...request,
        origin: access.url(),
        path: `/${path}${request.path}`,
        headers: { 'x-sandbox-key': access.key, ...(request.method !== 'GET' && { 'idempotency-key': key }) },
      });
      if (isFault(answer)) return answer;
      return isIntelligible(answer) ? answer : http.invalidResponse(answer.status);
    });
  }

  #understand<T>({ status, body }: HttpResponse, read: Read<T>): T | DirectoryFault {
    const { http } = this.#parts;
    if (status === 200) return read(body) ?? http.invalidResponse(status);
    const messages = responses.readMessages(body);
    return messages ? { fault: 'refused', messages } : http.invalidResponse(status);
  }
}

type Request = Pick<HttpRequest, 'method' | 'path' | 'body'>;

/** A key that is not accepted is no decision about what was asked: nobody was listened to. */
const isIntelligible = ({ status, body }: HttpResponse) =>
  typeof body === 'object' && body !== null && status !== 401 && (status === 200 || status >= 400);

const pathOf = (place: DataPointSource) =>
  'listing' in place
    ? `/pages/${encodeURIComponent(place.listing)}`
    : `/brand-pages/${encodeURIComponent(place.brandPage)}`;
