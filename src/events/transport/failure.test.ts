import os from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { failureOf } from './failure.ts';

const [ipv4, ipv6] = ['93.184.215.14', '2606:4700::1111'];
const failed = (code: string, address: string) => Object.assign(new Error(code), { code, address });

/** This host has loopback addresses, a link-local address, and the given public ones. */
function hostWith(...addresses: Partial<os.NetworkInterfaceInfo>[]): void {
  const loopback = { address: '::1', family: 'IPv6', internal: true, scopeid: 0 };
  const linkLocal = { address: 'fe80::1', family: 'IPv6', internal: false, scopeid: 2 };
  const list = [loopback, linkLocal, ...addresses] as os.NetworkInterfaceInfo[];
  const interfaces = vi.spyOn(os, 'networkInterfaces').mockReturnValue({ eth0: list });
  onTestFinished(() => interfaces.mockRestore());
}

test('an IPv6 receiver is unreachable if this host has no IPv6 address', () => {
  hostWith({ address: '10.0.0.2', family: 'IPv4', internal: false });
  const unreachable = { reason: 'unreachable', detail: expect.stringContaining('only IPv6 addresses') };
  for (const code of ['EADDRNOTAVAIL', 'EAFNOSUPPORT']) {
    expect(failureOf(failed(code, ipv6), 'connect')).toEqual(unreachable);
    const all = new AggregateError([failed(code, ipv6), failed(code, ipv6)]);
    expect(failureOf(Object.assign(all, { code }), 'connect')).toEqual(unreachable);
  }
});

test('the failure of an IPv4 address is reported if this host has no IPv6 address', () => {
  hostWith();
  const all = new AggregateError([failed('EADDRNOTAVAIL', ipv6), failed('ECONNREFUSED', ipv4)]);
  expect(failureOf(Object.assign(all, { code: 'EADDRNOTAVAIL' }), 'connect').reason).toBe('connection-refused');
});

test('without a free local port the failure is local', () => {
  hostWith({ address: '2606:4700::2222', family: 'IPv6', internal: false, scopeid: 0 });
  for (const address of [ipv4, ipv6]) {
    expect(failureOf(failed('EADDRNOTAVAIL', address), 'connect')).toMatchObject({ isLocalFailure: true });
  }
});
