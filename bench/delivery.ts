/**
 * Delivery throughput relative to a ceiling from the same run: a bare loop of HTTP requests. Ratios, because machines and
 * their load differ.
 */
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../src/database/connection.ts';
import { exampleEvent } from '../src/events/catalogue/catalogue.ts';
import { canonicalJson } from '../src/events/signing/canonical-json.ts';
import { deliveryBody, eventKey, signEvent } from '../src/events/signing/signature.ts';
import { Child } from './delivery/child.ts';
import type { Ports, ReceiverRequest } from './delivery/receiver.ts';
import { clearQueue, createTargets, fillByStatement, median, quantile, waiting } from './delivery/scene.ts';
import type { ServiceRequest } from './delivery/service.ts';
import { withBench } from './support/server.ts';

interface Bench {
  database: Database;
  masterKey: Buffer;
  service: Child<ServiceRequest>;
  receiver: Child<ReceiverRequest>;
  ports: Ports;
  scale: number;
}

export async function run({ quick }: { quick: boolean }): Promise<void> {
  console.log(`${cpus().length} cores, Node ${process.version}; the receiver, the service and PostgreSQL share them.`);
  await withBench(async ({ database, masterKey, atEnd }) => {
    const receiver = new Child<ReceiverRequest>('./receiver.ts');
    atEnd(() => receiver.end());
    const ports = await receiver.next<Ports>();
    const service = new Child<ServiceRequest>('./service.ts', [database.url, masterKey.toString('base64')]);
    atEnd(() => service.end());
    await service.next();
    await measure({ database, masterKey, service, receiver, ports, scale: quick ? 0.1 : 1 });
  });
}

async function measure(bench: Bench): Promise<void> {
  const rounds: Round[] = [];
  let before = await ceiling(bench);
  // The load changes over time, so each rate is compared with the ceilings before and after it.
  for (let n = 0; n < 3; n++) {
    const drain = await drainRate(bench);
    const between = await ceiling(bench);
    const steady = await steadyRate(bench);
    const after = await ceiling(bench);
    rounds.push({ ceiling: between, drain: drain / mean(before, between), steady: steady / mean(between, after) });
    console.log(
      `round ${n + 1}       ceiling ${between.toFixed(0)} requests/s, bare undici loop, 64 connections; ` +
        `drain ${drain.toFixed(0)} deliveries/s; steady ${steady.toFixed(0)} events/s recorded and delivered`,
    );
    before = after;
  }
  const latency = await latencies(bench);
  const ordered = await orderedRatio(bench);
  const { fanOut, filtered } = await fanOutRatios(bench);
  const isolation = await isolationRatio(bench);
  const growth = await growthRatio(bench);
  const { result: peakRssMb } = await bench.service.ask<{ result: number }>({ ask: 'peakRss' });
  const result = {
    ceiling: round(median(rounds.map((each) => each.ceiling)), 0),
    drainRatio: round(median(rounds.map(({ drain }) => drain)), 2),
    steadyRatio: round(median(rounds.map(({ steady }) => steady)), 2),
    latencyP50Ms: round(quantile(latency, 0.5), 1),
    latencyP99Ms: round(quantile(latency, 0.99), 1),
    orderedRatio: round(ordered, 2),
    fanOutRatio: round(fanOut, 2),
    filteredRatio: round(filtered, 2),
    isolationRatio: round(isolation, 2),
    growthRatio: round(growth, 2),
    peakRssMb: round(peakRssMb, 0),
  };
  printTable(result);
  console.log(JSON.stringify(result));
}

/** Results of a round, with rates relative to the ceiling. */
interface Round {
  ceiling: number;
  drain: number;
  steady: number;
}

/** Of the measurements before and after another one: the speed of a machine drifts. */
const mean = (a: number, b: number) => (a + b) / 2;

async function ceiling({ ports, scale }: Bench): Promise<number> {
  const text = canonicalJson(exampleEvent('LISTING_SYNC_CHECK'));
  const body = deliveryBody(text, signEvent(eventKey('x'.repeat(43)), text));
  const child = new Child('./ceiling.ts', [`http://127.0.0.1:${ports.quickPort}`, body, String(50_000 * scale)]);
  const { perSecond } = await child.next<{ perSecond: number }>();
  return perSecond;
}

