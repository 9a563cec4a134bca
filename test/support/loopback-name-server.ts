import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { onTestFinished } from 'vitest';
import { setNameServers } from '../../src/events/transport/name-lookup.ts';

/** No response, SERVFAIL or REFUSED. */
export type NameServerFailure = 'silent' | 'broken' | 'refusing';

/** Lists of addresses for successive look-ups (the last one repeats), or a failure. */
type Zone = Record<string, string[][] | NameServerFailure>;

const typeA = 1;
export const typeAaaa = 28;
const noSuchName = 3;
const codes = { broken: 2, refusing: 5 };

/** A name server on loopback for the look-ups of this process. `failure` applies to all names. */
export async function nameServer(zone: Zone, failure?: NameServerFailure) {
  const state = { failure, ignoredType: 0 };
  const queriedNames: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = parseQuestion(query);
    if (type === typeA) queriedNames.push(name);
    const zoneEntry = state.failure ?? zone[name];
    if (zoneEntry === 'silent' || type === state.ignoredType) return;
    const lookUps = queriedNames.filter((one) => one === name).length;
    const list = Array.isArray(zoneEntry)
      ? (zoneEntry[Math.min(lookUps, zoneEntry.length) - 1] ?? zoneEntry[0] ?? [])
      : [];
    const addresses = list
      .map((text) => Buffer.from(ipaddr.parse(text).toByteArray()))
      .filter((bytes) => bytes.length === (type === typeA ? 4 : 16) && (type === typeA || type === typeAaaa));
    const code = zoneEntry === undefined ? noSuchName : typeof zoneEntry === 'string' ? codes[zoneEntry] : 0;
    socket.send(encodeResponse(query.subarray(0, end), type, addresses, code), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  setNameServers([`127.0.0.1:${socket.address().port}`]);
  onTestFinished(() => {
    setNameServers(undefined);
    socket.close();
  });
  return { queriedNames, state };
}

/** Directs look-ups to a port without a name server. */
export async function noNameServer(): Promise<void> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  setNameServers([`127.0.0.1:${port}`]);
  onTestFinished(() => setNameServers(undefined));
}

function parseQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function encodeResponse(question: Buffer, type: number, addresses: Buffer[], code: number): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((bytes) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([head, ...records]);
}
