import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { testVector } from '../openapi/event-webhooks.ts';
import { page, text } from './page.ts';

interface Language {
  name: string;
  file: string;
  /** The package with verification and typed events. */
  folder: string;
  /** How to read the raw body in common frameworks. */
  rawBody: string;
  /** How to serialize the event as Waypost does, if the raw body is not available. */
  serialization: string;
}

export const languages: readonly Language[] = [
  {
    name: 'Python',
    file: 'verify.py',
    folder: 'receivers/python',
    rawBody: 'Flask request.get_data(), Django request.body, FastAPI await request.body()',
    serialization: 'json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()',
  },
  {
    name: 'PHP',
    file: 'verify.php',
    folder: 'receivers/php',
    rawBody: "file_get_contents('php://input'), Laravel and Symfony $request->getContent()",
    serialization:
      'Decode with json_decode($raw) (objects, not arrays), sort keys at every depth with ksort(…, SORT_STRING), then ' +
      'json_encode(…, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS)',
  },
  {
    name: 'Java',
    file: 'Verify.java',
    folder: 'receivers/java',
    rawBody: 'Spring @RequestBody byte[] body, Servlet request.getInputStream().readAllBytes()',
    serialization:
      'Jackson: read as Map and write with SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS. ' +
      'Gson: read as TreeMap and write with disableHtmlEscaping() and serializeNulls()',
  },
  {
    name: 'Go',
    file: 'verify.go',
    folder: 'receivers/go',
    rawBody: 'io.ReadAll(request.Body) before decoding',
    serialization:
      'Decode with UseNumber() into map[string]any and encode with SetEscapeHTML(false), without the trailing newline. ' +
      'encoding/json always escapes U+2028 and U+2029: if strings can contain them, the raw body is required',
  },
  {
    name: 'C#',
    file: 'Verify.cs',
    folder: 'receivers/csharp',
    rawBody: 'ASP.NET Core: copy Request.Body to a MemoryStream before model binding reads it',
    serialization:
      'not possible with System.Text.Json, which escapes more characters than Waypost even with JavaScriptEncoder.UnsafeRelaxedJsonEscaping',
  },
  {
    name: 'Ruby',
    file: 'verify.rb',
    folder: 'receivers/ruby',
    rawBody: 'Rails request.raw_post, Rack request.body.read',
    serialization: 'Sort keys at every depth, then JSON.generate(event) without script_safe',
  },
];

const source = (file: string) => readFileSync(new URL(`receiving/${file}`, import.meta.url), 'utf8');

type DeliverySettings = Pick<Config, 'deliveryTimeoutMs' | 'retrySchedule' | 'webhookDisableSeconds'>;

