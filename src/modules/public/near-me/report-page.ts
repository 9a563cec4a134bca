import { hash } from 'node:crypto';
import { Html, html } from '../../../http/html.ts';
import { countryName } from '../../../values/countries.ts';
import { fieldLabel } from './judge-report.ts';
import type { ReportField, ReportResponse } from './report.ts';
import { reportStyle } from './report-style.ts';

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

/** For invalid and expired links. */
export const lostPage = (message: string): string =>
  pageOf(
    'Near-me check',
    html`<header><p class="kind">Near-me check</p><h1>Report not found</h1></header>
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
<p>Found on ${count('FOUND')} of ${responded} directories${count('ERROR') > 0 && `; ${count('ERROR')} did not respond`}.</p></div>
</section>`;
}

const advice = ({ recommendations }: ReportResponse) =>
  html`<section aria-labelledby="advice"><h2 id="advice">Recommendations</h2>
<ol class="advice">${recommendations.map(({ message }) => html`<li>${message}</li>`)}</ol></section>`;

type Entry = ReportResponse['directories'][number];

const statusWords = { FOUND: 'Found', NOT_FOUND: 'Not found', ERROR: 'No response' };

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
