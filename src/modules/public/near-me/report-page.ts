import { hash } from 'node:crypto';
import { Html, html } from '../../../http/html.ts';
import type { Problem } from '../../../problems.ts';
import { countryName } from '../../../values/countries.ts';
import { fieldLabel } from './judge-report.ts';
import type { ReportField, ReportResponse } from './report.ts';

const reportStyle = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #14181f); --ink: light-dark(#1c212a, #d3d8e0);
  --line: light-dark(#dee2e8, #343b47); --soft: light-dark(#f5f7fa, #1c212a);
  --quiet: light-dark(#56606b, #a3adb8); --link: light-dark(#2f50b8, #8aa5ee);
  --good: light-dark(#176b35, #6fd08f); --middling: light-dark(#8a5a00, #f0b849); --poor: light-dark(#b3261e, #f2857d); }
* { box-sizing: border-box; }
body { font: 16px/1.5 Inter, system-ui, sans-serif; margin: 0; background: var(--paper); color: var(--ink); }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 0 0 .2rem; }
a { color: var(--link); }
.kind { margin: 0; color: var(--quiet); font-weight: 600; }
.where, footer { color: var(--quiet); }
.where { margin: .3rem 0 1.5rem; overflow-wrap: anywhere; }
.card { border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.2rem; margin: 0 0 1rem; }
.card > h2 { margin-top: 0; }
.score { display: grid; grid-template-columns: auto 1fr; gap: 0 1.5rem; align-items: center; background: var(--soft); }
.score h2 { grid-column: 1 / -1; margin-bottom: .2rem; }
.score p { margin: .2rem 0; }
.points { font-size: 3rem; font-weight: 700; line-height: 1.1; }
.points span { font-size: 1rem; font-weight: 400; color: var(--quiet); }
.verdict { font-weight: 600; }
progress { width: 100%; height: 1.2rem; }
.advice { padding-left: 1.4rem; }
.advice li { margin: .35rem 0; }
.good, .found, .match { color: var(--good); }
.middling, .error, .missing { color: var(--middling); }
.poor, .not_found, .mismatch { color: var(--poor); }
.present { color: var(--quiet); }
.mismatch, .missing { font-weight: 600; }
.link { margin: 0 0 .5rem; font-size: .9rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; }
tbody th { font-weight: 400; }
th:first-child { width: 20%; }
th:last-child, td:last-child { width: 6.2rem; padding-right: 0; }
.overview { margin-bottom: 1rem; }
.overview th:first-child { width: 30%; }
.overview th:nth-child(2) { width: 7.5rem; }
.overview th:last-child, .overview td:last-child { width: auto; }
.overview td:nth-child(2) { font-weight: 600; }
@media screen and (max-width: 34rem) {
  main { padding: 1.25rem 1rem 2rem; }
  h1 { font-size: 1.6rem; }
  .score { grid-template-columns: 1fr; }
  .overview { font-size: .85rem; }
  .overview th:nth-child(2) { width: 5.5rem; }
  .fields thead { display: none; }
  .fields tr { display: grid; grid-template-columns: 1fr auto; padding: .5rem 0; border-top: 1px solid var(--line); }
  .fields tbody th, .fields td { border: 0; padding: 0; width: auto; }
  .fields tbody th { font-weight: 600; grid-area: 1 / 1; }
  .fields td:last-child { grid-area: 1 / 2; }
  .fields td[data-label] { grid-column: 1 / -1; }
  .fields tr:has(.match) td[data-label="Your entry"] { display: none; }
  .fields td[data-label]::before { content: attr(data-label) ": "; color: var(--quiet); }
}
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; }
  @page { margin: 16mm; }
  body { font-size: 10pt; line-height: 1.35; }
  main { max-width: none; padding: 1px; }
  .card { break-inside: avoid; border-radius: 0; padding: .6rem .8rem; }
  h2 { break-after: avoid; margin-top: 1.2rem; }
  table { font-size: 9pt; }
  th, td { padding: .12rem .6rem .12rem 0; }
  tr { break-inside: avoid; }
  .link a { color: inherit; text-decoration: none; }
}
`;

const refreshSeconds = 3;

/** No scripts, no requests, no framing. The only style is allowed by its hash. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', reportStyle, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-robots-tag': 'noindex',
};

/** Refreshes itself while the report is RUNNING. */
export function reportPage(report: ReportResponse): string {
  const { business, status } = report;
  const isRunning = status === 'RUNNING';
  const where = [
    business.streetAndNo,
    [business.zip, business.city].filter(Boolean).join(' '),
    countryName(business.country),
  ];
  return pageOf(
    `Near-me check: ${business.name}`,
    html`<header>
<p class="kind">Near-me check</p>
<h1>${business.name}</h1>
<p class="where">${where.join(', ')}</p>
</header>
${isRunning ? progressOf(report) : status === 'FAILED' ? failureOf(report) : summaryOf(report)}
${report.recommendations.length > 0 && advice(report)}
${report.directories.length > 0 && directoriesOf(report)}
<footer><p>Report ${report.id} of ${dayOf(report.dateCreated)}. Available until ${dayOf(report.expires)}.</p></footer>`,
    isRunning,
  );
}

/** For invalid and expired links, and for visitors who refresh too often. */
export const errorPage = ({ status, message }: Problem): string =>
  pageOf(
    'Near-me check',
    html`<header><p class="kind">Near-me check</p>
