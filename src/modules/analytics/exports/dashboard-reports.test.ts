import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addReview, downloadFile } from '../../../../test/support/exports.ts';
import {
  addBusinessRow,
  addDailyCounts,
  addListedLocation,
  type InsightListing,
} from '../../../../test/support/figures.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { addUser, type TestUser } from '../../../../test/support/users.ts';
import { openWorkbook } from '../../../../test/support/xlsx.ts';

const path = '/api/dashboard-exports';
const days = { start: '2026-10-30', end: '2026-11-02' };
const names = [
  'Bäckerei Ehrenfeld',
  'Café Îlot & Fils',
  'Łódź Główna',
  'Čeština Žižkov',
  'Ελλάδα Αθήνα',
  'Ñandú <b>(*)</b>',
];

let api: TestApi;
let partner: TestPartner;
const places: InsightListing[] = [];

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  const business = await addBusinessRow(api.database, partner);
  await api.database.pool.query("update businesses set name = 'Bäckerei Lindner' where id = $1", [business]);
  for (const name of names) {
    const place = await addListedLocation(api.database, partner, business);
    await api.database.pool.query('update locations set name = $2 where id = $1', [place.locationId, name]);
    places.push(place);
  }
  const [first, second] = places as [InsightListing, InsightListing];
  await addDailyCounts(api.database, first, 'WEBSITE_CLICKS', '2026-10-26', [100, 0, 0, 0, 1000, 200, 30, 4]);
  await addReview(api, first, { day: '2026-10-31', rating: 5, repliedAfterHours: 3 });
  await addReview(api, second, { day: '2026-10-31', rating: 2 });
});
afterAll(async () => {
  await api.close();
});

const work = () => runJobs(api.database);

async function reported(given: object, by: TestPartner | TestUser = partner): Promise<{ id: number; bytes: Buffer }> {
  const { body } = await by.call('POST', path, { ...days, ...given });
  expect(body).toMatchObject({ status: 'SUCCESS', response: { type: 'REPORT', status: 'CREATED' } });
  await work();
  const { id } = body.response;
  return { id, bytes: await downloadFile(api, by, `${path}/${id}/download`) };
}

/** Text of each page, extracted by an independent reader. */
async function pagesOf(bytes: Buffer): Promise<string[]> {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  return (await extractText(document, { mergePages: false })).text;
}

