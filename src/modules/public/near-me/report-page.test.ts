import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { NearMeScene } from '../../../../test/support/near-me.ts';
import { html } from '../../../http/html.ts';
import { Problem } from '../../../problems.ts';
import { acceptsPage, errorPage } from './report-page.ts';

let scene: NearMeScene;
let partner: TestPartner;
beforeAll(async () => {
  scene = await NearMeScene.open();
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

describe('the page of a report', () => {
  test('refreshes while the report is running', async () => {
    const begun = await scene.startReport(partner, scene.business());
    const running = await scene.page(begun);
    expect(running.code).toBe(200);
    expect(running.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(running.body).toContain('<meta http-equiv="refresh" content="3">');
    expect(running.body).toContain('<progress max="100" value="0"');
    await scene.runJobs();
    const finished = await scene.page(begun);
    expect(finished.body).not.toContain('http-equiv="refresh"');
    expect(finished.body).toContain('Not found');
    expect(finished.body).toMatch(/<p class="points poor">0</);
  });

  test('shows the results with links', async () => {
    const business = scene.business();
    await scene.addDirectoryListing('GOOGLE', business, { phone: '+49 30 901820' });
    const begun = await scene.startReport(partner, business);
    const { directories, recommendations } = await scene.finish(begun);
    const { body } = await scene.page(begun);
    expect(body).toContain(`<a href="${directories[0].listingUrl}" rel="noopener noreferrer">`);
    expect(body).toContain('<td class="mismatch">Different</td>');
    for (const { message } of recommendations) expect(body).toContain(message);
  });

  test('has no scripts and only the style allowed by its policy', async () => {
    const { body, headers } = await scene.page(await scene.startReport(partner, scene.business()));
    const style = /<style>([\s\S]*?)<\/style>/.exec(body)?.[1] ?? '';
    const policy = headers.get('content-security-policy');
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`);
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toContain('unsafe');
    expect(body).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|style=/i);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toContain('accept');
    await scene.runJobs();
  });

  test('escapes hostile names', async () => {
    const hostile = `</title><script>alert(1)</script><img src=x onerror="alert('2')"> & "Söhne"`;
    const business = scene.business({ name: hostile, city: '<b>Köln</b>' });
    await scene.addDirectoryListing('GOOGLE', business, {
      categories: ['<svg onload=alert(3)>'],
      website: 'https://x.example/"><script>alert(4)</script>',
    });
    const begun = await scene.startReport(partner, business);
    for (const page of [await scene.page(begun), await scene.finish(begun).then(() => scene.page(begun))]) {
      expect(page.code).toBe(200);
      expect(page.body).not.toMatch(/<script|<img|<svg|<b>/i);
      expect(page.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(page.body).toContain('&amp; &quot;Söhne&quot;');
    }
  });

  test('a rate limit is not shown as a missing report', () => {
    const problem = new Problem('QUOTA_LIMIT_EXCEED', { message: 'Retry in 7 s.', retryAfterSeconds: 7 });
    const shown = errorPage(problem);
    expect(shown).toContain('<h1>Too many requests</h1>');
    expect(shown).toContain('Retry in 7 s.');
    expect(shown).not.toContain('not found');
  });

  test('an invalid link returns an HTML page', async () => {
    const begun = await scene.startReport(partner, scene.business());
    for (const path of [`/report/${begun.id}?token=wrong`, `/report/${begun.id}`, '/report/<script>?token=x']) {
      const response = await scene.api.call('GET', path, undefined, { accept: 'text/html' });
      expect(response.code).toBeGreaterThanOrEqual(400);
      expect(response.body).toContain('Report not found');
      expect(response.body).not.toContain('<script');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'sha256-");
    }
    await scene.runJobs();
  });
});

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['application/json, text/plain, */*', false],
  ['text/html', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
  ['application/json;q=0.9, text/html', true],
  ['application/json, text/html;q=0.5', false],
  ['text/html;q=0, */*', false],
  ['TEXT/HTML ; Q=0.3', true],
  [',;q=,;;', false],
])('Accept: %s returns a page: %s', (accept, isPage) => {
  expect(acceptsPage(accept)).toBe(isPage);
});

test('escapes template values unless they are HTML', () => {
  const list = ['<a>', html`<i>${'&'}</i>`];
  expect(html`<p title="${'"\''}">${list}${undefined}${false}${0}</p>`.text).toBe(
    '<p title="&quot;&#39;">&lt;a&gt;<i>&amp;</i>0</p>',
  );
});