/** From committed events to settled attempts: the worker starts on a full queue. */
async function drainRate(bench: Bench, { ordered = false, locations = 1 } = {}): Promise<number> {
  const { database, service, ports, scale, masterKey } = bench;
  const url = `http://127.0.0.1:${ports.quickPort}/quick/drain`;
  const partner = await createTargets(database, masterKey, [url], { ordered });
  // Warm-up round.
  await service.ask({ ask: 'fill', events: 10_000, partner, locations });
  await service.ask({ ask: 'start' });
  await untilEmpty(database);
  await service.ask({ ask: 'stop' });
  const events = 50_000 * scale;
  await service.ask({ ask: 'fill', events, partner, locations });
  const start = performance.now();
  await service.ask({ ask: 'start' });
  await untilEmpty(database);
  const rate = (events / (performance.now() - start)) * 1000;
  await service.ask({ ask: 'stop' });
  return rate;
}

/** Drain of an ordered webhook with 1,000 locations, relative to an unordered one. */
async function orderedRatio(bench: Bench): Promise<number> {
  const ratios: number[] = [];
  for (let n = 0; n < 3; n++) {
    const unordered = await drainRate(bench, { locations: 1000 });
    const ordered = await drainRate(bench, { locations: 1000, ordered: true });
    console.log(
      `order         ${ordered.toFixed(0)} deliveries/s ordered, ${unordered.toFixed(0)} unordered, 1,000 locations`,
    );
    ratios.push(ordered / unordered);
  }
  return median(ratios);
}

/**
 * Steady deliveries with 20 webhooks per event, relative to the ceiling, and with filters on half of the webhooks relative
 * to that.
 */
async function fanOutRatios(bench: Bench): Promise<{ fanOut: number; filtered: number }> {
  const webhooks = 20;
  const rounds: { fanOut: number; filtered: number }[] = [];
  for (let n = 0; n < 3; n++) {
    const before = await ceiling(bench);
    const plain = webhooks * (await steadyRate(bench, { webhooks }));
    const after = await ceiling(bench);
    const filtered = webhooks * (await steadyRate(bench, { webhooks, filtered: webhooks / 2 }));
    console.log(
      `fan-out       ${plain.toFixed(0)} deliveries/s to ${webhooks} webhooks, ${filtered.toFixed(0)} with filters on half`,
    );
    rounds.push({ fanOut: plain / mean(before, after), filtered: filtered / plain });
  }
  return { fanOut: median(rounds.map(({ fanOut }) => fanOut)), filtered: median(rounds.map((each) => each.filtered)) };
}

/** Recording and delivering at the same time, until the last attempt is settled. Events per second. */
async function steadyRate(bench: Bench, { webhooks = 1, filtered = 0 } = {}): Promise<number> {
  const { database, service, ports, scale, masterKey } = bench;
  const url = `http://127.0.0.1:${ports.quickPort}/quick/steady`;
  const urls = Array.from({ length: webhooks }, (_, n) => `${url}/${n}`);
  const partner = await createTargets(database, masterKey, urls, { filtered });
  const events = (30_000 * scale) / webhooks;
  await service.ask({ ask: 'start' });
  const start = performance.now();
  await service.ask({ ask: 'record', events, partner, writers: 64 });
  await untilEmpty(database);
  const rate = (events / (performance.now() - start)) * 1000;
  await service.ask({ ask: 'stop' });
  return rate;
}

/** From commit to receipt at 200 events per second. */
async function latencies(bench: Bench): Promise<number[]> {
  const { database, service, receiver, ports, scale, masterKey } = bench;
  const partner = await createTargets(database, masterKey, [`http://127.0.0.1:${ports.quickPort}/quick/latency`]);
  await service.ask({ ask: 'start' });
  await service.ask({ ask: 'pace', perSecond: 200, seconds: 1, partner });
  await untilEmpty(database);
  await receiver.ask({ ask: 'reset', keepTimes: true });
  const seconds = Math.max(4, 30 * scale);
  const { result: committed } = await service.ask<{ result: [number, number][] }>({
    ask: 'pace',
    perSecond: 200,
    seconds,
    partner,
  });
  await untilEmpty(database);
  await service.ask({ ask: 'stop' });
  const { times } = await receiver.ask<{ times: [number, number][] }>({ ask: 'times' });
  await receiver.ask({ ask: 'reset', keepTimes: false });
  const received = new Map(times);
  const tookMs = committed.map(([id, at]) => Math.max(0, (received.get(id) ?? Number.POSITIVE_INFINITY) - at));
  console.log(
    `latency       ${quantile(tookMs, 0.5).toFixed(1)} ms at the median, ${quantile(tookMs, 0.99).toFixed(1)} ms p99`,
  );
  return tookMs;
}

