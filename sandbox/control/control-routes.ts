import { generateHistory } from '../activity/history.ts';
import { directoryRules } from '../directories/directory-rules.ts';
import { RequestError } from '../http/request-error.ts';
import { receiverControls } from '../receiver/demo-receiver.ts';
import { currentFailure, failureModes, setDirectorySetting } from '../state/directory-settings.ts';
import { addInstallation } from '../state/installation-store.ts';
import { postsOf } from '../state/post-store.ts';
import {
  type ControlCall,
  type ControlRoute,
  choiceOf,
  directoryOf,
  numberOf,
  requirePage,
  textOf,
} from './control-call.ts';
import { dataPointControls } from './data-point-controls.ts';
import { listingControls } from './listing-controls.ts';
import { populateControls } from './populate.ts';

const maxSeconds = 366 * 86_400;

export const controlRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/status', handle: status },
  ...listingControls,
  ...dataPointControls,
  ...populateControls,
  ...receiverControls,
  { method: 'GET', path: '/posts', handle: posts },
  { method: 'PUT', path: '/directories/:directory/trouble', handle: setFailure },
  { method: 'PUT', path: '/directories/:directory/limit', handle: setLimit },
  { method: 'PUT', path: '/directories/:directory/latency', handle: setLatency },
  { method: 'PUT', path: '/directories/:directory/decisions', handle: setDecisions },
  { method: 'POST', path: '/seed', handle: seed },
  { method: 'PUT', path: '/life', handle: setLife },
  { method: 'POST', path: '/clock', handle: advanceClock },
  { method: 'POST', path: '/installations', handle: createInstallation },
  { method: 'POST', path: '/reset', handle: reset },
];

/** Contents and current behaviour of each directory. */
function status({ network, activity, traffic }: ControlCall) {
  const counts = network.sql.all<{ directory: string; kind: string; count: number }>`
    select directory, kind, count(*) as count from pages group by directory, kind
    union all
    select directory, 'data point', count(*) from data_points where removed_at is null group by directory`;
  return {
    now: new Date(network.now()).toISOString(),
    life: activity.isEnabled,
    seed: network.seed,
    directories: directoryRules.map((rules) => {
      const failure = currentFailure(network, rules.type);
      const countOf = (kind: string) =>
        counts.find((row) => row.directory === rules.type && row.kind === kind)?.count ?? 0;
      const until = failure?.until === undefined ? {} : { until: new Date(failure.until).toISOString() };
      return {
        type: rules.type,
        listings: countOf('listing'),
        brandPages: countOf('brand'),
        dataPoints: countOf('data point'),
        requests: traffic.requests(rules.type),
        limited: traffic.limited(rules.type),
        limit: traffic.limitOf(rules),
        ...(failure && { trouble: { kind: failure.kind, ...until } }),
      };
    }),
  };
}

function posts(call: ControlCall) {
  const page = requirePage(call, call.query.get('listing') ?? '');
  return { posts: postsOf(call.network, page.directory, page.id) };
}

function setFailure(call: ControlCall) {
  const { network } = call;
  const rules = directoryOf(call);
  const kind = choiceOf(call, 'kind', failureModes);
  const seconds = numberOf(call, 'seconds', 1, maxSeconds);
  const until = seconds === undefined ? {} : { until: network.now() + seconds * 1000 };
  setDirectorySetting(network, rules.type, 'trouble', kind && { kind, ...until });
  return { directory: rules.type, ...(kind && { kind }) };
}

function setLimit(call: ControlCall) {
  const rules = directoryOf(call);
  const requests = numberOf(call, 'requests', 1, 1_000_000);
  const perSeconds = numberOf(call, 'perSeconds', 0.001, 86_400) ?? 1;
  setDirectorySetting(call.network, rules.type, 'limit', requests === undefined ? undefined : { requests, perSeconds });
  return { directory: rules.type, limit: call.traffic.limitOf(rules) };
}

function setLatency(call: ControlCall) {
  const rules = directoryOf(call);
  const milliseconds = numberOf(call, 'milliseconds', 0, 600_000);
  setDirectorySetting(call.network, rules.type, 'latency', milliseconds === undefined ? undefined : { milliseconds });
  return { directory: rules.type };
}

function setDecisions(call: ControlCall) {
  const rules = directoryOf(call);
  const decision = choiceOf(call, 'decision', ['ACCEPTED', 'PENDING', 'REFUSED']);
  const messages = Array.isArray(call.body.messages) ? { messages: call.body.messages.map(String) } : {};
  setDirectorySetting(call.network, rules.type, 'decisions', decision && { decision, ...messages });
  return { directory: rules.type };
}

function seed(call: ControlCall) {
  const page = requirePage(call, textOf(call, 'listing') ?? '');
  const days = numberOf(call, 'days', 1, 3650) ?? 365;
  const perMonth = numberOf(call, 'perMonth', 0, 1000);
  return { dataPoints: generateHistory(call.network, page, days, perMonth) };
}

function setLife(call: ControlCall) {
  if (typeof call.body.on !== 'boolean') throw new RequestError(400, 'on must be true or false.');
  call.activity.setEnabled(call.body.on);
  return { on: call.body.on };
}

function advanceClock(call: ControlCall) {
  call.network.advanceClock((numberOf(call, 'seconds', 0, maxSeconds) ?? 0) * 1000);
  call.activity.catchUp();
  return { now: new Date(call.network.now()).toISOString() };
}

function createInstallation(call: ControlCall) {
  return { key: addInstallation(call.network, textOf(call, 'name') ?? 'another installation') };
}

function reset({ network, activity }: ControlCall) {
  network.reset();
  activity.setEnabled(false);
  return {};
}