describe('a report', () => {
  test('is a PDF with title page, figures, charts and locations', async () => {
    const { bytes, id } = await reported({});
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const pages = await pagesOf(bytes);
    const [title = '', ...others] = pages;
    expect(title).toContain('Location report');
    expect(title).toContain(partner.partner.name);
    expect(title).toContain('30 October 2026 – 2 November 2026');
    expect(title).toContain('6 locations');
    // 1000 + 200 + 30 + 4, compared with 100.
    expect(title).toContain('1,234');
    expect(title).toContain('+1,134%');
    expect(others.join('\n')).toMatch(/Average rating\s+3\.50/);
    expect(others.join('\n')).toMatch(/Response rate\s+50%/);
    expect(others.join('\n')).toMatch(/Website clicks\s+1,234\s+100\s+\+1,134%/);
    for (const name of names) expect(pages.at(-1)).toContain(name);
    for (const [index, text] of pages.entries()) expect(text).toContain(`Page ${index + 1} of ${pages.length}`);
    const { info } = await getMeta(await getDocumentProxy(new Uint8Array(bytes)));
    expect(info).toMatchObject({ Title: `Location report – ${partner.partner.name}`, Author: 'Waypost' });
    expect((await partner.call('GET', `${path}/${id}`)).body.response).toMatchObject({ format: 'pdf', rows: 6 });
  });

  test.each([
    ['de', 'Standortbericht', '30. Oktober 2026', '1.234', 'Seite 1 von', 'Durchschnittliche Bewertung'],
    ['fr', 'Rapport des établissements', '30 octobre 2026', '1 234', 'Page 1 sur', 'Note moyenne'],
    ['es', 'Informe de ubicaciones', '30 de octubre de 2026', '1234', 'Página 1 de', 'Valoración media'],
  ])('speaks %s', async (language, ...texts) => {
    const [title = ''] = await pagesOf((await reported({ language })).bytes);
    for (const text of texts) expect(title.replaceAll('\u00a0', ' ')).toContain(text);
  });

  test('compares counted days with the same preceding days', async () => {
    // Three of five days are counted: 200 + 30 + 4, compared with the first three of the preceding five.
    const pages = await pagesOf((await reported({ start: '2026-10-31', end: '2026-11-04' })).bytes);
    expect(pages.join('\n')).toMatch(/Website clicks\s+234\s+100\s+\+134%/);
  });

  test('covers the selected locations and is named after a single one', async () => {
    const [first, second] = places as [InsightListing, InsightListing];
    const pages = await pagesOf((await reported({ locationIds: [second.locationId] })).bytes);
    expect(pages[0]).toContain('Café Îlot & Fils');
    expect(pages.at(-1)).not.toContain(names[0]);
    const whole = await pagesOf((await reported({ businessIds: [first.businessId] })).bytes);
    expect(whole[0]).toContain('Bäckerei Lindner');
  });

  test('can be an Excel file', async () => {
    const { bytes } = await reported({ format: 'xlsx', group: 'MONTH', language: 'de' });
    const { book, rows } = await openWorkbook(bytes);
    expect(book.SheetNames).toEqual(['Übersicht', 'Feedback nach Zeitraum', 'Insights nach Zeitraum', 'Standorte']);
    expect(rows('Übersicht')[0]).toEqual(['Standortbericht']);
    expect(book.Props?.Title).toBe('Standortbericht');
    expect(
      rows('Feedback nach Zeitraum')
        .slice(1)
        .map((row) => row[1]),
    ).toEqual([2, 0]);
  });

  test('has as many pages as the locations need', async () => {
    const other = await api.addPartner();
    const business = await addBusinessRow(api.database, other);
    const long = 'Ein sehr langer Name '.repeat(40);
    for (let index = 0; index < 65; index += 1) {
      const place = await addListedLocation(api.database, other, business);
      await api.database.pool.query('update locations set name = $2 where id = $1', [
        place.locationId,
        index === 0 ? `\u0007${long}\nzweite Zeile` : `Filiale ${index}.`,
      ]);
    }
    const pages = await pagesOf((await reported({}, other)).bytes);
    const locationPages = pages.filter((text) => text.includes('Filiale '));
    expect(locationPages.length).toBeGreaterThan(1);
    for (let index = 1; index < 65; index += 1) {
      expect(locationPages.filter((text) => text.includes(`Filiale ${index}.`))).toHaveLength(1);
    }
    expect(locationPages[0]).toContain('Ein sehr langer');
    expect(pages.at(-1)).toContain(`Page ${pages.length} of ${pages.length}`);
  });

  test('without data says so', async () => {
    const pages = await pagesOf((await reported({}, await api.addPartner())).bytes);
    expect(pages.join('\n')).toContain('No data for the selected');
  });

  test('of a restricted user contains only accessible locations', async () => {
    const [, , third] = places as [InsightListing, InsightListing, InsightListing];
    const manager = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['DASHBOARD_READ'],
      locationIds: [third.locationId],
    });
    const { id } = await reported({});
    const text = (await pagesOf((await reported({}, manager)).bytes)).join('\n');
    expect(text).toContain(names[2]);
    expect(names.filter((name) => text.includes(name))).toEqual([names[2]]);
    expect((await manager.call('GET', `${path}/${id}/download`)).code).toBe(404);
    expect((await manager.call('GET', path)).body.response.count).toBe(1);
  });

  test('can be cancelled and is not listed as an Excel export', async () => {
    const { body } = await partner.call('POST', '/dashboardExports', days);
    const { id } = body.response;
    expect((await partner.call('GET', `/api/dashboard/excel-exports/${id}`)).code).toBe(404);
    const cancelled = await partner.call('PATCH', `${path}/${id}`, { status: 'CANCELLED' });
    expect(cancelled.body.response).toMatchObject({ id, status: 'CANCELLED' });
    await work();
    expect((await partner.call('GET', `${path}/${id}/download`)).code).toBe(409);
  });

  test.each([
    [{ start: '2026-11-03', end: '2026-11-01' }, 'end', 'order'],
    [{ start: '2020-01-01', end: '2026-11-01' }, 'start', 'maximum'],
    [{ start: 'yesterday' }, 'start', 'day'],
    [{ group: 'HOUR' }, 'group', 'enum'],
    [{ format: 'docx' }, 'format', 'enum'],
    [{ language: 'tlh' }, 'language', 'enum'],
  ])('rejects %j: %s, %s', async (given, field, rule) => {
    const { code, body } = await partner.call('POST', path, given);
    expect(code).toBe(400);
    expect(body.errors).toMatchObject([{ field, rule }]);
  });
});