/** Rate of healthy webhooks next to as many dead, hanging and slow ones, relative to their rate alone. */
async function isolationRatio(bench: Bench): Promise<number> {
  const healthy = 12;
  const quickUrls = (name: string) =>
    Array.from({ length: healthy }, (_, n) => `http://127.0.0.1:${bench.ports.quickPort}/quick/${name}/${n}`);
  const before = await healthyRate(bench, 'before', quickUrls('before'));
  const { otherPort, deadPort } = bench.ports;
  const bad = Array.from({ length: healthy }, (_, n) => {
    if (n % 3 === 0) return `http://127.0.0.1:${deadPort}/dead/${n}`;
    return `http://127.0.0.1:${otherPort}/${n % 3 === 1 ? 'hang' : 'slow'}/${n}`;
  });
  const withBad = await healthyRate(bench, 'beside', [...quickUrls('beside'), ...bad]);
  const alone = mean(before, await healthyRate(bench, 'after', quickUrls('after')));
  console.log(
    `isolation     ${alone.toFixed(0)} deliveries/s alone, ${withBad.toFixed(0)} beside as many broken webhooks`,
  );
  return withBad / alone;
}

async function healthyRate(bench: Bench, name: string, urls: string[]): Promise<number> {
  const { database, service, receiver, scale, masterKey } = bench;
  const partner = await createTargets(database, masterKey, urls);
  const healthy = urls.filter((url) => url.includes('/quick/')).length;
  const events = 3000 * scale;
  await service.ask({ ask: 'fill', events, partner });
  await receiver.ask({ ask: 'reset', keepTimes: false });
  const start = performance.now();
  await service.ask({ ask: 'start' });
  for (;;) {
    const { counts } = await receiver.ask<{ counts: Record<string, number> }>({ ask: 'counts' });
    const arrived = Object.entries(counts).filter(([path]) => path.startsWith(`/quick/${name}/`));
    if (arrived.reduce((sum, [, count]) => sum + count, 0) >= events * healthy) break;
    await pause(20);
  }
  const rate = ((events * healthy) / (performance.now() - start)) * 1000;
  await service.ask({ ask: 'stop' });
  await clearQueue(database);
  return rate;
}

/** Median claim time with 100 times as many waiting rows, against the mean of the claim times before and after. */
async function growthRatio(bench: Bench): Promise<number> {
  const { database, service, scale, masterKey } = bench;
  const claimTime = async (rows: number) => {
    const urls = Array.from({ length: 100 }, (_, n) => `http://127.0.0.1:${bench.ports.quickPort}/quick/${rows}/${n}`);
    const partner = await createTargets(database, masterKey, urls, { window: 256 });
    await fillByStatement(database, partner, rows);
    const { result } = await service.ask<{ result: number[] }>({ ask: 'claims', rounds: 60 });
    await clearQueue(database);
    // Warm-up: plans the statement and loads the index.
    return median(result.slice(20));
  };
  const before = await claimTime(10_000);
  const many = await claimTime(1_000_000 * scale);
  const few = mean(before, await claimTime(10_000));
  console.log(
    `growth        ${few.toFixed(2)} ms a claim of 256 with 10,000 waiting, ${many.toFixed(2)} ms with ${1_000_000 * scale}`,
  );
  return many / few;
}

/** Polls rarely: each poll reads over deleted rows and would affect the measurement. */
async function untilEmpty(database: Database): Promise<void> {
  while (await waiting(database)) await pause(25);
}

function printTable(result: Record<string, number>): void {
  const due: Record<string, string> = {
    drainRatio: '≥ 0.70',
    steadyRatio: '≥ 0.28',
    latencyP50Ms: '≤ 10',
    latencyP99Ms: '≤ 60',
    orderedRatio: '≥ 0.70',
    isolationRatio: '≥ 0.80',
    growthRatio: '≤ 1.3',
    peakRssMb: '≤ 350',
  };
  console.log('\nfigure           measured   due');
  for (const [name, value] of Object.entries(result)) {
    console.log(`${name.padEnd(16)} ${String(value).padStart(8)}   ${due[name] ?? ''}`);
  }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
