import type { DataPointKind } from '../directories/directory-rules.ts';
import { RequestError } from '../http/request-error.ts';
import {
  allDataPoints,
  editDataPoint,
  findReply,
  insertDataPoint,
  insertReply,
  type Reply,
  removeDataPoint,
  repliesOf,
  restoreDataPoint,
  setReplyRemoved,
} from '../state/data-point-store.ts';
import { findPage } from '../state/page-store.ts';
import {
  type ControlCall,
  type ControlRoute,
  choiceOf,
  directoryOf,
  numberOf,
  requireDataPoint,
  requirePage,
  textOf,
  timeOf,
} from './control-call.ts';

export const dataPointControls: readonly ControlRoute[] = [
  { method: 'POST', path: '/datapoints', handle: post },
  { method: 'GET', path: '/datapoints', handle: list },
  { method: 'PATCH', path: '/datapoints/:directory/:id', handle: edit },
  { method: 'DELETE', path: '/datapoints/:directory/:id', handle: remove },
  { method: 'POST', path: '/datapoints/:directory/:id/restore', handle: restore },
  { method: 'POST', path: '/datapoints/:directory/:id/replies', handle: reply },
  { method: 'DELETE', path: '/replies/:directory/:id', handle: (call) => setRemoved(call, true) },
  { method: 'POST', path: '/replies/:directory/:id/restore', handle: (call) => setRemoved(call, false) },
];

const kinds: readonly DataPointKind[] = ['REVIEW', 'PHOTO', 'CHECKIN', 'CONVERSATION', 'COMMENT', 'QUESTION'];

function sourceOf(call: ControlCall, given: Record<string, unknown>) {
  const { listing, brandPage } = given;
  if (typeof listing === 'string') return requirePage(call, listing);
  if (typeof brandPage === 'string') return requirePage(call, brandPage, 'brand');
  throw new RequestError(400, 'listing or brandPage is required.');
}

function post(call: ControlCall) {
  const { network } = call;
  const rules = directoryOf(call);
  const page = sourceOf(call, call.body);
  const type = choiceOf(call, 'type', kinds) ?? rules.dataPoints[0];
  if (!type || !rules.dataPoints.includes(type)) {
    const supported = rules.dataPoints.length > 0 ? ` Use one of ${rules.dataPoints.join(', ')}.` : '';
    throw new RequestError(422, `${rules.name} does not support the type ${type ?? 'data point'}.${supported}`);
  }
  const generated = call.activity.compose(page, type);
  const text = textOf(call, 'text');
  const rating = numberOf(call, 'rating', 0, 5);
  const id = insertDataPoint(network, {
    ...generated,
    // A given text or rating replaces the generated ones. A rating without a text gets a matching text.
    ...((text !== undefined || rating !== undefined) && { text: text ?? null, language: null, rating: rating ?? null }),
    ...(text === undefined && rating !== undefined && call.activity.reviewFor(page, type, rating)),
    ...optional('language', textOf(call, 'language')),
    ...optional('author', textOf(call, 'author')),
    ...optional('photoUrl', textOf(call, 'photoUrl')),
    actedAt: timeOf(call, 'date') ?? network.now(),
  });
  return { id };
}

const optional = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, string>>;

function list(call: ControlCall) {
  const { network } = call;
  const page = sourceOf(call, Object.fromEntries(call.query));
  return {
    dataPoints: allDataPoints(network, page.directory, page.id).map((point) => ({
      id: point.id,
      type: point.type,
      author: point.author,
      date: new Date(point.actedAt).toISOString(),
      removed: point.removedAt !== null,
      ...(point.text !== null && { text: point.text }),
      ...(point.language !== null && { language: point.language }),
      ...(point.rating !== null && { rating: point.rating }),
      replies: repliesOf(network, page.directory, point.id).map((entry) => ({
        id: entry.id,
        author: entry.author,
        text: entry.text,
        isOwner: entry.isOwner === 1,
        removed: entry.removedAt !== null,
      })),
    })),
  };
}

function edit(call: ControlCall) {
  const point = requireDataPoint(call);
  const change = { text: textOf(call, 'text'), rating: numberOf(call, 'rating', 0, 5) };
  if (change.text === undefined && change.rating === undefined)
    throw new RequestError(400, 'text or rating is required.');
  editDataPoint(call.network, point, change);
  return { id: point.id };
}

function remove(call: ControlCall) {
  const point = requireDataPoint(call);
  if (point.removedAt !== null) throw new RequestError(409, `Data point ${point.id} is already removed.`);
  removeDataPoint(call.network, point);
  return { id: point.id };
}

function restore(call: ControlCall) {
  const point = requireDataPoint(call);
  if (point.removedAt === null) throw new RequestError(409, `Data point ${point.id} is not removed.`);
  restoreDataPoint(call.network, point);
  return { id: point.id };
}

function reply(call: ControlCall) {
  const { network, body } = call;
  const point = requireDataPoint(call);
  const text = textOf(call, 'text');
  if (!text) throw new RequestError(400, 'text is required.');
  const isOwner = body.isOwner === true;
  const owner = findPage(network, point.directory, point.page)?.profile.name;
  const author = textOf(call, 'author') ?? (isOwner && owner ? owner : point.author);
  return { id: insertReply(network, point, { author, text, isOwner }) };
}

function setRemoved(call: ControlCall, removed: boolean) {
  const { type, name } = directoryOf(call);
  const found: Reply | undefined = findReply(call.network, type, call.params.id ?? '');
  if (!found) throw new RequestError(404, `${name} has no reply ${call.params.id}.`);
  if ((found.removedAt !== null) === removed) {
    throw new RequestError(409, `Reply ${found.id} is ${removed ? 'already' : 'not'} removed.`);
  }
  setReplyRemoved(call.network, type, found, removed);
  return { id: found.id };
}