<h1>${status === 'QUOTA_LIMIT_EXCEED' ? 'Too many requests' : 'Report not found'}</h1></header>
<p>${message}</p>`,
    false,
  );

const pageOf = (title: string, body: Html, refreshes: boolean): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshes && html`<meta http-equiv="refresh" content="${refreshSeconds}">`}
<title>${title}</title>
<style>${new Html(reportStyle)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text;

const progressOf = ({ progress, directories, pendingDirectories }: ReportResponse) =>
  html`<section class="card" aria-labelledby="progress">
<h2 id="progress">Searching the directories</h2>
<p><progress max="100" value="${progress}" aria-label="Directories checked">${progress} %</progress></p>
<p role="status">${directories.length} of ${directories.length + pendingDirectories.length} directories have responded. This page refreshes automatically.</p>
</section>`;

const failureOf = ({ message }: ReportResponse) =>
  html`<section class="card" aria-labelledby="failure"><h2 id="failure">The check failed</h2><p>${message}</p></section>`;

function summaryOf({ score, directories }: ReportResponse): Html {
  const count = (wanted: string) => directories.filter(({ status }) => status === wanted).length;
  const responded = directories.length - count('ERROR');
  const points = score ?? 0;
  const grade = points >= 80 ? 'good' : points >= 50 ? 'middling' : 'poor';
  const verdict = {
    good: 'Customers find the business with correct data.',
    middling: 'Customers find the business, but not everywhere or not with correct data.',
    poor: 'Most customers do not find the business with correct data.',
  }[grade];
  return html`<section class="card score" aria-labelledby="score">
<h2 id="score">Visibility</h2>
<p class="points ${grade}">${score ?? '–'}<span> of 100</span></p>
<div><p class="verdict">${verdict}</p>
<p>Found on ${count('FOUND')} of ${responded} directories${count('ERROR') > 0 && `; ${count('ERROR')} could not be checked`}.</p></div>
</section>`;
}

const advice = ({ recommendations }: ReportResponse) =>
  html`<section aria-labelledby="advice"><h2 id="advice">Recommendations</h2>
<ol class="advice">${recommendations.map(({ message }) => html`<li>${message}</li>`)}</ol></section>`;

type Entry = ReportResponse['directories'][number];

const statusWords = { FOUND: 'Found', NOT_FOUND: 'Not found', ERROR: 'Not checked' };

function directoriesOf({ directories }: ReportResponse): Html {
  const detailed = directories.filter(({ fields }) => fields.length > 0);
  return html`<section aria-labelledby="directories"><h2 id="directories">Directories</h2>
<table class="overview">
<thead><tr><th scope="col">Directory</th><th scope="col">Result</th><th scope="col">Details</th></tr></thead>
<tbody>${directories.map(overviewOf)}</tbody>
</table></section>
${
  detailed.length > 0 &&
  html`<section aria-labelledby="fields"><h2 id="fields">Field by field</h2>
${detailed.map(detailsOf)}</section>`
}`;
}

function overviewOf({ directoryName, status, fields, message }: Entry): Html {
  const compared = fields.filter((field) => ['MATCH', 'MISMATCH', 'MISSING'].includes(field.status));
  const same = compared.filter((field) => field.status === 'MATCH');
  const shows =
    compared.length > 0
      ? `${same.length} of ${compared.length} fields match your entry`
      : (message ?? (status === 'NOT_FOUND' ? 'No listing with this name and address' : '–'));
  return html`<tr><th scope="row">${directoryName}</th>
<td class="${status.toLowerCase()}">${statusWords[status]}</td><td>${shows}</td></tr>`;
}

function detailsOf({ directoryName, listingUrl, fields }: Entry): Html {
  const shown = fields.filter((field) => field.status !== 'NOT_APPLICABLE');
  const isLink = listingUrl !== undefined && /^https?:\/\//i.test(listingUrl);
  return html`<article class="card">
<h3>${directoryName}</h3>
${isLink && html`<p class="link"><a href="${listingUrl}" rel="noopener noreferrer">${listingUrl}</a></p>`}
<table class="fields">
<thead><tr><th scope="col">Field</th><th scope="col">Your entry</th><th scope="col">${directoryName} shows</th><th scope="col">Result</th></tr></thead>
<tbody>${shown.map(fieldOf)}</tbody>
</table>
</article>`;
}

const fieldWords: Record<ReportField['status'], string> = {
  MATCH: 'Match',
  MISMATCH: 'Different',
  MISSING: 'Missing',
  PRESENT: 'Present',
  NOT_APPLICABLE: '',
};

const fieldOf = ({ field, expected, found, status }: ReportField) =>
  html`<tr><th scope="row">${capital(fieldLabel(field))}</th><td data-label="Your entry">${expected ?? '–'}</td><td data-label="Shown">${found ?? '–'}</td>
<td class="${status.toLowerCase()}">${fieldWords[status]}</td></tr>`;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const dayOf = (moment: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(moment));

/** Whether the client prefers HTML to JSON. Browsers ask for HTML; API clients send no Accept header or any type. */
export function acceptsPage(accept: string | undefined): boolean {
  const accepted = (accept ?? '').split(',').map((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, weight: quality === undefined ? 1 : Number(quality) || 0 };
  });
  const weightOf = (...types: string[]) =>
    Math.max(0, ...accepted.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  const page = weightOf('text/html', 'application/xhtml+xml');
  return page > 0 && page >= weightOf('application/json');
}
