import { RequestError } from '../http/request-error.ts';
import {
  countDataPoints,
  type DataPoint,
  findDataPoint,
  insertReply,
  listDataPointIds,
  readStream,
  repliesOf,
} from '../state/data-point-store.ts';
import { currentFailure } from '../state/directory-settings.ts';
import type { Network } from '../state/network.ts';
import { brandPages, findPage, type Page } from '../state/page-store.ts';
import { type DirectoryCall, type DirectoryRoute, pageOf, requireAbility } from './directory-call.ts';

const idsPerPage = 500;

export const dataPointRoutes: readonly DirectoryRoute[] = [
  { method: 'GET', path: '/pages/:id/data-points', handle: (call) => stream(call, pageOf(call)) },
  { method: 'GET', path: '/pages/:id/data-point-ids', handle: (call) => ids(call, pageOf(call)) },
  { method: 'GET', path: '/brand-pages', handle: findBrandPages },
  { method: 'GET', path: '/brand-pages/:id/data-points', handle: (call) => stream(call, pageOf(call, 'brand')) },
  { method: 'GET', path: '/brand-pages/:id/data-point-ids', handle: (call) => ids(call, pageOf(call, 'brand')) },
  { method: 'POST', path: '/data-points/:id/replies', handle: reply },
];

/** A cursor from before a reset starts from the beginning. */
function stream({ network, rules, query }: DirectoryCall, page: Page) {
  requireDataPoints(rules);
  const repeats = currentFailure(network, rules.type)?.kind === 'repeat';
  const [, epoch, position] = /^([^.]*)\.(\d+)$/.exec(query.get('cursor') ?? '') ?? [];
  const behind = epoch === network.epoch && !repeats ? Number(position) : 0;
  const points = readStream(network, rules.type, page.id, behind, rules.pageSize);
  const last = points.at(-1)?.changed ?? behind;
  return {
    dataPoints: points.map((point) => dataPointView(network, point)),
    cursor: `${network.epoch}.${last}`,
    more: repeats || points.length === rules.pageSize,
  };
}

function ids({ network, rules, query }: DirectoryCall, page: Page) {
  requireDataPoints(rules);
  const repeats = currentFailure(network, rules.type)?.kind === 'repeat';
  const behind = repeats ? '' : (query.get('behind') ?? '');
  const found = listDataPointIds(network, rules.type, page.id, behind, idsPerPage);
  const next = found.length === idsPerPage || repeats ? found.at(-1)?.id : undefined;
  return {
    total: countDataPoints(network, rules.type, page.id),
    ids: found.map(({ id }) => ({ id, replyIds: visibleReplies(network, rules.type, id).map((entry) => entry.id) })),
    ...(next !== undefined && { next }),
  };
}

function requireDataPoints(rules: DirectoryCall['rules']): void {
  if (rules.dataPoints.length === 0) throw new RequestError(403, `${rules.name} does not support data points.`);
}

const visibleReplies = (network: Network, directory: string, id: string) =>
  repliesOf(network, directory, id).filter(({ removedAt }) => removedAt === null);

function dataPointView(network: Network, point: DataPoint) {
  const { directory, id, page, type, text, language, rating, author, authorImage, photoUrl } = point;
  const url = network.urlOf(directory, page);
  return {
    id,
    type,
    author,
    ...(text !== null && { text }),
    ...(language !== null && { language }),
    ...(rating !== null && { rating }),
    ...(authorImage !== null && { authorImage }),
    ...(photoUrl !== null && { photoUrl }),
    ...(url && { directLink: `${url}#${id}` }),
    actionDate: new Date(point.actedAt).toISOString(),
    threadActionDate: new Date(point.threadAt).toISOString(),
    replies: visibleReplies(network, directory, id).map((entry) => ({
      id: entry.id,
      author: entry.author,
      text: entry.text,
      isOwner: entry.isOwner === 1,
      date: new Date(entry.repliedAt).toISOString(),
    })),
  };
}

function findBrandPages(call: DirectoryCall) {
  requireAbility(call, 'brand-pages');
  const { network, rules, query } = call;
  const pages = brandPages(network, rules.type, query.get('name') ?? '');
  return {
    brandPages: pages.map(({ id, profile, followers }) => ({
      id,
      name: profile.name,
      url: network.urlOf(rules.type, id),
      followers,
    })),
  };
}

function reply(call: DirectoryCall) {
  requireAbility(call, 'reply');
  const { network, rules, params, body, installation } = call;
  const point = findDataPoint(network, rules.type, params.id ?? '');
  const page = point && findPage(network, rules.type, point.page);
  if (!point || !page || point.removedAt !== null)
    throw new RequestError(404, `${rules.name} has no data point ${params.id}.`);
  const isOthers = page.owner !== null && page.owner !== 'nobody' && page.owner !== String(installation);
  if (isOthers) throw new RequestError(403, `Only the owner of the page may reply on ${rules.name}.`);
  const text = typeof body.text === 'string' ? body.text.trim() : '';
  if (text === '') throw new RequestError(422, 'A reply must contain text.');
  if (text.length > rules.replyMaxLength) {
    throw new RequestError(
      422,
      `A reply on ${rules.name} can have at most ${rules.replyMaxLength} characters, not ${text.length}.`,
    );
  }
  return { id: insertReply(network, point, { author: page.profile.name, text, isOwner: true }) };
}
