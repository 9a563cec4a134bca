import type { UnreachableReason } from './outcome.ts';

export const adviceForReason: Record<UnreachableReason, string> = {
  timeout:
    'Answer with a 2xx as soon as the event is stored, and do the work afterwards. If it never answers, check that the host is up and its firewall lets this service in.',
  dns: 'Check the spelling of the host in the push URL, and that its DNS records are public and its name servers answer.',
  'connection-refused':
    'Nothing listens there. Check the port in the push URL, that the receiver is running, and that no firewall rejects the connection.',
  'connection-reset':
    'The receiver, or a proxy in front of it, closed the connection. Look for crashes, restarts and limits in their logs.',
  tls: 'Install a valid certificate for this host name, with its intermediate certificates, and allow TLS 1.2 or 1.3.',
  guarded:
    'Set the push URL to a host with a public address. Ranges for development are opened by WAYPOST_ALLOW_TARGETS.',
  protocol:
    'Check that the push URL leads to an HTTP/1.1 server, and that http:// or https:// matches what listens on that port.',
  unreachable: 'There is no way to the host. Check that it is up, its routes, and its firewall.',
};

const forStatus: Record<number, string> = {
  400: 'The receiver did not understand the delivery. Its own logs and the answer captured here say why.',
  401: 'The receiver asks for a login. Deliveries carry signatures, not logins: let the push URL through and verify the signature.',
  403: 'The receiver forbids the request. Check its firewall, bot protection and allow-lists for this push URL.',
  404: 'Nothing is served at this path. Check the path of the push URL.',
  405: 'The path exists but does not take POST. Let it take POST, or correct the push URL.',
  408: 'The receiver stopped waiting for the request. Check the proxy in front of it.',
  410: 'The receiver says it is gone for good, so the webhook was switched off. Correct the push URL and switch it on again.',
  411: 'The receiver did not see a Content-Length. Check the proxy in front of it.',
  413: 'The delivery is larger than the receiver allows. Raise its limit for request bodies.',
  415: 'The receiver does not take application/json. Let it take JSON at this path.',
  421: 'The receiver does not serve this host name. Check the host of the push URL and its certificate.',
  429: 'The receiver limits the rate. Retry-After is honoured; raise the limit or make room for bursts.',
  501: 'The receiver does not handle POST. Correct the push URL or the receiver.',
  502: 'A proxy in front of the receiver could not reach it. Check that the application behind it is running.',
  503: 'The receiver is overloaded or being maintained. It is tried again; Retry-After is honoured.',
  504: 'A proxy in front of the receiver gave up waiting for it. Store the event, answer 2xx, and do the work afterwards.',
};

export function adviceForStatus(status: number): string {
  const known = forStatus[status];
  if (known) return known;
  if (status >= 300 && status < 400) return 'Redirects are not followed. Set the push URL to the final address.';
  if (status >= 400 && status < 500) return 'The receiver rejected the delivery. Its own logs and its answer say why.';
  if (status >= 500 && status < 600) return 'The receiver failed. Look for the error in its own logs.';
  return 'This is not a status that HTTP knows. Answer with a 2xx once the event is stored.';
}