export function receivingPage(settings: DeliverySettings): string {
  const { deliveryTimeoutMs, retrySchedule, webhookDisableSeconds } = settings;
  const contents = ['Respond', 'Verify', ...languages.map(({ name }) => name), 'Test vector'];
  const { privateKey, secret, body, eventText, signature, headers } = testVector;
  const testValues = { 'private key': privateKey, body, 'signed text': eventText, signature, secret, ...headers };
  return page(
    'Receiving Waypost events',
    `<div class="columns"><nav aria-label="Contents"><ul>${contents.map((name) => `<li><a href="#${anchor(name)}">${text(name)}</a></li>`).join('')}</ul></nav><main>
<h1>Receiving events</h1>
<p>Waypost sends an HTTP POST with the body <code>{"event":…,"signature":"…"}</code> to the <code>pushUrl</code> of each webhook
whose type is the type of the event. The repository has a package for each language, with verification and typed events:
<code>receiver/</code> for Node.js, and the folders named below. Or use the programs below.</p>
<h2 id="respond">Respond</h2>
<ul><li>Any 2xx status within ${durationText(deliveryTimeoutMs / 1000)} is success. Store the event, respond, then process it.</li>
<li>After any other response, including redirects, Waypost ${retriesText(retrySchedule)}. A webhook can have its own
<code>timeoutSeconds</code> and <code>retrySchedule</code>. A 410 response disables the webhook.</li>
<li>${webhookDisableSeconds === null ? '' : `A webhook whose deliveries all fail for ${durationText(webhookDisableSeconds)} is disabled. `}<code>GET /api/sales-partners/webhooks/alerts</code>
lists webhooks with problems. Other webhooks can subscribe to <code>WEBHOOK_FAILING</code>, <code>WEBHOOK_RECOVERED</code> and
<code>WEBHOOK_DISABLED</code>: at most one event per webhook, cause and hour, and none about webhooks that are
subscribed to these types.</li>
<li>A delivery can arrive twice. <code>event.id</code> is unique across all types and partners and is never reused, even after
a restore: ignore events whose id you already stored. Store the id as a 64-bit integer.</li>
<li>Deliveries can arrive in any order, for example after a retry. A webhook with <code>ordered</code> receives events of the
same location, else of the same business, in the order of their ids, across all ordered webhooks of its URL. They are sent one
at a time, and a failing event holds back the later ones until it is delivered or discarded:
${totalText(retrySchedule)} with the retries above, longer if the receiver sends <code>Retry-After</code> or the webhook is paused. Events of other locations are sent meanwhile. Replayed events, and those sent again by a user, arrive
out of order.</li>
<li>Ignore fields and event types that you do not know: new versions can add some.</li></ul>
<h2 id="verify">Verify</h2>
<p>Do not parse the body and serialize it again: languages serialize the same JSON differently. Extract the signed text from the
raw body: everything between <code>{"event":</code> and the last <code>,"signature":</code>. The signature is
Base64(HMAC-SHA256(private key, signed text)).</p>
<p>Or verify the headers, whose signature includes the timestamp: <code>webhook-signature</code> has one or more
<code>v1,</code> signatures, separated by spaces, each Base64(HMAC-SHA256(key, <code>webhook-id.webhook-timestamp.body</code>)). The
key is the Base64-decoded part of the secret after <code>whsec_</code>. Every library for
<a href="https://www.standardwebhooks.com">Standard Webhooks</a> supports this.</p>
<p>A webhook with <code>asymmetricSignature</code> also has <code>v1a,</code> signatures: Base64(Ed25519) of the same text. Its public
keys are at <code>/.well-known/webhook-keys/{id}</code>, as a JSON Web Key Set. Read them again when no key matches.</p>
<p>A webhook with <code>cloudEvents</code> also has the headers of <a href="https://cloudevents.io">CloudEvents</a> 1.0 in binary
content mode: <code>ce-id</code> and <code>ce-time</code> are those of the event, <code>ce-type</code> is its type,
<code>ce-source</code> <code>/sales-partners/{identifier}</code>, and <code>ce-subject</code> the record, such as
<code>locations/51877</code>. The body is the data: <code>event</code> and <code>signature</code>. The signatures do not cover these
headers, so verify the body and read the event from it.</p>
<p>A webhook with <code>oauth</code> gets an access token (OAuth 2.0 client credentials) and sends it as
<code>Authorization: Bearer</code>. Respond 401 if the token is not valid any more: the delivery is sent again with a new one.</p>
<p>A webhook with <code>clientCertificate</code> uses it when the receiver requests a client certificate (mutual TLS).</p>
<p>Compare in constant time, and respond 401 when neither signature matches. During a key rotation, accept signatures of the old and
the new key.</p>
${languages.map(languageSection).join('')}
<h2 id="test-vector">Test vector</h2>
<p>A correct receiver accepts this delivery and rejects it if any character of the body changes. The timestamp is fixed, so
skip the timestamp check.</p>
<table><tbody>${Object.entries(testValues)
      .map(([name, value]) => `<tr><th>${text(name)}</th><td><code>${text(value)}</code></td></tr>`)
      .join('')}</tbody></table>
</main></div>`,
  );
}

const units = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

function durationText(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds >= size && seconds % size === 0) ?? [1, 'second'];
  return seconds === size ? `1 ${unit}` : `${seconds / size} ${unit}s`;
}

const retriesText = (schedule: readonly number[]) =>
  schedule.length === 0 ? 'does not retry' : `retries after about ${schedule.map(durationText).join(', ')}`;

function totalText(schedule: readonly number[]): string {
  const seconds = schedule.reduce((total, delay) => total + delay, 0);
  return `about ${seconds > 3600 ? `${Number((seconds / 3600).toFixed(1))} hours` : durationText(seconds)}`;
}

const anchor = (name: string) => name.toLowerCase().replace('#', '-sharp').replace(/\W+/g, '-');

function languageSection({ name, file, folder, rawBody, serialization }: Language): string {
  return `<h2 id="${anchor(name)}">${text(name)}</h2>
<p>Package: <code>${text(folder)}</code> of the repository. Raw body: ${text(rawBody)}.</p>
<pre tabindex="0" role="group" aria-label="${text(file)}">${text(source(file))}</pre>
<p>Without the raw body, serialize the event to get the signed text: ${text(serialization)}.</p>`;
}
